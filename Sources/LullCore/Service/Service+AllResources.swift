extension Service {
  /// Wipes the resources in memory that satisfy a predicate, or all of them; flushes unused ones first.
  /// (WIPE-09 to WIPE-14) Lua: `service:wipe_resources(pattern)`.
  public func wipeResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    for resource in resources() where predicate(resource) { resource.wipe() }
  }

  /// Wipes the matching resources in memory; throws what the pattern's predicate throws, having wiped
  /// nothing.
  public func wipeResources(matching pattern: ConfigurationPattern) throws(RequestError) {
    for resource in try resources(matching: pattern) { resource.wipe() }
  }

  /// Invalidates the resources in memory that satisfy a predicate, or all of them. (INV-01 to INV-08)
  /// Lua: `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    for resource in resources() where predicate(resource) { resource.invalidate() }
  }

  /// Invalidates the matching resources in memory; throws what the pattern's predicate throws, having
  /// invalidated nothing.
  public func invalidateResources(matching pattern: ConfigurationPattern) throws(RequestError) {
    for resource in try resources(matching: pattern) { resource.invalidate() }
  }

  private func resources(matching pattern: ConfigurationPattern) throws(RequestError) -> [Resource]
  {
    var matching: [Resource] = []
    for resource in resources() where try pattern.matches(resource.url) {
      matching.append(resource)
    }
    return matching
  }

  /// Those that survive a flush, in order of last use. (WIPE-14)
  private func resources() -> [Resource] {
    flushUnusedResources()
    return table.all.map { resource(of: $0) }
  }
}
