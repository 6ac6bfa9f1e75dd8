extension Resource {
  /// The service it belongs to. Lua: `resource.service`.
  public var service: Service {
    guard let service = owner as? Service else {
      preconditionFailure("a resource is made by a service")
    }
    return service
  }
}
