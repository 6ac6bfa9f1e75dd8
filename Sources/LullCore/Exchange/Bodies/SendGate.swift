/// Holds back the body of a request until it may be sent: a refresh token waits until its use is noted. (TOK-160)
///
/// The connection and the request's head come first. While the gate is closed, no byte of the body has been sent. The
/// gate asks once, when curl wants the first byte. Once it is open, it stays open, also for redirects and repetitions.
/// Only `CurlProvider` honours it: other providers send without asking. Home thread only.
// Unchecked: TransferOptions is Sendable, but the gate is used on the home thread only.
package final class SendGate: @unchecked Sendable, Equatable {
  package private(set) var isOpen = false
  /// Taken when it is called: a gate asks once.
  private var ask: ((SendGate) -> Void)?
  private var resume: (() -> Void)?

  /// - Parameter ask: Called inside curl, where nothing may be started or cancelled; call `open` on a later turn.
  package init(_ ask: @escaping (SendGate) -> Void) {
    self.ask = ask
  }

  /// Whether the body may be sent. If not, `resume` is called when the gate opens.
  package func letsPass(_ resume: @escaping () -> Void) -> Bool {
    guard !isOpen else { return true }
    self.resume = resume
    guard let ask else { return false }
    self.ask = nil
    ask(self)
    return false
  }

  package func open() {
    isOpen = true
    let resume = resume
    self.resume = nil
    resume?()
  }

  package static func == (one: SendGate, other: SendGate) -> Bool { one === other }
}
