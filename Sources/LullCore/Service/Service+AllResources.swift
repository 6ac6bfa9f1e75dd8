extension Service {
  /// Wipes the resources in memory that satisfy a predicate, or all of them; flushes unused ones first.
  /// (WIPE-09 to WIPE-14) Lua: `service:wipe_resources(pattern)`.
  public func wipeResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    flushUnusedResources()
    for resource in resources() where predicate(resource) { resource.wipe() }
  }

  /// Wipes the matching resources in memory; throws what the pattern's predicate throws, having wiped
  /// nothing.
  public func wipeResources(matching pattern: ConfigurationPattern) throws(RequestError) {
    flushUnusedResources()
    for resource in try resources(matching: pattern) { resource.wipe() }
  }

  /// Invalidates the resources in memory that satisfy a predicate, or all of them, in caches too; then flushes
  /// unused ones. (INV-01 to INV-59) Lua: `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    for resource in resources() where predicate(resource) { resource.invalidate() }
    flushUnusedResources()
  }

  /// Invalidates the matching resources in memory; throws what the pattern's predicate throws, having
  /// invalidated nothing.
  public func invalidateResources(matching pattern: ConfigurationPattern) throws(RequestError) {
    for resource in try resources(matching: pattern) { resource.invalidate() }
    flushUnusedResources()
  }

  private func resources(matching pattern: ConfigurationPattern) throws(RequestError) -> [Resource]
  {
    var matching: [Resource] = []
    for resource in resources() where try pattern.matches(resource.url) {
      matching.append(resource)
    }
    return matching
  }

  /// Those in memory, in order of last use: after a flush, those that survived it. (WIPE-14)
  private func resources() -> [Resource] { table.all.map { resource(of: $0) } }
}

extension Service {
  /// How many resources stay in memory; lowering it evicts at once. With less than 0, requests fail unsent. (SVC-31,
  /// SVC-32, SWF-56)
  public var cachedResourceCountLimit: Int {
    get {
      checkThreadInUse()
      return table.countLimit
    }
    set {
      checkThreadInUse()
      let problem = table.settingProblem
      table.countLimit = newValue
      if table.settingProblem != problem { invalidateConfiguration() }
    }
  }

  /// How many bytes of content resources that nobody uses may hold together. With less than 0, requests fail unsent.
  /// (SVC-31, SWF-56)
  public var cachedResourceByteLimit: Int {
    get {
      checkThreadInUse()
      return table.byteLimit
    }
    set {
      checkThreadInUse()
      let problem = table.settingProblem
      table.byteLimit = newValue
      if table.settingProblem != problem { invalidateConfiguration() }
    }
  }
}
