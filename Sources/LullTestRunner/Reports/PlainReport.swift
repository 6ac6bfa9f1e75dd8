import LullSystem

/// The report for terminals. It lists tests by file, with the failures below each test.
final class PlainReport: TestReport {
  private let write: (String) -> Void
  private let isColoured: Bool
  private var file: String?

  init(isColoured: Bool, _ write: @escaping (String) -> Void) {
    self.isColoured = isColoured
    self.write = write
  }

  func ended(_ outcome: TestOutcome) {
    var text = ""
    if outcome.file != file {
      text += (file == nil ? "" : "\n") + ControlCharacters.shown(in: outcome.file) + "\n"
      file = outcome.file
    }
    let mark =
      switch outcome.verdict {
      case .passed: painted("ok     ", "32")
      case .failed: painted("FAILED ", "1;31")
      case .skipped: painted("skipped", "33")
      }
    text += "  \(mark)  \(ControlCharacters.shown(in: outcome.shownName))"
    if outcome.seconds >= 0.5 { text += "  (\(TestSummary.shown(outcome.seconds)))" }
    text += "\n"
    // A failure may contain text from a server, such as a URL or a header value, so escape control
    // characters.
    for part in outcome.failures + outcome.notes.map({ "note: " + $0 }) {
      text += PlainReport.indented(ControlCharacters.shown(in: part), by: 4)
    }
    if outcome.verdict == .failed, !outcome.output.isEmpty {
      text += "    printed:\n" + PlainReport.indented(TerminalText.visible(outcome.output), by: 6)
    }
    write(text)
  }

  func finish(_ summary: TestSummary, isInterrupted: Bool) {
    let end = isInterrupted ? "interrupted: " : ""
    let notes = summary.notes.map { "note: \(ControlCharacters.shown(in: $0))\n" }.joined()
    let coverage = summary.coverageLines.map { ControlCharacters.shown(in: $0) + "\n" }.joined()
    write(
      (file == nil ? "" : "\n") + coverage + (coverage.isEmpty ? "" : "\n") + notes + end
        + summary.text + "\n")
  }

  private func painted(_ text: String, _ code: String) -> String {
    isColoured ? TerminalText.painted(text, code) : text
  }

  static func indented(_ text: String, by count: Int) -> String {
    let space = String(repeating: " ", count: count)
    // In Swift, CR LF is a single character, which would not be split.
    var lines = text.replacing("\r\n", with: "\n").split(
      separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { $0.isEmpty ? "\n" : "\(space)\($0)\n" }.joined()
  }
}
