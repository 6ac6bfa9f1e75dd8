/// From one resource to others of the same service. Nothing is loaded and no configuration runs on
/// the way (SVC-34); the same URL is always the same resource (SVC-25). From an invalid resource every
/// way leads to one with the same cause (PATH-31).
extension Resource {
  /// The resource one path below this one: one joining slash, dot segments literal, everything that is
  /// no path character escaped, the query kept. (PATH-01 to PATH-08) Lua: `resource:child(path)`.
  public func child(_ path: String) -> Resource {
    var path = path
    return path.withUTF8 { child(pathBytes: $0) }
  }

  /// The same for a path that need not be UTF-8. (SVC-41)
  package func child(pathBytes path: UnsafeBufferPointer<UInt8>) -> Resource {
    guard record.invalidSource == nil else { return self }
    if let secretURL = record.secretURL {
      return derived(secretURL) { $0.appending(pathBytes: path) }
    }
    return owner.resource(at: url.appending(pathBytes: path))
  }

  /// What an `href` means on a page at this URL; an invalid resource, whose requests fail, if it
  /// cannot be resolved. (PATH-09 to PATH-18) Lua: `resource:relative(href)`.
  public func relative(_ href: String) -> Resource {
    var href = href
    return href.withUTF8 { relative(hrefBytes: $0) }
  }

  /// The same for what need not be UTF-8. (SVC-41)
  package func relative(hrefBytes href: UnsafeBufferPointer<UInt8>) -> Resource {
    guard record.invalidSource == nil else { return self }
    let base = record.secretURL?.escaped ?? url
    guard let target = base.relative(hrefBytes: href) else {
      return owner.invalidResource(.unparsable(ResourceURL.text(ofBytes: href)))
    }
    if let secretURL = record.secretURL, target.hasSameQuery(as: base) {
      // It is all there, secrets and their places. (PATH-16)
      return derived(secretURL) { _ in target }
    }
    return linked(target)
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
    withParams(raw: changes.map { ($0.0.utf8, $0.1?.utf8) })
  }

  /// The same of texts that need not be UTF-8. (SVC-41)
  package func withParams<Bytes: Collection<UInt8>>(raw changes: [(Bytes, Bytes?)]) -> Resource {
    guard record.invalidSource == nil else { return self }
    guard let secretURL = record.secretURL else {
      return owner.resource(at: url.withParams(raw: changes))
    }
    var secrets = secretURL.values
    for (name, _) in changes {
      for known in secrets.keys where known.utf8.elementsEqual(name) { secrets[known] = nil }
    }
    return owner.resource(escaped: secretURL.escaped.withParams(raw: changes), secrets: secrets)
  }
}
