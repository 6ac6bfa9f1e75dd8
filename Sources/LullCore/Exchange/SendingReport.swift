/// Connects a request that counts against a rate limit with its transport, which knows when the request goes
/// out. Named in `TransferOptions`; nil for a request without a limit.
///
/// A transport that can tell calls `adopt` inside `startRequest`. Then it calls, for each request that it
/// sends, `begin` before the first byte goes out, and `pass` when the last byte has gone out, or with
/// `waitsForAnswer` when the head of the answer has arrived. `pass` alone will do for a request without a
/// body. Before it sends another request for the same exchange, such as a redirect, it calls `sendAgain`.
/// For any other transport the request counts from `handOver` on, or when `startRequest` returns, with
/// `waitsForAnswer` when its result is there. Home thread only.
// Unchecked: TransferOptions is Sendable, but the report is used on the home thread only.
package final class SendingReport: @unchecked Sendable, Equatable {
  /// What the transport reports.
  package enum Event {
    /// Bytes may go out from now on: the place is not given back any more, even if this process dies.
    case began
    /// The place is released one span from now.
    case passed
    /// Another request is to be sent by `resume`, which is called once there is a place for it.
    case again(resume: () -> Void)
  }

  /// Whether the place is released one span after the answer's head, instead of after the last byte sent.
  package let waitsForAnswer: Bool
  /// Whether the transport reports.
  package private(set) var isAdopted = false
  /// Whether the transport has given the request up before a byte of it went out.
  package var isUnsent = false
  /// False if the exchange is over.
  private let tell: (Event) -> Bool

  init(waitsForAnswer: Bool, _ tell: @escaping (Event) -> Bool) {
    self.waitsForAnswer = waitsForAnswer
    self.tell = tell
  }

  package func adopt() { isAdopted = true }

  package func begin() { _ = tell(.began) }
  package func pass() { _ = tell(.passed) }

  /// Nobody will say when the request goes out.
  package func handOver() { waitsForAnswer ? begin() : pass() }

  /// Calls `resume` once the limit lets another request through, now or later; never after the exchange
  /// has been cancelled.
  package func sendAgain(_ resume: @escaping () -> Void) {
    if !tell(.again(resume: resume)) { resume() }
  }

  package static func == (one: SendingReport, other: SendingReport) -> Bool { one === other }
}
