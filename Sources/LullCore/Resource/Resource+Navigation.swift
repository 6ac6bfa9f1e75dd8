/// From one resource to others of the same service. Nothing is loaded and no configuration runs on
/// the way (SVC-34); the same URL is always the same resource (SVC-25).
extension Resource {
  /// The resource one path below this one: one joining slash, dot segments literal, everything that is
  /// no path character escaped, the query kept. (PATH-01 to PATH-08) Lua: `resource:child(path)`.
  public func child(_ path: String) -> Resource {
    if let secretURL = record.secretURL { return derived(secretURL) { $0.child(path) } }
    return service.resource(at: url.child(path))
  }

  /// What an `href` means on a page at this URL; an invalid resource, whose requests fail, if it
  /// cannot be resolved. (PATH-09 to PATH-18) Lua: `resource:relative(href)`.
  public func relative(_ href: String) -> Resource {
    // Whatever it means, the old query is no part of it. (PATH-16)
    let base = record.secretURL?.escaped ?? url
    guard let url = base.relative(href) else { return service.resource(absoluteURL: href) }
    return linked(url)
  }

  /// The same for an `href` that may be missing: nil gives nil. (PATH-19)
  /// Lua: `resource:optional_relative(href)`.
  public func optionalRelative(_ href: String?) -> Resource? {
    href.map { relative($0) }
  }

  /// The resource with a query parameter set, or removed by nil; all parameters sorted by name, an
  /// empty value written as the bare name. (PATH-20 to PATH-25, PATH-28 to PATH-30)
  /// Lua: `resource:with_param(name, value)`.
  public func withParam(_ name: String, _ value: String?) -> Resource {
    withParams([(name, value)])
  }

  /// The resource with several query parameters set, or removed by nil. (PATH-26, PATH-27)
  /// Lua: `resource:with_params{ name = value }`.
  public func withParams(_ params: [String: String?]) -> Resource {
    withParams(params.map { ($0.key, $0.value) })
  }

  /// The same in order: of a name given twice the last counts.
  package func withParams(_ changes: [(String, String?)]) -> Resource {
    guard record.secretURL == nil else {
      return withParams(changes.map { ($0.0, $0.1.map { ParameterValue.text($0) }) })
    }
    return service.resource(at: url.withParams(changes))
  }
}
