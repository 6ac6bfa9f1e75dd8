import LullSystem

/// A report in the Test Anything Protocol, version 13, which `prove` reads.
final class TAPReport: TestReport {
  private let write: (String) -> Void
  private var count = 0

  init(_ write: @escaping (String) -> Void) {
    self.write = write
    write("TAP version 13\n")
  }

  func ended(_ outcome: TestOutcome) {
    count += 1
    let name = TAPReport.escaped("\(outcome.file): \(outcome.shownName)")
    let mark = outcome.verdict == .failed ? "not ok" : "ok"
    var text = "\(mark) \(count) - \(name)\(outcome.verdict == .skipped ? " # SKIP" : "")\n"
    if outcome.verdict == .failed {
      text += "  ---\n  message: |\n" + TAPReport.block(outcome.failureText)
      if !outcome.output.isEmpty { text += "  printed: |\n" + TAPReport.block(outcome.output) }
      text += "  ...\n"
    }
    for note in outcome.notes { text += "# \(TAPReport.shown(note))\n" }
    write(text)
  }

  func finish(_ summary: TestSummary, isInterrupted: Bool) {
    if isInterrupted {
      write("Bail out! interrupted\n")
    } else {
      let notes = summary.notes.map { "# note: \(TAPReport.shown($0))\n" }.joined()
      let coverage = summary.coverageLines.map { "# \(TAPReport.shown($0))\n" }.joined()
      write("1..\(count)\n\(coverage)\(notes)# \(summary.text)\n")
    }
  }

  /// Escapes a text, because a `#` would start a directive.
  private static func escaped(_ text: String) -> String {
    shown(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
      .replacing("\n", with: " ")
  }

  /// Returns a text as a YAML block. Empty lines at the end of the text are removed, because
  /// `prove` would treat an empty line as the end of the block.
  private static func block(_ text: String) -> String {
    var lines = shown(text).split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { "    \($0)\n" }.joined()
  }

  private static func shown(_ text: String) -> String { ControlCharacters.shown(in: text) }
}
