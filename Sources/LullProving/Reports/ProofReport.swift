import LullSystem

/// Who tells of tests while they are run.
protocol ProofReport: AnyObject {
  func ended(_ outcome: ProofOutcome)
  /// All of it has come to its end.
  ///
  /// - Parameter isInterrupted: whether somebody has ended it.
  func finish(_ summary: ProofSummary, isInterrupted: Bool)
}

/// One that writes a file when all has ended.
protocol ProofFileReport: ProofReport {
  /// Whether the file could not be written.
  var hasFailed: Bool { get }
}

extension ProofFileReport {
  /// Writes it whole; what is to be complained of, if that cannot be.
  static func problem(writing text: String, to path: String) -> String? {
    AtomicFile.write(Array(text.utf8), to: Array(path.utf8), .usual).map {
      "lull: cannot write '\(path)': \(ErrorText.of($0))\n"
    }
  }
}
