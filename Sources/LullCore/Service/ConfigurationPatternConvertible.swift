/// What says which resources are meant, in `configure`, `configureTransformer`, `wipeResources` and
/// `invalidateResources`: a string with wildcards, a resource, a regular expression, or a type of the
/// program's own. Home thread only.
///
///     api.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
///     api.configure(/\/users\/[0-9]+$/) { $0.expirationTime = 300 }
public protocol ConfigurationPatternConvertible {
  /// The pattern for resources of that service. Asked for once, when something is registered.
  func configurationPattern(for service: Service) -> ConfigurationPattern
}

/// Wildcards, resolved against the base URL unless the string begins with a scheme. (PAT-01 to PAT-18)
extension String: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern {
    .wildcard(self, base: service.baseURL)
  }
}

/// That resource only, of which nothing but the URL is kept. (CFG-05)
extension Resource: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern { .url(url) }
}

/// To be found anywhere in the full URL text. (PAT-19 to PAT-21) Logs call it `regex`, since nothing tells
/// what a literal was: give a `description`.
extension Regex: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern {
    .regex(Regex<AnyRegexOutput>(self), source: "regex")
  }
}

extension ConfigurationPattern: ConfigurationPatternConvertible {
  public func configurationPattern(for service: Service) -> ConfigurationPattern { self }
}
