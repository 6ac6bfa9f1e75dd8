/// What of the requests of tests is asked in earnest, and written to their recordings.
package enum RecordingMode: String, Sendable, CaseIterable {
  /// Nothing.
  case none
  /// What has not been recorded.
  case missing
  /// All of it.
  case all
}
