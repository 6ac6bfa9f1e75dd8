/// How tests are run, as a worker is told on its command line.
package struct ProofSettings: Sendable {
  /// Whether snapshots are made anew.
  package var isUpdating = false
  /// Whether nothing is written, since `CI` is set.
  package var isReadOnly = false
  /// What is asked of the network, and recorded.
  package var recording = RecordingMode.none
  /// Seconds of the system's clock that one test may take.
  package var longest = 60.0
  /// Where tests have their files; empty: nowhere.
  package var folder = ""

  package init() {}

  var words: [String] {
    [isUpdating ? "1" : "0", isReadOnly ? "1" : "0", recording.rawValue, "\(longest)", folder]
  }

  /// nil of words that are none.
  package init?(words: [String]) {
    guard words.count == 5, let recording = RecordingMode(rawValue: words[2]),
      let longest = Double(words[3])
    else { return nil }
    isUpdating = words[0] == "1"
    isReadOnly = words[1] == "1"
    self.recording = recording
    self.longest = longest
    folder = words[4]
  }
}
