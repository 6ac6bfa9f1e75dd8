/// Which tests are run, of those that the files declare, and in which order.
struct TestPlan {
  struct Item {
    let file: String
    let number: Int
    let test: DeclaredTest
    /// Whether it is only told of.
    let isSkipped: Bool
  }

  private(set) var items: [Item] = []
  /// Where the last item of each file is.
  private var ends: [String: Int] = [:]
  /// Files of which every test is run.
  private(set) var whole: Set<String> = []
  /// Whether nothing is left out but what is to be skipped.
  private(set) var isWhole = true
  /// Files some of whose tests are skipped.
  private(set) var skipping: Set<String> = []

  /// - Parameters:
  ///   - files: each with its tests.
  ///   - filter: what names contain.
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

  /// Whether no other item of its file comes behind that one.
  func isLast(_ place: Int) -> Bool { ends[items[place].file] == place }
}

/// What a worker is to do: say which tests a file declares, or run one of them.
struct TestOrder: Codable {
  /// As it was given, or found.
  var file: String
  /// Which test, from 1 on, and what it is called; nil: say which there are.
  var number: Int?
  var name: String?
  /// Whether other tests are left out.
  var isPartial = false
  /// An API file that is to be described in place of all that; as `lull.api` is asked for it.
  var api: String?
}

/// How tests are run, as a worker is told on its command line.
package struct TestSettings: Sendable {
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
