import CEditline
import LullLibC
import LullCore
import LullSystem

/// The terminal of a session. This object has its own descriptor, so that the terminal can be used
/// while the standard streams are redirected.
final class Terminal {
  let descriptor: Int32

  /// Opens the terminal. Returns `nil` unless both standard input and standard output are
  /// terminals.
  init?() {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else { return nil }
    descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// The number of columns of the terminal, or 80 if it is unknown.
  var width: Int { Terminal.width(descriptor) }

  var height: Int { TerminalWidth.rows(of: descriptor) ?? 24 }

  static func width(_ descriptor: Int32) -> Int { TerminalWidth.columns(of: descriptor) ?? 80 }

  /// Whether the terminal can move its cursor.
  static var isCapable: Bool {
    guard let name = getenv("TERM").map({ String(cString: $0) }) else { return false }
    return !name.isEmpty && name != "dumb"
  }

  /// Whether colours are used on the terminal. `NO_COLOR` disables them if its value is not empty.
  /// (no-color.org)
  static var wantsColour: Bool {
    isCapable && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  func write(_ text: String) { write(Array(text.utf8)[...]) }

  func write(_ bytes: ArraySlice<UInt8>) {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { LullLibC.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
