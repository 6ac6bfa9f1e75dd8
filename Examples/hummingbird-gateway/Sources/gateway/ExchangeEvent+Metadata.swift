import Logging
import LullCore

extension ExchangeEvent {
  /// One structured entry for each request that has ended. The URL has no credentials in it.
  var metadata: Logger.Metadata {
    var fields: Logger.Metadata = [
      "method": "\(method)", "url": "\(url)", "attempts": "\(attempts)",
      "source": "\(source.rawValue)", "bytes": "\(responseBytes)",
    ]
    if let status { fields["status"] = "\(status)" }
    if let elapsed { fields["seconds"] = "\(elapsed)" }
    if let errorKind { fields["error"] = "\(errorKind)" }
    return fields
  }
}
