/// The tests to run, in order.
struct TestPlan {
  struct Item {
    let file: String
    let number: Int
    let test: DeclaredTest
    /// Whether the test is only reported.
    let isSkipped: Bool
  }

  private(set) var items: [Item] = []
  /// The index of the last item of each file.
  private var ends: [String: Int] = [:]
  /// Files whose tests are all run.
  private(set) var whole: Set<String> = []
  /// Whether only skipped tests are left out.
  private(set) var isWhole = true
  /// Files with skipped tests.
  private(set) var skipping: Set<String> = []

  /// - Parameters:
  ///   - files: The files and their tests.
  ///   - filter: A text that the names of selected tests contain.
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

  /// Whether this is the last item of its file.
  func isLast(_ place: Int) -> Bool { ends[items[place].file] == place }
}

/// An order for a worker: list the tests of a file, or run one of them.
struct TestOrder: Codable {
  /// The path as given or found.
  var file: String
  /// The number of the test, starting at 1, and its name. `nil`: list the tests.
  var number: Int?
  var name: String?
  /// Whether other tests are left out.
  var isPartial = false
  /// The API file to describe instead, as a name for `lull.api`.
  var api: String?
}

/// The settings of a worker, passed on its command line.
package struct TestSettings: Sendable {
  /// Whether snapshots are rewritten.
  package var isUpdating = false
  /// Whether nothing is written, because `CI` is set.
  package var isReadOnly = false
  /// The requests that are sent to the network and recorded.
  package var recording = RecordingMode.none
  /// The timeout of a test in seconds, by the system's clock.
  package var longest = 60.0
  /// The folder for the files of tests. Empty: none.
  package var folder = ""

  package init() {}

  var words: [String] {
    [isUpdating ? "1" : "0", isReadOnly ? "1" : "0", recording.rawValue, "\(longest)", folder]
  }

  /// `nil` if the words are invalid.
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
