/// Which tests are run, of those that the files declare, and in which order.
struct ProofPlan {
  struct Item {
    let file: String
    let number: Int
    let test: DeclaredProof
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
  init(_ files: [(file: String, tests: [DeclaredProof])], filter: String?) {
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
