import LullLibC
import LullCore
import LullSystem

/// What standard output is, and what may be written to it.
struct OutputStyle {
  let isTerminal: Bool
  let isColoured: Bool
  /// How many columns a line has.
  var width = Int.max

  static let plain = OutputStyle()

  private init() {
    isTerminal = false
    isColoured = false
  }

  static func forStandardOutput() -> OutputStyle { OutputStyle(of: STDOUT_FILENO) }
  static func forStandardError() -> OutputStyle { OutputStyle(of: STDERR_FILENO) }

  /// Colours on a terminal, unless `NO_COLOR` is set to anything, or the terminal knows none.
  private init(of descriptor: Int32) {
    isTerminal = isatty(descriptor) != 0
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let kind = getenv("TERM").map { String(cString: $0) } ?? ""
    isColoured = isTerminal && !isRefused && kind != "dumb"
    width = TerminalWidth.columns(of: descriptor) ?? .max
  }

  func painted(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }
}
