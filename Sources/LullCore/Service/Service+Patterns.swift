/// What takes a pattern, in whatever form it is given: see `ConfigurationPatternConvertible`.
extension Service {
  /// Registers settings for the resources that match a pattern; runs nothing now (CFG-13). Lua:
  /// `service:configure(pattern, settings)`.
  ///
  ///     api.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
  ///     api.configure("/auth/**", requestMethods: [.post]) { $0.limits.timeout = 5 }
  ///
  /// - Parameters:
  ///   - requestMethods: nil: all. Methods that have no name in `RequestMethod` use what is for GET, and what
  ///     names them. (CFG-07, CFG-16)
  ///   - description: as logs call it, in place of the pattern.
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
  public func configure(
    _ pattern: some ConfigurationPatternConvertible, requestMethods: [RequestMethod]? = nil,
    description: String? = nil, file: String = #fileID, line: Int = #line,
    configurer: @escaping ConfigurationBlock
  ) {
    let pattern: ConfigurationPattern? = pattern.configurationPattern(for: self)
    configure(
      pattern, requestMethods: requestMethods, description: description, file: file, line: line,
      configurer: configurer)
  }

  /// The same for the resources whose URL satisfies a predicate. (CFG-06) One that throws settles nothing:
  /// the block is skipped, and requests fail with its error.
  public func configure(
    whenURLMatches predicate: @escaping (ResourceURL) throws(RequestError) -> Bool,
    requestMethods: [RequestMethod]? = nil, description: String? = nil,
    file: String = #fileID, line: Int = #line, configurer: @escaping ConfigurationBlock
  ) {
    let pattern: ConfigurationPattern? = .predicate("custom", predicate)
    configure(
      pattern, requestMethods: requestMethods, description: description, file: file, line: line,
      configurer: configurer)
  }

  /// Whether a block with that description is registered.
  package func hasConfiguration(describedAs text: String) -> Bool {
    entries.contains { $0.description.hasSuffix(" (\(text))") }
  }

  /// Wipes the resources in memory that match a pattern; flushes unused ones first. (WIPE-09 to WIPE-14)
  /// A predicate that throws matches nothing: pass a `ConfigurationPattern` to hear of its error. Lua:
  /// `service:wipe_resources(pattern)`.
  public func wipeResources(matching pattern: some ConfigurationPatternConvertible) {
    let pattern = pattern.configurationPattern(for: self)
    wipeResources(matching: { (try? pattern.matches($0.url)) ?? false })
  }

  /// Wipes the resources in memory whose URL satisfies a predicate; flushes unused ones first. (WIPE-12)
  public func wipeResources(withURLsMatching predicate: (ResourceURL) -> Bool) {
    wipeResources(matching: { predicate($0.url) })
  }

  /// Invalidates the resources in memory that match a pattern, otherwise as `wipeResources(matching:)`.
  /// (INV-01 to INV-08) Lua: `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching pattern: some ConfigurationPatternConvertible) {
    let pattern = pattern.configurationPattern(for: self)
    invalidateResources(matching: { (try? pattern.matches($0.url)) ?? false })
  }
}
