/// Takes the body of an answer piece by piece, so that it need not fit into memory.
///
/// Named in `TransferOptions`; nil there, in all ordinary requests, costs nothing. Order of events, for
/// each attempt that is answered with a status from 200 to 299: `begin` with its head, then `take` for
/// every decoded piece. What was taken of an attempt before is void when `begin` is called again. The
/// body then reported is empty, and `maxBodySize` does not count. All other bodies come as they
/// always do. Called on the provider's thread; what stands in for the network need not know of it.
package final class BodySink: Sendable, Equatable {
  /// What becomes of a piece, and of what follows it.
  package enum Verdict: Sendable {
    /// It is taken.
    case more
    /// It is taken, and nothing more is read from the server before `RequestNetworking.resume`, but what
    /// the same piece holds in coded form still comes. Meanwhile no `idleTimeout` runs.
    case pause
    /// The exchange ends with an error.
    case refuse
  }

  /// A body begins, of an answer with that head, which has its URL; false ends the exchange with an
  /// error.
  package let begin: @Sendable (HTTPResponse) -> Bool
  /// The next bytes, valid during the call.
  package let take: @Sendable (UnsafeBufferPointer<UInt8>) -> Verdict

  /// Whether a success goes to whoever asked for it as it is, and does not pass the pipeline.
  package let isRaw: Bool
  /// Whether it would take a body from its beginning on; else the exchange is not repeated.
  package let mayBegin: @Sendable () -> Bool

  package init(
    isRaw: Bool = false,
    begin: @escaping @Sendable (_ head: HTTPResponse) -> Bool,
    take: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Verdict,
    mayBegin: @escaping @Sendable () -> Bool = { true }
  ) {
    self.isRaw = isRaw
    self.mayBegin = mayBegin
    self.begin = begin
    self.take = take
  }

  package static func == (one: BodySink, other: BodySink) -> Bool { one === other }
}
