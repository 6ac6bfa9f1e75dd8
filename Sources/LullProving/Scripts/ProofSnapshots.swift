/// The snapshots of one test: what there was, and what it comes to now.
struct ProofSnapshots {
  struct Entry: Codable, Equatable {
    var key: String
    var text: String
  }

  /// Those of its file, by key.
  let known: [String: String]
  /// Whether they are made anew.
  let isUpdating: Bool
  /// Whether the test runs where nothing is written.
  let isReadOnly: Bool
  /// Each key that the test has asked for, in order.
  private(set) var used: [String] = []
  /// What is to be written.
  private(set) var made: [Entry] = []

  init(known: [String: String], isUpdating: Bool, isReadOnly: Bool) {
    self.known = known
    self.isUpdating = isUpdating
    self.isReadOnly = isReadOnly
  }

  /// False if the test has asked for it before.
  mutating func use(_ key: String) -> Bool {
    guard !used.contains(key) else { return false }
    used.append(key)
    return true
  }

  mutating func keep(_ text: String, for key: String) { made.append(Entry(key: key, text: text)) }
}
