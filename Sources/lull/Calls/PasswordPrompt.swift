import LullLibC
import LullSystem

/// Prompts on the terminal, even if standard input is redirected. The input is hidden unless it is
/// not a secret.
enum PasswordPrompt {
  enum Answer: Equatable {
    case text(String)
    /// The user pressed Ctrl-C.
    case interrupted
    /// The terminal reported the end of input, as with Ctrl-D, or an error. Also used for input
    /// that is too long or not UTF-8.
    case nothing
    /// There is no terminal to prompt on.
    case noTerminal
  }

  /// The interval between checks for signals, in ms.
  private static let slice: Int32 = 100
  private static let longest = 4096

  /// - Parameter isShown: Whether the input is visible.
  static func ask(_ question: String, isShown: Bool = false) -> Answer {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return .noTerminal }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return .noTerminal }
    // Restore the terminal before a signal ends the process.
    var signals = sigset_t()
    var blocked = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
    sigprocmask(SIG_BLOCK, &signals, &blocked)
    defer { sigprocmask(SIG_SETMASK, &blocked, nil) }
    var silent = before
    if !isShown { silent.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL) }
    tcsetattr(terminal, TCSAFLUSH, &silent)
    defer {
      tcsetattr(terminal, TCSAFLUSH, &before)
      if !isShown { _ = DescriptorWriting.put(Array("\n".utf8), into: terminal) }
    }
    _ = DescriptorWriting.put(Array(question.utf8), into: terminal)
    return answer(on: terminal)
  }

  private static func answer(on terminal: Int32) -> Answer {
    var line: [UInt8] = []
    while true {
      var pending = sigset_t()
      sigpending(&pending)
      if sigismember(&pending, SIGINT) == 1 { return .interrupted }
      if [SIGTERM, SIGHUP, SIGQUIT].contains(where: { sigismember(&pending, $0) == 1 }) {
        return .noTerminal
      }
      var end = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      guard poll(&end, 1, slice) > 0 else { continue }
      var byte: UInt8 = 0
      let count = read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return .nothing }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
      guard line.count < longest else { return .nothing }
      line.append(byte)
    }
    return String(validating: line, as: UTF8.self).map { .text($0) } ?? .nothing
  }
}
