package import LullCore

/// Finds the call of an API that a request belongs to, by the method and the URL.
///
/// If several calls match, the call with the most fixed path segments is chosen. If several calls
/// have the same number of fixed segments, the first of them is chosen.
package struct CallRoutes: Sendable {
  /// A call as declared in the API file.
  package struct Call {
    let method: RequestMethod
    let path: String
    /// The placeholders of the call's path that may contain slashes.
    let openPlaces: Set<String>
    /// The operation of a GraphQL call. Such calls have the same method and path.
    let operation: GraphQLRequestKey?

    package init(
      _ method: RequestMethod, _ path: String, openPlaces: Set<String>,
      operation: GraphQLRequestKey? = nil
    ) {
      self.method = method
      self.path = path
      self.openPlaces = openPlaces
      self.operation = operation
    }

    package init(_ call: APICall) {
      self.init(
        call.method, call.path, openPlaces: call.openPlaces,
        operation: call.graphQL.map { GraphQLRequestKey($0) })
    }
  }

  private struct Route: Sendable {
    let call: Int
    let template: RouteTemplate
    let origin: String?
    let operation: GraphQLRequestKey?
  }

  /// The key for routes with a certain method and number of path segments. If the number is nil,
  /// the routes match any number of segments.
  private struct Key: Hashable, Sendable {
    let method: String
    let parts: Int?
  }

  /// The routes, sorted by the number of their fixed path segments, with the largest number first.
  private let routes: [Route]
  private var places: [Key: [Int]] = [:]
  /// The number of GraphQL calls.
  private let graphQLCount: Int
  /// The scheme, host and port of the base URL; nil without one.
  private let origin: String?
  /// The path of the base URL without its trailing slash.
  private let path: String

  /// - Parameter calls: The calls in file order.
  package init(_ calls: [Call], base: ResourceURL?) {
    origin = base?.origin
    let path = base.map { CallRoutes.target(of: $0.text).path } ?? ""
    self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    let routes = calls.enumerated().map { [origin, path = self.path] place, call in
      let own = CallRoutes.origin(ofPath: call.path)
      let template = RouteTemplate(
        base: own == nil ? path : "", path: call.path, open: call.openPlaces)
      return (
        specificity: template.specificity,
        route: Route(
          call: place, template: template, origin: own ?? origin, operation: call.operation)
      )
    }
    graphQLCount = calls.count { $0.operation != nil }
    self.routes = routes.sorted { one, other in
      one.specificity == other.specificity
        ? one.route.call < other.route.call
        : other.specificity.lexicographicallyPrecedes(one.specificity)
    }.map(\.route)
    for (place, route) in self.routes.enumerated() {
      let call = calls[route.call]
      let parts = call.openPlaces.isEmpty ? route.template.partCount : nil
      places[Key(method: call.method.rawValue, parts: parts), default: []].append(place)
    }
  }

  /// Returns the index of the call that a request belongs to. nil if no call matches.
  ///
  /// A POST request can belong to a call with the method QUERY, because a query may be sent as a
  /// POST, and a QUERY request to a GraphQL call. (QUERY-07, GQL-47)
  ///
  /// - Parameter body: The body of the request, which distinguishes GraphQL calls.
  package func call(_ method: String, _ url: String, body: [UInt8]? = nil) -> Int? {
    call(method, url, operation: body.map { body in { GraphQLRequestKey(body: body) } })
  }

  /// - Parameter operation: Returns the operation of the request. Called only if a GraphQL call
  ///   matches. If it is nil, the request belongs to a GraphQL call only if there is just one.
  package func call(
    _ method: String, _ url: String, operation: (() -> GraphQLRequestKey?)?
  ) -> Int? {
    if let call = found(method, url, operation) { return call }
    switch method {
    case "POST": return found("QUERY", url, operation)
    case "QUERY": return found("POST", url, operation, isGraphQL: true)
    default: return nil
    }
  }

  private func found(
    _ method: String, _ url: String, _ operation: (() -> GraphQLRequestKey?)?,
    isGraphQL: Bool = false
  ) -> Int? {
    let (path, query) = CallRoutes.target(of: url)
    let parts = RouteTemplate.parts(of: path.isEmpty ? "/" : path)
    let pairs = EscapedPair.all(in: query)
    let origin = ResourceURL(shown: url)?.origin
    var sent: GraphQLRequestKey??
    func fits(_ route: Route) -> Bool {
      guard let wanted = route.operation else { return !isGraphQL }
      guard let operation else { return graphQLCount == 1 }
      let key = sent ?? operation()
      sent = key
      return key?.fits(wanted) ?? false
    }
    let found = [parts.count, nil].compactMap { count -> Int? in
      let all = places[Key(method: method, parts: count)] ?? []
      let first = all.first { place in
        let route = routes[place]
        return (route.origin == nil || route.origin == origin)
          && route.template.values(in: parts, pairs) != nil && fits(route)
      }
      guard let first, routes[first].operation != nil, case let key?? = sent else { return first }
      // Of several operations with the same name, the one with the same text.
      return all.first { routes[$0].operation.map { key.isSame(as: $0) } ?? false } ?? first
    }
    return found.min().map { routes[$0].call }
  }

  // MARK: URLs

  /// Returns the origin of a path that is an absolute URL. nil for other paths.
  private static func origin(ofPath path: String) -> String? {
    guard !path.hasPrefix("/"), let mark = path.firstRange(of: "://") else { return nil }
    let authority = path[mark.upperBound...].prefix { !"/?#".contains($0) }
    return ResourceURL(absolute: path[..<authority.endIndex] + "/")?.origin
  }

  /// The beginning of all URLs below the base URL. nil without a base URL.
  package var prefix: String? { origin.map { $0 + path + "/" } }

  /// Returns whether a URL belongs to the API.
  package func contains(_ url: String) -> Bool {
    guard let origin, ResourceURL(shown: url)?.origin == origin else { return false }
    let path = CallRoutes.target(of: url).path
    return path == self.path || path.hasPrefix(self.path + "/")
  }

  /// Returns the part of a URL after the host.
  package static func target(of url: String) -> (path: String, query: String) {
    let bare = url.prefix { $0 != "#" }
    let start = bare.firstRange(of: "://")?.upperBound ?? bare.startIndex
    let authority = bare[start...].prefix { !"/?".contains($0) }
    let path = bare[authority.endIndex...].prefix { $0 != "?" }
    return (String(path), String(bare[path.endIndex...].dropFirst()))
  }
}

extension APICall {
  /// The placeholders in the call's path whose values may contain slashes.
  package var openPlaces: Set<String> {
    Set(parameters.filter { $0.place == .path && $0.keepsReserved }.map(\.placeholder))
  }
}
