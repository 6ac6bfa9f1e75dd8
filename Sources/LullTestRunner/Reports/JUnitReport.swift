import LullSystem

/// A report in JUnit format, which CI servers read. It is written after all tests.
final class JUnitReport: TestFileReport {
  private let path: String
  private let complain: (String) -> Void
  private var outcomes: [TestOutcome] = []
  /// Whether the file could not be written.
  private(set) var hasFailed = false

  init(_ path: String, _ complain: @escaping (String) -> Void) {
    self.path = path
    self.complain = complain
  }

  func ended(_ outcome: TestOutcome) { outcomes.append(outcome) }

  func finish(_ summary: TestSummary, isInterrupted: Bool) {
    let text = JUnitReport.text(of: outcomes)
    guard let problem = JUnitReport.problem(writing: text, to: path) else { return }
    hasFailed = true
    complain(problem)
  }

  static func text(of outcomes: [TestOutcome]) -> String {
    var files: [String] = []
    for outcome in outcomes where !files.contains(outcome.file) { files.append(outcome.file) }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites\(counts(outcomes))>\n"
    for file in files {
      let own = outcomes.filter { $0.file == file }
      text += "  <testsuite name=\"\(escaped(file))\"\(counts(own))>\n"
      text += own.map(testCase).joined()
      text += "  </testsuite>\n"
    }
    return text + "</testsuites>\n"
  }

  private static func counts(_ outcomes: [TestOutcome]) -> String {
    let failed = outcomes.count { $0.verdict == .failed }
    let skipped = outcomes.count { $0.verdict == .skipped }
    let seconds = outcomes.reduce(0) { $0 + $1.seconds }
    return " tests=\"\(outcomes.count)\" failures=\"\(failed)\" errors=\"0\" skipped=\"\(skipped)\""
      + " time=\"\(time(seconds))\""
  }

  private static func time(_ seconds: Double) -> String {
    let thousandths = Int((max(0, seconds) * 1000).rounded())
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  private static func testCase(_ outcome: TestOutcome) -> String {
    let head =
      "    <testcase classname=\"\(escaped(outcome.file))\" name=\"\(escaped(outcome.shownName))\""
      + " time=\"\(time(outcome.seconds))\""
    var body = ""
    switch outcome.verdict {
    case .passed: break
    case .skipped: body += "      <skipped/>\n"
    case .failed:
      body += "      <failure message=\"\(escaped(outcome.failureLine))\">"
      body += "\(escaped(outcome.failureText))</failure>\n"
    }
    let output = outcome.notes.map { "note: \($0)\n" }.joined() + outcome.output
    if !output.isEmpty { body += "      <system-out>\(escaped(output))</system-out>\n" }
    return body.isEmpty ? head + "/>\n" : "\(head)>\n\(body)    </testcase>\n"
  }

  /// Escapes a text. Characters that XML does not allow are replaced. (XML 1.0, 2.2)
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      case "\t": result += "&#9;"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
