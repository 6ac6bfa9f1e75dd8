extension Service {
  /// Makes it that of an environment. Before its first resource, since that has a URL below the base.
  ///
  /// - Parameters:
  ///   - url: the base from now on, below which patterns are that were registered before; nil: as it is.
  ///   - place: where the environment is declared.
  ///   - basePlace: where its base URL is.
  /// - Returns: whether it could be done.
  package func enter(
    _ environment: ServiceEnvironment, baseURL url: String?, place: SourcePlace? = nil,
    basePlace: SourcePlace? = nil
  ) -> Bool {
    if let url, !rebase(to: url) { return false }
    self.environment = environment
    environmentPlaces = (place, basePlace)
    invalidateConfiguration()
    return true
  }

  /// Moves the service to another base URL; its URL patterns move with it.
  ///
  /// - Returns: whether it could be done: not after a resource has been made.
  package func rebase(to url: String) -> Bool {
    guard !isInUse else { return false }
    base = ServiceBase(url)
    entries = entries.map { $0.rebased(below: base.url) }
    invalidateConfiguration()
    return true
  }

  /// Registers the settings of its environment, which are laid over those that there are.
  package func configure(
    for environment: ServiceEnvironment, configurer: @escaping ConfigurationBlock
  ) {
    register(
      nil, requestMethods: nil, description: "environment \(environment.name)",
      source: environmentPlaces.whole, isConstant: true, configurer: configurer)
    entries[entries.count - 1].environment = environment.name
    invalidateConfiguration()
  }
}
