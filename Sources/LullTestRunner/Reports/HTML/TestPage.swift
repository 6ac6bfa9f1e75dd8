import LullCore
import LullSystem

/// Builds the HTML report: a summary, the failures, the tests by file, the coverage of API files,
/// and the notes.
struct TestPage {
  private(set) var text = ""
  private let outcomes: [TestOutcome]
  private let summary: TestSummary
  /// The duration of the slowest test.
  private let longest: Double

  /// - Parameter time: The time of the report, in seconds since 1970.
  init(
    _ outcomes: [TestOutcome], _ summary: TestSummary, isInterrupted: Bool, at time: Double
  ) {
    self.outcomes = outcomes
    self.summary = summary
    longest = outcomes.map(\.seconds).max() ?? 0
    let title = TestPage.title(summary, isInterrupted: isInterrupted)
    text = TestPage.head(title)
    writeSummary(title, isInterrupted: isInterrupted)
    text += "<main>\n"
    writeFailures()
    writeTests()
    writeCoverage()
    writeNotes()
    text += "</main>\n<footer><p>Made by Lull \(HTMLText.escaped(LullCore.Lull.version)) on "
    text += "<time>\(TestPage.date(time))</time></p></footer>\n</body>\n</html>\n"
  }

  // MARK: The head

  private static func title(_ summary: TestSummary, isInterrupted: Bool) -> String {
    let count = summary.passed + summary.failed
    let tests = count == 1 ? "test" : "tests"
    let start = isInterrupted ? "Interrupted: " : ""
    if summary.failed > 0 { return "\(start)\(summary.failed) of \(count) \(tests) failed" }
    if count == 0 { return start + "No test was run" }
    let unread = summary.unreadable > 0 ? ", but not all files could be read" : ""
    return start + (count == 1 ? "The test passed" : "All \(count) tests passed") + unread
  }

  private static func head(_ title: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
    <meta name="referrer" content="no-referrer">
    <link rel="icon" href="data:,">
    <title>\(HTMLText.escaped(title)) – lull test</title>
    <style>
    \(HTMLStyle.text)</style>
    </head>
    <body>
    <a class="skip" href="#tests">To the tests</a>

    """
  }

  private mutating func writeSummary(_ title: String, isInterrupted: Bool) {
    let kind = summary.failed > 0 || summary.unreadable > 0 ? "failed" : "passed"
    text += "<header class=\"\(kind)\">\n<p class=\"program\">lull test</p>\n"
    text += HTMLText.tag("h1", title) + "\n"
    text += "<dl>\n"
    writeNumber("passed", summary.passed, always: true)
    writeNumber("failed", summary.failed)
    writeNumber("skipped", summary.skipped)
    writeNumber("not run", summary.left)
    writeNumber("unreadable", summary.unreadable)
    writeNumber(summary.written == 1 ? "snapshot written" : "snapshots written", summary.written)
    text += "<div><dt>time</dt><dd>\(HTMLText.span(summary.seconds))</dd></div>\n</dl>\n"
    let all = Double(max(1, outcomes.count))
    let parts = [
      ("failed", summary.failed), ("skipped", summary.skipped), ("passed", summary.passed),
    ]
    text += "<div class=\"share\" aria-hidden=\"true\">"
    for (kind, count) in parts where count > 0 {
      text += "<i class=\"\(kind)\" style=\"width:\(HTMLText.percent(Double(count) / all))\"></i>"
    }
    text += "</div>\n</header>\n"
  }

  private mutating func writeNumber(_ name: String, _ count: Int, always: Bool = false) {
    guard count > 0 || always else { return }
    text +=
      "<div class=\"\(name.replacing(" ", with: "-"))\"><dt>\(name)</dt><dd>\(count)</dd></div>\n"
  }

  // MARK: Failures

  private mutating func writeFailures() {
    let failed = outcomes.indices.filter { outcomes[$0].verdict == .failed }
    guard !failed.isEmpty else { return }
    text += "<nav aria-labelledby=\"failures\">\n<h2 id=\"failures\">Failures</h2>\n<ul>\n"
    for place in failed {
      let outcome = outcomes[place]
      text += "<li><a href=\"#t\(place + 1)\">\(HTMLText.escaped(outcome.shownName))</a> "
      text += HTMLText.tag("span", "quiet", outcome.file) + "<br>"
      text +=
        HTMLText.tag("span", "line", LogText.part(outcome.failureLine, limit: 200)) + "</li>\n"
    }
    text += "</ul>\n</nav>\n"
  }

  // MARK: The tests

  private mutating func writeTests() {
    text += "<section aria-labelledby=\"tests\">\n<div class=\"bar\"><h2 id=\"tests\">Tests</h2>\n"
    if summary.failed > 0, summary.passed + summary.skipped > 0 {
      text += "<label><input type=\"checkbox\" id=\"failed-only\"> only failed tests</label>"
    }
    text += "</div>\n"
    var files: [String] = []
    var places: [String: [Int]] = [:]
    for (place, outcome) in outcomes.enumerated() {
      if places[outcome.file] == nil { files.append(outcome.file) }
      places[outcome.file, default: []].append(place)
    }
    for file in files { write(file, places[file] ?? []) }
    text += "</section>\n"
  }

  private mutating func write(_ file: String, _ places: [Int]) {
    let failed = places.count { outcomes[$0].verdict == .failed }
    let seconds = places.reduce(0) { $0 + outcomes[$1].seconds }
    text += "<section class=\"file\(failed > 0 ? " has-failed" : "")\">\n<h3>"
    text += HTMLText.breaking(file)
    text += " <span class=\"quiet\">\(places.count) \(places.count == 1 ? "test" : "tests")"
    text += "\(failed > 0 ? ", \(failed) failed" : ""), \(HTMLText.span(seconds))</span></h3>\n"
    for place in places { write(outcomes[place], place + 1) }
    text += "</section>\n"
  }

  private mutating func write(_ outcome: TestOutcome, _ number: Int) {
    let (kind, mark) =
      switch outcome.verdict {
      case .passed: ("passed", "✓")
      case .failed: ("failed", "✗")
      case .skipped: ("skipped", "–")
      }
    var line = "<span class=\"sign\" aria-hidden=\"true\">\(mark)</span>"
    line += "<span class=\"name\"><span class=\"unseen\">\(kind): </span>"
    line += "\(HTMLText.escaped(outcome.shownName))</span>"
    line += time(of: outcome)
    let details = self.details(of: outcome)
    if details.isEmpty {
      text += "<div class=\"test \(kind)\" id=\"t\(number)\">\(line)</div>\n"
    } else {
      let open = outcome.verdict == .failed ? " open" : ""
      text +=
        "<details class=\"test \(kind)\" id=\"t\(number)\"\(open)>\n<summary>\(line)</summary>\n"
      text += "<div class=\"details\">\n\(details)</div>\n</details>\n"
    }
  }

  private func time(of outcome: TestOutcome) -> String {
    guard outcome.verdict != .skipped else { return "" }
    let share = longest > 0 ? outcome.seconds / longest : 0
    var text = "<span class=\"time\">"
    if outcome.heldSeconds > 0 {
      text += "<span class=\"held\">test time \(HTMLText.span(outcome.heldSeconds))</span> "
    }
    text +=
      "<span class=\"length\" aria-hidden=\"true\"><i style=\"width:\(HTMLText.percent(share))\">"
    return text + "</i></span> <b>\(HTMLText.span(outcome.seconds))</b></span>"
  }

  private func details(of outcome: TestOutcome) -> String {
    var text = outcome.failures.map { HTMLFailure.text($0) }.joined()
    for note in outcome.notes { text += HTMLText.tag("p", "note", "Note: " + note) + "\n" }
    text += HTMLWaterfall.text(outcome.exchanges, more: outcome.moreExchanges)
    if !outcome.output.isEmpty {
      text += "<h4>Printed</h4>\n<pre class=\"printed\" tabindex=\"0\">"
      text += HTMLText.escaped(HTMLText.bounded(outcome.output)) + "</pre>\n"
    }
    return text
  }

  // MARK: Coverage and notes

  private mutating func writeCoverage() {
    guard !summary.coverage.isEmpty else { return }
    text += "<section aria-labelledby=\"coverage\">\n<h2 id=\"coverage\">Coverage</h2>\n"
    for coverage in summary.coverage {
      text += "<div class=\"table\" tabindex=\"0\" role=\"region\" aria-label=\"coverage of "
      text += "\(HTMLText.escaped(coverage.api.shownName))\">\n<table>\n<caption>"
      text +=
        HTMLText.escaped(coverage.heading(isPartial: summary.isPartial)) + "</caption>\n<thead><tr>"
      for name in ["call", "requests", "statuses", "parameters used", "not used"] {
        text += "<th scope=\"col\">\(name)</th>"
      }
      text += "</tr></thead>\n<tbody>\n"
      for row in coverage.rows {
        text += "<tr\(row.count == 0 ? " class=\"unused\"" : "")><th scope=\"row\">"
        text +=
          HTMLText.escaped(row.name)
          + "</th><td>\(row.count == 0 ? "none" : String(row.count))</td>"
        for cell in [row.statuses, row.used, row.missing] { text += HTMLText.tag("td", cell) }
        text += "</tr>\n"
      }
      text += "</tbody>\n</table>\n</div>\n"
    }
    text += "</section>\n"
  }

  private mutating func writeNotes() {
    guard !summary.notes.isEmpty else { return }
    text += "<section aria-labelledby=\"notes\">\n<h2 id=\"notes\">Notes</h2>\n<ul>\n"
    for note in summary.notes { text += HTMLText.tag("li", note) + "\n" }
    text += "</ul>\n</section>\n"
  }

  /// Returns the date and time in UTC.
  private static func date(_ time: Double) -> String {
    // The text has the form 2024-05-01T10:11:12Z.
    let text = ISODate.text(of: time.rounded(.down))
    return text.prefix(16).replacing("T", with: " ") + " UTC"
  }
}

/// The HTML report: a single page that needs no network and no scripts. It is written after all
/// tests, and shows the failures, and the exchanges and output of each test.
final class HTMLReport: TestFileReport {
  private let path: String
  private let complain: (String) -> Void
  private var outcomes: [TestOutcome] = []
  private(set) var hasFailed = false

  init(_ path: String, _ complain: @escaping (String) -> Void) {
    self.path = path
    self.complain = complain
  }

  func ended(_ outcome: TestOutcome) { outcomes.append(outcome) }

  func finish(_ summary: TestSummary, isInterrupted: Bool) {
    let page = TestPage(outcomes, summary, isInterrupted: isInterrupted, at: SystemClock.now)
    guard let problem = HTMLReport.problem(writing: page.text, to: path) else { return }
    hasFailed = true
    complain(problem)
  }
}
