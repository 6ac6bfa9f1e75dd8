/// Computed configurations that several resources have in common, by the blocks they are made of.
///
/// Of one version of a service's configuration at a time. Holds a few: what it no longer knows is
/// computed again, and lives as long as the resources that have it.
struct SharedConfigurations {
  private var version = 0
  private var known: [[Int]: ResolvedConfiguration] = [:]
  private static let limit = 64

  /// - Parameter blocks: the places of the blocks that apply, in order; none of them may depend on the
  ///   resource.
  subscript(blocks: [Int], version: Int) -> ResolvedConfiguration? {
    get { version == self.version ? known[blocks] : nil }
    set {
      if version != self.version || known.count >= SharedConfigurations.limit { known = [:] }
      self.version = version
      known[blocks] = newValue
    }
  }

  mutating func removeAll() { known = [:] }
}
