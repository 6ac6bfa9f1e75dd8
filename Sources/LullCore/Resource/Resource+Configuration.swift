extension Resource {
  /// The settings for GET. (CFG-08)
  public var configuration: Configuration { configuration(for: .get) }

  /// The settings that apply to requests of that method, as the service's blocks have made them.
  ///
  /// They are computed when they are first needed, and again after another `configure` and
  /// `invalidateConfiguration` (CFG-12, CFG-13). A block that throws is left out of them, and every
  /// request of that method fails with its error. Methods that have no name in `RequestMethod` have the
  /// settings of GET, and what blocks add that name them (CFG-16). Home thread only. Lua:
  /// `service:configuration_for(resource, method)`.
  public func configuration(for method: RequestMethod) -> Configuration {
    pump.checkThread()
    return resolvedConfiguration(for: method).settings
  }

  /// GET's, with what is made ready of it.
  package var resolvedConfiguration: ResolvedConfiguration { resolvedConfiguration(for: .get) }

  package func resolvedConfiguration(for method: RequestMethod) -> ResolvedConfiguration {
    owner.resolvedConfiguration(for: record, method: method)
  }
}
