/// The words that take a pattern, with the pattern as a string: wildcards, resolved against the base
/// URL unless they begin with a scheme. (PAT-01 to PAT-18)
extension Service {
  /// Registers settings for the resources that match a wildcard pattern; runs nothing now (CFG-13).
  /// Lua: `service:configure(pattern, settings)`.
  ///
  ///     api.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
  public func configure(
    _ pattern: String, methods: Set<String>? = nil, description: String? = nil,
    _ apply: @escaping ConfigurationBlock
  ) {
    configure(
      .wildcard(pattern, base: baseURL), methods: methods, description: description, apply)
  }

  /// Registers settings for one resource, of which only the URL is kept. (CFG-05)
  public func configure(
    _ resource: Resource, methods: Set<String>? = nil, description: String? = nil,
    _ apply: @escaping ConfigurationBlock
  ) {
    configure(.url(resource.url), methods: methods, description: description, apply)
  }

  /// Wipes the resources in memory that match a wildcard pattern; flushes unused ones first. (WIPE-09
  /// to WIPE-14) Lua: `service:wipe_resources(pattern)`.
  public func wipeResources(matching pattern: String) {
    let pattern = WildcardPattern(pattern, base: baseURL)
    wipeResources(where: { pattern.matches($0.url) })
  }

  /// Invalidates the resources in memory that match a wildcard pattern. (INV-01 to INV-08)
  /// Lua: `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching pattern: String) {
    let pattern = WildcardPattern(pattern, base: baseURL)
    // A pattern of ours that cannot throw.
    let matching = ConfigurationPattern.predicate { (url) throws(RequestError) in
      pattern.matches(url)
    }
    try? invalidateResources(matching: matching)
  }
}
