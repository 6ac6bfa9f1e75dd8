/// Holds back the body of a request, once there is a connection for it, until what has to be known before is kept,
/// such as a note that a refresh token is about to be used. A request whose gate has not been opened has not been
/// sent: of its body no byte has left.
///
/// Named in `TransferOptions`, for the transport of this machine; any other sends without asking. It asks once, when
/// curl wants the first byte, and goes on with every further sending once it is open. Home thread only.
// Unchecked: options may be sent, what they name is used on the home thread only.
package final class SendGate: @unchecked Sendable, Equatable {
  package private(set) var isOpen = false
  /// Taken when it is called: a gate asks once.
  private var ask: ((SendGate) -> Void)?
  private var resume: (() -> Void)?

  /// - Parameter ask: is called inside curl, where nothing may be started or cancelled; `open` comes later.
  package init(_ ask: @escaping (SendGate) -> Void) {
    self.ask = ask
  }

  /// Whether the body may be sent; if not, `resume` is called once that is so.
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
