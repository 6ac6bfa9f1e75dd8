import LullClients
import LullCore
import LullSystem

/// A request as calls are found by it: its target taken apart.
struct MockRequest {
  private(set) var method: String
  /// As it stands in the request, without a host and without the query.
  let path: String
  /// As it stands, without `?`; nil: none.
  let query: String?
  /// With escapes undone, in order.
  let parameters: [(name: String, value: String)]
  /// The same with values as they stand.
  let pairs: [EscapedPair]
  let headers: [(name: String, value: [UInt8])]
  let body: [UInt8]
  /// As its head names it: that in the target counts before that of `Host`.
  let hosts: [String]
  let isCurrent: Bool

  /// nil if its first line is none.
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
      // As proxies are asked. (RFC 9112, section 3.2.2)
      let rest = place[mark.upperBound...]
      let authority = rest.prefix { !"/?".contains($0) }
      hosts.append(String(authority))
      place = rest[authority.endIndex...]
      if !place.hasPrefix("/") { place = "/" + place }
    }
    self.hosts = hosts
    let path = place.prefix { $0 != "?" }
    // Of no place, but of the server.
    guard path.hasPrefix("/") || (path == "*" && method == "OPTIONS") else { return nil }
    self.path = String(path)
    query = path.endIndex < place.endIndex ? String(place[path.endIndex...].dropFirst()) : nil
    pairs = EscapedPair.all(in: query ?? "")
    parameters = pairs.map { ($0.name, $0.text) }
  }

  /// As if it were for what it would get.
  var asGet: MockRequest {
    var request = self
    request.method = "GET"
    return request
  }

  /// Path and query.
  var target: String { path + (query.map { "?" + $0 } ?? "") }

  /// The values of a header, with commas between; nil if there is none.
  func header(_ name: String) -> String? {
    let values = headers.filter { $0.name == name }.map { String(escaping: $0.value) }
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// What clients ask with to learn what they would get: it is answered without a body.
  var isHead: Bool { method == "HEAD" }
}

/// Texts of clients as messages have them.
enum ClientText {
  static func shown(_ text: String) -> String {
    ControlCharacters.shown(in: LogText.part(text, limit: 200))
  }
}
