/// Computed configurations that several resources have in common, by the blocks they are made of.
///
/// Of one version of a service's configuration at a time. Holds a few: what it no longer knows is
/// computed again, and lives as long as the resources that have it.
struct SharedConfigurations {
  private struct Key: Hashable {
    let blocks: [Int]
    let isOutside: Bool
  }

  private var version = 0
  private var known: [Key: ResolvedConfiguration] = [:]
  private static let limit = 64

  /// - Parameters:
  ///   - blocks: the places of the blocks that apply, in order; none of them may depend on the resource.
  ///   - isOutside: whether the resources are on another origin than the base.
  subscript(blocks: [Int], isOutside: Bool, version: Int) -> ResolvedConfiguration? {
    get { version == self.version ? known[Key(blocks: blocks, isOutside: isOutside)] : nil }
    set {
      if version != self.version || known.count >= SharedConfigurations.limit { known = [:] }
      self.version = version
      known[Key(blocks: blocks, isOutside: isOutside)] = newValue
    }
  }

  mutating func removeAll() { known = [:] }
}
