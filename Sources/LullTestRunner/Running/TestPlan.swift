/// The selected tests of a run, in order.
struct TestPlan {
  struct Item {
    let file: String
    let number: Int
    let test: DeclaredTest
    /// Whether the test is reported but not run.
    let isSkipped: Bool
  }

  private(set) var items: [Item] = []
  /// The index of the last item of each file.
  private var ends: [String: Int] = [:]
  /// The files of which all tests are run.
  private(set) var whole: Set<String> = []
  /// Whether all tests are selected, except tests that are declared as skipped.
  private(set) var isWhole = true
  /// The files that declare skipped tests.
  private(set) var skipping: Set<String> = []

  /// - Parameters:
  ///   - files: The test files, each with its tests.
  ///   - filter: A text that the names of the selected tests contain. `nil` selects all tests.
  init(_ files: [(file: String, tests: [DeclaredTest])], filter: String?) {
    let hasOnly = files.contains { $0.tests.contains { $0.mode == .only } }
    for (file, tests) in files {
      var (isWhole, skips) = (true, false)
      for (place, test) in tests.enumerated() {
        let fits = filter.map { test.name.contains($0) } ?? true
        guard fits, !hasOnly || test.mode == .only else {
          isWhole = false
          continue
        }
        let isSkipped = test.mode == .skip
        if isSkipped { skips = true }
        ends[file] = items.count
        items.append(Item(file: file, number: place + 1, test: test, isSkipped: isSkipped))
      }
      if skips { skipping.insert(file) }
      if isWhole, !skips { whole.insert(file) }
      if !isWhole { self.isWhole = false }
    }
  }

  /// Returns whether the item at an index is the last one of its file.
  func isLast(_ place: Int) -> Bool { ends[items[place].file] == place }
}

/// An order for a worker: list the tests of a file, run one of them, or describe an API file.
struct TestOrder: Codable {
  /// The path of the test file, as given on the command line or found in a folder.
  var file: String
  /// The number of the test to run, starting at 1. `name` is its name. `nil`: list the tests of the
  /// file.
  var number: Int?
  var name: String?
  /// Whether some tests of the run are not selected.
  var isPartial = false
  /// The API file to describe, as a name for `lull.api`. If it is set, no test is listed or run.
  var api: String?
}

/// The settings of a worker. They are passed on its command line.
package struct TestSettings: Sendable {
  /// Whether existing snapshots are replaced.
  package var isUpdating = false
  /// Whether snapshots must not be written, because the variable `CI` is set.
  package var isReadOnly = false
  /// Which requests are sent to the network and recorded.
  package var recording = RecordingMode.none
  /// The timeout of a test in seconds, by the system's clock.
  package var longest = 60.0
  /// The folder for the configuration and state files of tests. Empty for none.
  package var folder = ""

  package init() {}

  var words: [String] {
    [isUpdating ? "1" : "0", isReadOnly ? "1" : "0", recording.rawValue, "\(longest)", folder]
  }

  /// Reads the settings from a command line. `nil` if the command line is invalid.
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
