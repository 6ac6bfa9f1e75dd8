package import LullCore

/// Which of the calls of an API a request is for, whoever has made it.
///
/// Of several whose method and path fit, the one of which the most is fixed counts, and of those the first.
package struct CallRoutes {
  private struct Route {
    let call: Int
    let template: RouteTemplate
    let origin: String?
  }

  private struct Key: Hashable {
    let method: String
    let parts: Int
  }

  private var routes: [Key: [Route]] = [:]

  /// - Parameter calls: methods and paths as the API file has them, in its order.
  package init(_ calls: [(method: RequestMethod, path: String)], base: ResourceURL?) {
    let address = base.map { CallRoutes.parts(of: $0.text) }
    for (place, call) in calls.enumerated() {
      let own = call.path.contains("://") ? CallRoutes.parts(of: call.path) : nil
      let template = RouteTemplate(base: own == nil ? address?.base ?? "" : "", path: call.path)
      let path = template.text.prefix { $0 != "?" }
      let key = Key(method: call.method.rawValue, parts: RouteTemplate.parts(of: path).count)
      routes[key, default: []].append(
        Route(call: place, template: template, origin: (own ?? address)?.origin))
    }
    for key in routes.keys {
      routes[key]?.sort { one, other in
        let specificity = (one.template.specificity, other.template.specificity)
        return specificity.0 == specificity.1
          ? one.call < other.call : specificity.1.lexicographicallyPrecedes(specificity.0)
      }
    }
  }

  /// The place of the call; nil: none fits.
  package func call(_ method: RequestMethod, _ url: String) -> Int? {
    let (origin, _, target) = CallRoutes.parts(of: url)
    let path = target.prefix { $0 != "?" }
    let query = EscapedPair.all(in: target[path.endIndex...].dropFirst())
    let parts = RouteTemplate.parts(of: path)
    return routes[Key(method: method.rawValue, parts: parts.count)]?.first { route in
      (route.origin == nil || route.origin == origin)
        && route.template.values(in: parts, query) != nil
    }?.call
  }

  /// Scheme, host and port; the path without the slash at its end; and path and query.
  private static func parts(of url: String) -> (origin: String, base: String, target: String) {
    guard let mark = url.firstRange(of: "://") else { return ("", "", url) }
    let rest = url[mark.upperBound...].prefix { $0 != "#" }
    let authority = rest.prefix { !"/?".contains($0) }
    let target = rest[authority.endIndex...]
    let path = target.prefix { $0 != "?" }
    return (
      String(url[..<authority.endIndex]).lowercased(),
      String(path.hasSuffix("/") ? path.dropLast() : path),
      target.hasPrefix("/") ? String(target) : "/" + target
    )
  }
}
