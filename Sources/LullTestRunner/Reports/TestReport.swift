import LullCore
import LullSystem

/// Who tells of tests while they are run.
protocol TestReport: AnyObject {
  func ended(_ outcome: TestOutcome)
  /// All of it has come to its end.
  ///
  /// - Parameter isInterrupted: whether somebody has ended it.
  func finish(_ summary: TestSummary, isInterrupted: Bool)
}

/// One that writes a file when all has ended.
protocol TestFileReport: TestReport {
  /// Whether the file could not be written.
  var hasFailed: Bool { get }
}

extension TestFileReport {
  /// Writes it whole; what is to be complained of, if that cannot be.
  static func problem(writing text: String, to path: String) -> String? {
    AtomicFile.write(Array(text.utf8), to: Array(path.utf8), .usual).map {
      "lull: cannot write '\(path)': \(ErrorText.of($0))\n"
    }
  }
}

/// What came of a test, or of a file that could not be run as it is.
struct TestOutcome {
  enum Verdict {
    case passed
    case failed
    case skipped
  }

  let file: String
  /// nil: of the file itself.
  let name: String?
  let verdict: Verdict
  var failures: [String] = []
  var notes: [String] = []
  var seconds = 0.0
  /// By the test's clock.
  var heldSeconds = 0.0
  /// What was printed.
  var output = ""
  /// What was sent, up to a number, and how many there were besides.
  var exchanges: [ShownExchange] = []
  var moreExchanges = 0

  /// All that is wrong, as one text.
  var failureText: String { failures.joined(separator: "\n") }

  /// What is wrong, in one line.
  var failureLine: String {
    let line = failures.first.map { String($0.prefix { $0 != "\n" }) } ?? ""
    return line.hasPrefix("lull: ") ? String(line.dropFirst(6)) : line
  }

  var shownName: String { name ?? "(the file)" }
}

/// How all of it went, in numbers.
struct TestSummary {
  var passed = 0
  var failed = 0
  var skipped = 0
  /// Tests that were not run, since somebody has ended all of it.
  var left = 0
  var written = 0
  /// Files of tests that cannot be read or compiled, and others that cannot be read.
  var unreadable = 0
  var seconds = 0.0
  /// What is to be told of all of it.
  var notes: [String] = []
  /// What was asked for of API files.
  var coverage: [APICoverage] = []
  /// Whether tests were left out.
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
