import LullLibC
import LullCore
import LullSystem

/// Colours of reports, where there is somebody to see them.
struct ReportStyle {
  let isColoured: Bool

  static let plain = ReportStyle(isColoured: false)

  /// On a terminal, unless `NO_COLOR` is set to anything, or the terminal knows no colours.
  static func forStandardError() -> ReportStyle {
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let terminal = getenv("TERM").map { String(cString: $0) } ?? ""
    return ReportStyle(
      isColoured: StandardTerminals.showsErrors && !isRefused && terminal != "dumb")
  }

  func error(_ text: String) -> String { coloured(text, "1;31") }
  func strong(_ text: String) -> String { coloured(text, "1") }
  func dim(_ text: String) -> String { coloured(text, "2") }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }
}
