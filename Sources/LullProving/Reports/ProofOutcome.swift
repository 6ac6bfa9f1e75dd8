/// What came of a test, or of a file that could not be run as it is.
struct ProofOutcome {
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
