import LullSystem

/// What of the recordings no test has asked for: of one that several tests use, what none of them has.
struct CassetteLedger {
  /// By what links lead to.
  private var uses: [String: CassetteUse] = [:]
  private var order: [String] = []

  mutating func note(_ uses: [CassetteUse]) {
    for use in uses {
      let key = FileName.resolved(use.path) ?? use.path
      guard let known = self.uses[key] else {
        self.uses[key] = use
        order.append(key)
        continue
      }
      let numbers = Set(use.left.map(\.number))
      self.uses[key]?.left = known.left.filter { numbers.contains($0.number) }
    }
  }

  /// Each recording of which something is left, and a sentence about that.
  var unplayed: [(path: String, text: String)] {
    order.compactMap { key in
      guard let use = uses[key], !use.left.isEmpty else { return nil }
      let shown = use.left.prefix(CassetteLedger.most).map { "number \($0.number), \($0.request)" }
      let more = use.left.count - shown.count
      return (
        use.path,
        "no test asks for \(use.left.count) of \(use.count) recordings in \(use.path): "
          + shown.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
      )
    }
  }

  /// So many are named.
  private static let most = 5
}
