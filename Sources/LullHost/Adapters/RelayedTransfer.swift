package import LullCore

/// An exchange that stands in front of another one, which does the work.
package protocol RelayedTransfer: RequestNetworking {
  /// nil before there is one.
  var inner: (any RequestNetworking)? { get }
}

extension NetworkRequest {
  /// The exchange under way now that does the work, behind policies and whatever else is in front of it.
  var innermostTransfer: (any RequestNetworking)? {
    var current = (transfer as? PolicyExchange)?.current ?? transfer
    while let inner = (current as? any RelayedTransfer)?.inner { current = inner }
    return current
  }
}
