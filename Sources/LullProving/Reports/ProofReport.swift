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
