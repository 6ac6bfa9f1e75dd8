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
  /// Files of which every test is run.
  private(set) var whole: Set<String> = []
  /// Whether nothing is left out at all.
  private(set) var isWhole = true

  /// - Parameters:
  ///   - files: each with its tests.
  ///   - filter: what names contain.
  init(_ files: [(file: String, tests: [DeclaredProof])], filter: String?) {
    let hasOnly = files.contains { $0.tests.contains { $0.mode == .only } }
    for (file, tests) in files {
      var isWhole = true
      for (place, test) in tests.enumerated() {
        let fits = filter.map { test.name.contains($0) } ?? true
        guard fits, !hasOnly || test.mode == .only else {
          isWhole = false
          continue
        }
        let isSkipped = test.mode == .skip
        if isSkipped { isWhole = false }
        items.append(Item(file: file, number: place + 1, test: test, isSkipped: isSkipped))
      }
      if isWhole { whole.insert(file) } else { self.isWhole = false }
    }
  }
}
