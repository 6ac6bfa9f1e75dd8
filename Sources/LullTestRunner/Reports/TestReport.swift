import LullCore
import LullSystem

/// Reports tests while they run.
protocol TestReport: AnyObject {
  func ended(_ outcome: TestOutcome)
  /// Called after all tests.
  ///
  /// - Parameter isInterrupted: Whether the run was interrupted.
  func finish(_ summary: TestSummary, isInterrupted: Bool)
}

/// A report that is written to a file after all tests.
protocol TestFileReport: TestReport {
  /// Whether the file could not be written.
  var hasFailed: Bool { get }
}

extension TestFileReport {
  /// Writes a text to a file. Returns an error message if that fails, otherwise `nil`.
  static func problem(writing text: String, to path: String) -> String? {
    AtomicFile.write(Array(text.utf8), to: Array(path.utf8), .usual).map {
      "lull: cannot write '\(path)': \(ErrorText.of($0))\n"
    }
  }
}

/// The result of a test, or of a file that could not be run.
struct TestOutcome {
  enum Verdict {
    case passed
    case failed
    case skipped
  }

  let file: String
  /// The name of the test. `nil` if the result is about the file itself.
  let name: String?
  let verdict: Verdict
  var failures: [String] = []
  var notes: [String] = []
  var seconds = 0.0
  /// The duration in seconds by the test's clock.
  var heldSeconds = 0.0
  /// The output of the test.
  var output = ""
  /// The first exchanges of the test. `moreExchanges` is the number of exchanges that are not
  /// included.
  var exchanges: [ShownExchange] = []
  var moreExchanges = 0

  /// All failures in one text.
  var failureText: String { failures.joined(separator: "\n") }

  /// The first line of the first failure.
  var failureLine: String {
    let line = failures.first.map { String($0.prefix { $0 != "\n" }) } ?? ""
    return line.hasPrefix("lull: ") ? String(line.dropFirst(6)) : line
  }

  var shownName: String { name ?? "(the file)" }
}

/// The summary of a test run.
struct TestSummary {
  var passed = 0
  var failed = 0
  var skipped = 0
  /// The number of tests that were not run because the run was interrupted.
  var left = 0
  var written = 0
  /// The number of files that can't be read or compiled.
  var unreadable = 0
  var seconds = 0.0
  /// Notes about the whole run.
  var notes: [String] = []
  /// The coverage of the API files for which it was requested.
  var coverage: [APICoverage] = []
  /// Whether some tests were not selected, so that they were not run.
  var isPartial = false

  var coverageLines: [String] { coverage.flatMap { $0.lines(isPartial: isPartial) } }

  mutating func count(_ outcome: TestOutcome) {
    switch outcome.verdict {
    case .passed: passed += 1
    case .failed: failed += 1
    case .skipped: skipped += 1
    }
  }

  var text: String {
    var parts = ["\(passed) passed"]
    if failed > 0 { parts.append("\(failed) failed") }
    if skipped > 0 { parts.append("\(skipped) skipped") }
    if left > 0 { parts.append("\(left) not run") }
    if unreadable > 0 { parts.append("\(unreadable) unreadable") }
    if written > 0 { parts.append("\(written) \(written == 1 ? "snapshot" : "snapshots") written") }
    return parts.joined(separator: ", ") + " (\(TestSummary.shown(seconds)))"
  }

  static func shown(_ seconds: Double) -> String {
    let hundredths = Int((seconds * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
  }
}
