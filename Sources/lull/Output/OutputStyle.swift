import Glibc
import LullCore
import LullSystem

/// What standard output is, and what may be written to it.
struct OutputStyle {
  let isTerminal: Bool
  let isColoured: Bool
  /// How many columns a line has.
  var width = Int.max

  static let plain = OutputStyle(isTerminal: false, isColoured: false)

  /// Colours on a terminal, unless `NO_COLOR` is set to anything, or the terminal knows none.
  static func forStandardOutput() -> OutputStyle {
    let isTerminal = isatty(STDOUT_FILENO) != 0
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let kind = getenv("TERM").map { String(cString: $0) } ?? ""
    return OutputStyle(
      isTerminal: isTerminal, isColoured: isTerminal && !isRefused && kind != "dumb",
      width: TerminalWidth.columns(of: STDOUT_FILENO) ?? .max)
  }

  func painted(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }
}
