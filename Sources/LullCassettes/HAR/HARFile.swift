/// A recording of exchanges: an HTTP Archive of version 1.2, as browsers and proxies write it too.
///
/// What Lull needs besides stands in members that begin with `_`, which the format leaves to programs. What
/// other programs write besides is not kept.
package struct HARFile: Sendable, Equatable {
  /// The program that has written it.
  package struct Creator: Sendable, Equatable {
    package var name: String
    package var version: String

    package init(name: String, version: String) {
      self.name = name
      self.version = version
    }
  }

  package var creator: Creator
  /// In the order in which they were sent.
  package var entries: [HAREntry]

  package init(creator: Creator, entries: [HAREntry] = []) {
    self.creator = creator
    self.entries = entries
  }
}
