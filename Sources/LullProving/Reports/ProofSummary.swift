import LullCore

/// How all of it went, in numbers.
struct ProofSummary {
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

  mutating func count(_ outcome: ProofOutcome) {
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
    return parts.joined(separator: ", ") + " (\(ProofSummary.shown(seconds)))"
  }

  static func shown(_ seconds: Double) -> String {
    let hundredths = Int((seconds * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
  }
}
