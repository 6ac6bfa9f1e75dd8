/// One registered block of configuration: where it applies and what it changes.
package struct ConfigurationEntry {
  /// nil: every resource.
  package let pattern: ConfigurationPattern?
  /// Upper case; nil: every method. (CFG-07)
  package let requestMethods: Set<RequestMethod>?
  /// For logs: running number plus text. (CFG-19)
  package let description: String
  /// Where it was registered, as far as anybody knows.
  package let source: SourcePlace?
  /// Whether it makes the same changes for every resource, whenever it runs.
  package let isConstant: Bool
  package let apply: ConfigurationBlock
  /// The environment of which it is the settings; nil: none.
  package internal(set) var environment: String?

  /// What makes its pattern the same one in another process; nil of a function.
  var patternText: String? { pattern.map(\.text) ?? "" }

  package func applies(to url: ResourceURL, method: RequestMethod) throws(RequestError) -> Bool {
    if let requestMethods, !method.isConfigured(by: requestMethods) { return false }
    guard let pattern else { return true }
    return try pattern.matches(url)
  }

  /// The same with a pattern below another base.
  func rebased(below base: ResourceURL?) -> ConfigurationEntry {
    guard let pattern else { return self }
    return ConfigurationEntry(
      pattern: pattern.rebased(below: base), requestMethods: requestMethods,
      description: description, source: source, isConstant: isConstant, apply: apply)
  }

  /// Makes its changes; those of its headers that stay off are put back. (CFG-02)
  ///
  /// - Parameter isOutside: whether the resource is on another origin than the service's base: there
  ///   only what names it, by a pattern, sends headers that may say whose request it is. Those with
  ///   secrets in them have origins of their own, and fail there.
  /// - Returns: the names of the headers that stay off, in lower case.
  package func apply(_ settings: inout Configuration, isOutside: Bool)
    throws(RequestError) -> [String]
  {
    guard isOutside, pattern == nil else {
      try apply(&settings)
      return []
    }
    let before = settings.headers
    try apply(&settings)
    guard settings.headers != before else { return [] }
    return settings.headers.restore(before) { !Headers.goesAnywhere($0) }
  }
}

/// Changes settings; runs when a configuration is computed, not when it is registered (CFG-13).
///
/// A block that throws is skipped, and requests of that resource fail with its error: nothing is
/// ever sent without a block that may hold its credentials.
public typealias ConfigurationBlock = (inout Configuration) throws(RequestError) -> Void
