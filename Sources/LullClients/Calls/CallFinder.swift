package import LullCore

/// Which call of an API an exchange belongs to, by its method and URL: of those that fit the one of which
/// the most is fixed, or of equal ones the first.
package struct CallFinder: Sendable {
  private struct Route: Sendable {
    let call: String
    let method: String
    let template: RouteTemplate
  }

  /// Scheme, host and port; nil without a base URL.
  private let origin: String?
  /// Without the slash at its end.
  private let path: String
  private let routes: [Route]

  package init(_ calls: [APICall], base: ResourceURL?) {
    origin = base?.origin
    let path = base.map { CallFinder.target(of: $0.text).path } ?? ""
    self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    let routes = calls.map { [base = self.path] call in
      Route(
        call: call.name, method: call.method.rawValue,
        template: RouteTemplate(base: base, path: call.path, open: call.openPlaces))
    }
    self.routes = routes.enumerated().sorted { one, other in
      let (first, second) = (one.element.template, other.element.template)
      return first.specificity == second.specificity
        ? one.offset < other.offset
        : second.specificity.lexicographicallyPrecedes(first.specificity)
    }.map(\.element)
  }

  /// How the URLs begin that are below the base; nil without a base.
  package var prefix: String? { origin.map { $0 + path + "/" } }

  /// Whether a URL is one of the API's.
  package func contains(_ url: String) -> Bool {
    guard let origin, ResourceURL(absolute: url)?.origin == origin else { return false }
    let path = CallFinder.target(of: url).path
    return path == self.path || path.hasPrefix(self.path + "/")
  }

  /// The name of the call; nil if there is none for it.
  package func call(_ method: String, _ url: String) -> String? {
    let (path, query) = CallFinder.target(of: url)
    let parts = RouteTemplate.parts(of: path.isEmpty ? "/" : path)
    let pairs = EscapedPair.all(in: query)
    return routes.first {
      $0.method == method && $0.template.values(in: parts, pairs) != nil
    }?.call
  }

  /// What follows the host.
  package static func target(of url: String) -> (path: String, query: String) {
    let bare = url.prefix { $0 != "#" }
    let start = bare.firstRange(of: "://")?.upperBound ?? bare.startIndex
    let authority = bare[start...].prefix { !"/?".contains($0) }
    let path = bare[authority.endIndex...].prefix { $0 != "?" }
    return (String(path), String(bare[path.endIndex...].dropFirst()))
  }
}

extension APICall {
  /// The places of its path that take slashes too.
  package var openPlaces: Set<String> {
    Set(parameters.filter { $0.place == .path && $0.keepsReserved }.map(\.placeholder))
  }
}
