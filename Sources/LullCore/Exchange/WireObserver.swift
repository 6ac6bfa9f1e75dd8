/// Sees what goes over the wire, both ways, as the network really sends and gets it.
///
/// Named in `TransferOptions`; nil there, in all ordinary requests, costs nothing. Of each hop, redirects,
/// repetitions and rounds of authentication included, it is told in the order in which it happened: the head
/// as a whole once the last line of it is there, a body once the other side has begun to answer or the hop
/// has ended. Texts of secrets have become masks; what is called like a credential has not. Told on the
/// provider's thread, between two calls of the network's code, and must not start or cancel anything. What
/// stands in for the network need not know of it.
package final class WireObserver: Sendable, Equatable {
  package enum Event: Sendable {
    /// Lines with their ends, the first one being that of the request or the status; what follows a body
    /// has no such line. Over HTTP/2 and 3, which have no lines, as libcurl writes them.
    case head(isSent: Bool, [UInt8])
    /// Bytes of a body, decoded if it is the answer's, `bodyLimit` at most, and how many there were.
    case body(isSent: Bool, [UInt8], count: Int)
  }

  /// How much of a body is kept, bytes.
  package static let bodyLimit = 64 * 1024

  package let wantsBodies: Bool
  package let tell: @Sendable (Event) -> Void

  package init(wantsBodies: Bool, tell: @escaping @Sendable (Event) -> Void) {
    self.wantsBodies = wantsBodies
    self.tell = tell
  }

  package static func == (one: WireObserver, other: WireObserver) -> Bool { one === other }
}
