import LullClients
import LullCore
import LullSystem

/// A parsed request, from which the matching call is found.
struct MockRequest {
  private(set) var method: String
  /// The path as sent in the request, without host and query.
  let path: String
  /// The query as sent in the request, without `?`. nil if the request has no query.
  let query: String?
  /// The query parameters with decoded escapes, in order.
  let parameters: [(name: String, value: String)]
  /// The query parameters, with values that are still escaped.
  let pairs: [EscapedPair]
  let headers: [(name: String, value: [UInt8])]
  let body: [UInt8]
  /// The hosts in the head: the host of the request target, if it has one, and the host of the
  /// `Host` header. The host of the target takes precedence.
  let hosts: [String]
  let isCurrent: Bool

  /// Parses the head of a request. nil if its first line is invalid.
  init?(_ asked: HTTPAsked) {
    guard let method = String(validating: asked.method, as: UTF8.self),
      let target = String(validating: asked.target, as: UTF8.self),
      !target.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F })
    else { return nil }
    self.method = method
    headers = asked.headers
    body = asked.body
    isCurrent = asked.isCurrent
    var hosts = headers.filter { $0.name == "host" }.map { String(escaping: $0.value) }
    var place = target.prefix { $0 != "#" }
    if !place.hasPrefix("/"), let mark = place.firstRange(of: "://") {
      // The absolute form of the request target, as sent to proxies. (RFC 9112, section 3.2.2)
      let rest = place[mark.upperBound...]
      let authority = rest.prefix { !"/?".contains($0) }
      hosts.append(String(authority))
      place = rest[authority.endIndex...]
      if !place.hasPrefix("/") { place = "/" + place }
    }
    self.hosts = hosts
    let path = place.prefix { $0 != "?" }
    // `OPTIONS *` concerns the server, not a path.
    guard path.hasPrefix("/") || (path == "*" && method == "OPTIONS") else { return nil }
    self.path = String(path)
    query = path.endIndex < place.endIndex ? String(place[path.endIndex...].dropFirst()) : nil
    pairs = EscapedPair.all(in: query ?? "")
    parameters = pairs.map { ($0.name, $0.text) }
  }

  /// The same request as a GET.
  var asGet: MockRequest {
    var request = self
    request.method = "GET"
    return request
  }

  /// The path with the query, if there is one.
  var target: String { path + (query.map { "?" + $0 } ?? "") }

  /// Returns the values of a header, separated by commas; nil for none.
  func header(_ name: String) -> String? {
    let values = headers.filter { $0.name == name }.map { String(escaping: $0.value) }
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Whether the method is HEAD. The request is then handled like a GET without a response body.
  var isHead: Bool { method == "HEAD" }
}

/// Prepares texts from clients for messages.
enum ClientText {
  static func shown(_ text: String) -> String {
    ControlCharacters.shown(in: LogText.part(text, limit: 200))
  }
}
