/// Takes the body of an answer piece by piece, so that it need not fit into memory.
///
/// Named in `TransferOptions`; nil there, in all ordinary requests, costs nothing. Order of events, for
/// each attempt that is answered with a status from 200 to 299: `begin` with that status, then `take` for
/// every decoded piece. What was taken of an attempt before is void when `begin` is called again. The
/// body then reported is empty, and `maxBodySize` does not count. All other bodies come as they
/// always do. Called on the provider's thread; what stands in for the network need not know of it.
package final class BodySink: Sendable, Equatable {
  /// A body begins; false ends the exchange with an error.
  package let begin: @Sendable (Int) -> Bool
  /// The next bytes, valid during the call; false ends the exchange with an error.
  package let take: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool

  package init(
    begin: @escaping @Sendable (_ status: Int) -> Bool,
    take: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    self.begin = begin
    self.take = take
  }

  package static func == (one: BodySink, other: BodySink) -> Bool { one === other }
}
