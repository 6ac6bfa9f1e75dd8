import LullArguments
import LullClients
import LullCore

/// Finds the call of the API that a request is for.
///
/// Each call is available at two paths. One is below the path of the service's base URL, for
/// clients that replace only the origin. The other is directly below `/`, for clients that replace
/// the whole base URL. If several calls match, the one with the most fixed path segments is used.
struct RouteTable {
  struct Route {
    let call: APICall
    let template: RouteTemplate
  }

  struct Match {
    let call: APICall
    /// The values of the placeholders in the path, still escaped.
    let values: [String: String]
  }

  enum Found {
    /// One or more calls with the same number of fixed path segments, in the order of the file.
    case calls([Match])
    /// There are calls at this path, but only with other methods. The value lists these methods.
    case methods([String])
    /// There are GraphQL calls at this path, but none has the operation with this name.
    case noOperation(String?)
    case nothing
  }

  private let routes: [Route]

  init(_ calls: [APICall], _ base: MockBase) {
    var routes: [Route] = []
    for call in calls {
      for base in Set([base.path, ""]).sorted().reversed() {
        routes.append(
          Route(
            call: call, template: RouteTemplate(base: base, path: call.path, open: call.openPlaces))
        )
      }
    }
    let order = routes.enumerated().map { place, route in
      (specificity: route.template.specificity, place: place, route: route)
    }
    self.routes = order.sorted { one, other in
      one.specificity == other.specificity
        ? one.place < other.place
        : other.specificity.lexicographicallyPrecedes(one.specificity)
    }.map(\.route)
  }

  func find(_ request: MockRequest) -> Found {
    let parts = RouteTemplate.parts(of: request.path)
    var matches: [Match] = []
    var best: [Int]?
    var methods: Set<String> = []
    // The body is parsed only if a GraphQL call is at this path.
    lazy var operation = GraphQLRequestKey(body: request.body)
    var lacksOperation = false
    // A HEAD request is handled as a GET, unless a call with HEAD is declared.
    let hasHead = request.isHead && routes.contains { $0.call.method.rawValue == "HEAD" }
    let hasPost = routes.contains {
      $0.call.method == .post && $0.template.values(in: parts, request.pairs) != nil
    }
    for route in routes {
      guard let values = route.template.values(in: parts, request.pairs) else { continue }
      let method = route.call.method.rawValue
      methods.insert(method)
      // A query may be sent by POST instead of QUERY. (QUERY-07)
      let isQueryByPost = request.method == "POST" && method == "QUERY" && !hasPost
      let isGraphQL = route.call.graphQL != nil
      guard
        method == request.method || isQueryByPost
          || (request.isHead && !hasHead && method == "GET")
          || isGraphQL && request.method == "QUERY" && route.call.isQuery
      else { continue }
      if let graphQL = route.call.graphQL {
        guard operation?.fits(GraphQLRequestKey(graphQL)) ?? false else {
          lacksOperation = true
          continue
        }
      }
      let specificity = route.template.specificity
      guard best == nil || best == specificity else { continue }
      best = specificity
      matches.append(Match(call: route.call, values: values))
    }
    // Of several operations with the same name, the one with the same text.
    let same = matches.filter { match in
      match.call.graphQL.map { operation?.isSame(as: GraphQLRequestKey($0)) ?? false } ?? false
    }
    if !same.isEmpty { return .calls(same) }
    if !matches.isEmpty { return .calls(matches) }
    if lacksOperation { return .noOperation(operation?.name) }
    if hasHead, methods.contains("GET") { return find(request.asGet) }
    return methods.isEmpty ? .nothing : .methods(RouteTable.allowed(methods))
  }

  /// Returns the media types of the queries at the path of a request, as the values of the header
  /// `Accept-Query`. (RFC 10008, section 3)
  func queryTypes(of request: MockRequest) -> [String] {
    let parts = RouteTemplate.parts(of: request.path)
    var types: [String] = []
    for route in routes where route.call.method == .query {
      let type = "\"\(route.call.queryType)\""
      if route.template.values(in: parts, request.pairs) != nil, !types.contains(type) {
        types.append(type)
      }
    }
    return types
  }

  /// Returns the methods for an Allow header if calls with the given methods are declared.
  private static func allowed(_ methods: Set<String>) -> [String] {
    var methods = methods.union(["OPTIONS"])
    if methods.contains("GET") { methods.insert("HEAD") }
    return methods.sorted()
  }

  /// The methods of all declared calls.
  var methods: [String] { RouteTable.allowed(Set(routes.map(\.call.method.rawValue))) }

  /// Returns the calls whose paths are most similar to the path of a request, the most similar
  /// first.
  func nearest(to request: MockRequest, count: Int = 5) -> [String] {
    let parts = RouteTemplate.parts(of: request.path)
    var seen: Set<String> = []
    var found: [(likeness: Int, text: String)] = []
    for route in routes {
      let name = "\(route.call.method) \(route.template.text)"
      guard seen.insert(route.call.name).inserted else { continue }
      let likeness =
        route.template.likeness(to: parts)
        + (route.call.method.rawValue == request.method ? 1 : 0)
      found.append((likeness, "\(name) (\(route.call.name))"))
    }
    return found.sorted { ($1.likeness, $0.text) < ($0.likeness, $1.text) }.prefix(count).map(
      \.text)
  }
}

extension APICall {
  /// The media type of the call's content. Without a declared type, a raw body has any type.
  fileprivate var queryType: String {
    switch bodyForm {
    case .json: contentType.map { ContentType($0).mediaType } ?? "application/json"
    case .form: "application/x-www-form-urlencoded"
    case .multipart: "multipart/form-data"
    case .raw: contentType.map { ContentType($0).mediaType } ?? "*/*"
    }
  }
}

extension RouteTemplate {
  /// Returns how similar this route is to a path. The number is higher if more fixed segments are
  /// equal or nearly equal, and if both have the same number of segments.
  fileprivate func likeness(to parts: [String]) -> Int {
    let own = RouteTemplate.parts(of: text.prefix { $0 != "?" })
    let words = parts.prefix(32).filter { !$0.isEmpty }.map { $0.lowercased() }
    let fixed = own.filter { !$0.contains("{") }.map { $0.lowercased() }
    let same = fixed.reduce(0) { sum, part in
      if words.contains(part) { return sum + 4 }
      return NearestName.suggestion(for: part, among: words) == nil ? sum : sum + 3
    }
    return same + (own.count == parts.count ? 2 : 0)
  }
}
