import LullClients
import LullCore

/// The mock's URLs, its accepted hosts, and the web pages that may use it.
struct MockSite {
  /// Allows a web page of another origin to read a response.
  struct Permission {
    /// The origin, or `*`.
    let origin: String
    let isForAll: Bool
  }

  let url: String
  /// The other URL with the same content; nil for none.
  let otherURL: String?
  private let rule: HostRule
  private let origins: Set<String>
  /// Whether it is the sample API, which has its own error format and distinguishes pages only by
  /// their sites.
  let isSample: Bool

  init(_ address: HTTPServer.Address, other: HTTPServer.Address?, _ options: MockOptions) {
    url = MockSite.url(address)
    otherURL = other.map(MockSite.url)
    let host = MockSite.host(address)
    rule = HostRule(
      names: options.hosts + ["localhost", host, address.isIPv6 ? "[\(host)]" : host],
      takesAddresses: ["0.0.0.0", "::"].contains(address.text))
    origins = Set(options.origins.map { $0.lowercased() })
    isSample = options.isSample
  }

  /// Returns a host by which the server can be reached.
  private static func host(_ address: HTTPServer.Address) -> String {
    address.text == "0.0.0.0" ? "127.0.0.1" : address.text == "::" ? "::1" : address.text
  }

  private static func url(_ address: HTTPServer.Address) -> String {
    let host = host(address)
    return "http://\(address.isIPv6 ? "[\(host)]" : host):\(address.port)"
  }

  /// Returns why a request is not for this server, or nil if it is. (RFC 9112, section 3.2)
  ///
  /// A web page whose own host name was rebound to this machine is still foreign.
  func objection(to request: MockRequest) -> Problem? {
    let headers = request.headers.count { $0.name == "host" }
    switch rule.objection(to: request.hosts, headers: headers, isCurrent: request.isCurrent) {
    case nil: return nil
    case .repeated: return Problem(malformed: "it has two Host headers")
    case .missing: return Problem(malformed: "it has no Host header")
    case .foreign(let host, let name):
      let advice = isSample ? "" : ": pass --host \(ClientText.shown(name)) to accept it"
      return Problem(
        421, "it is for the host '\(ClientText.shown(host))', but this is \(url)" + advice)
    }
  }

  // MARK: Web pages

  enum Caller {
    /// Not a web page, or a page of this server.
    case own
    case permitted(Permission)
    case foreign(String)
    /// A page of another site that does not send its origin.
    case otherSite
  }

  /// Returns the sender according to the browser's headers.
  func caller(of request: MockRequest) -> Caller {
    guard let origin = request.header("origin") else {
      // Images, scripts and links of a page send no origin.
      guard HostRule.isFromOtherSite(request.header("sec-fetch-site")) else { return .own }
      return origins.contains("*")
        ? .permitted(Permission(origin: "*", isForAll: true)) : .otherSite
    }
    if isSample {
      return HostRule.isFromOtherSite(request.header("sec-fetch-site")) ? .otherSite : .own
    }
    if let host = request.hosts.first, origin == "http://\(host)" { return .own }
    if origins.contains(origin.lowercased()) {
      return .permitted(Permission(origin: origin, isForAll: false))
    }
    if origins.contains("*") { return .permitted(Permission(origin: "*", isForAll: true)) }
    return .foreign(origin)
  }
}

/// Cross-origin requests from web pages. (Fetch, section 3.2)
enum CrossOrigin {
  static func isPreflight(_ request: MockRequest) -> Bool {
    request.method == "OPTIONS" && request.header("access-control-request-method") != nil
  }

  /// Permits the page's request. If there is no such call, the response itself tells it.
  static func preflight(_ request: MockRequest, _ permission: MockSite.Permission) -> MockAnswer {
    var answer = MockAnswer(status: 204)
    permit(permission, &answer)
    answer.headers["access-control-allow-methods"] =
      request.header("access-control-request-method")
    if let names = request.header("access-control-request-headers") {
      answer.headers["access-control-allow-headers"] = names
    }
    if request.header("access-control-request-private-network") == "true" {
      answer.headers["access-control-allow-private-network"] = "true"
    }
    answer.headers["access-control-max-age"] = "600"
    return answer
  }

  /// Allows the page to read all of a response.
  static func permit(_ permission: MockSite.Permission, _ answer: inout MockAnswer) {
    let names = Set(answer.headers.pairs.map { $0.name.lowercased() }).sorted()
    answer.headers["access-control-allow-origin"] = permission.origin
    if !names.isEmpty {
      answer.headers["access-control-expose-headers"] = names.joined(separator: ", ")
    }
    guard !permission.isForAll else { return }
    // Credentials are only for named origins.
    answer.headers["access-control-allow-credentials"] = "true"
    answer.headers.add("vary", "Origin")
  }
}

/// The base URL of the mocked service.
struct MockBase {
  /// Scheme, host and port; nil without a base URL.
  let origin: String?
  /// The path without a final slash: empty, or `/v2`.
  let path: String

  init(_ base: ResourceURL?) {
    guard let base, let mark = base.text.firstRange(of: "://") else {
      origin = nil
      path = ""
      return
    }
    let rest = base.text[mark.upperBound...]
    let authority = rest.prefix { !"/?#".contains($0) }
    origin = String(base.text[..<authority.endIndex])
    let path = rest[authority.endIndex...].prefix { $0 != "?" }
    self.path = String(path.hasSuffix("/") ? path.dropLast() : path)
  }

  /// Whether a path is below the base URL.
  func contains(_ path: String) -> Bool {
    !self.path.isEmpty && (path == self.path || path.hasPrefix(self.path + "/"))
  }

  /// Returns the URLs of the service that a request may represent, the most likely first.
  func urls(of request: MockRequest) -> [String] {
    guard let origin else { return [] }
    let whole = origin + request.target
    let below = origin + path + request.target
    if path.isEmpty { return [whole] }
    return contains(request.path) ? [whole, below] : [below, whole]
  }
}

/// The hosts that a server on this machine accepts. Requests may come from a web page whose host
/// name was rebound to this machine.
struct HostRule {
  /// The problem with the hosts of a request. (RFC 9112, section 3.2)
  enum Objection {
    /// The header is repeated: 400.
    case repeated
    /// The header is missing: 400.
    case missing
    /// Another host is requested: 421.
    case foreign(host: String, name: String)
  }

  private let names: Set<String>
  /// Whether all IP addresses are accepted: no page can be rebound to one.
  private let takesAddresses: Bool

  init(names: [String], takesAddresses: Bool = false) {
    self.names = Set(names.map { $0.lowercased() })
    self.takesAddresses = takesAddresses
  }

  /// - Parameters:
  ///   - hosts: The hosts in the header, and that of the target if it has one.
  ///   - headers: The number of Host headers.
  ///   - isCurrent: Whether the request is HTTP/1.1, which requires the header.
  func objection(to hosts: [String], headers: Int, isCurrent: Bool) -> Objection? {
    guard headers <= 1 else { return .repeated }
    guard headers == 1 || !isCurrent else { return .missing }
    for host in hosts {
      let name = HostRule.name(host)
      guard names.contains(name) || (takesAddresses && HostRule.isAddress(name)) else {
        return .foreign(host: host, name: name)
      }
    }
    return nil
  }

  /// Returns the host without the port, in lower case.
  private static func name(_ host: String) -> String {
    if host.hasPrefix("[") {
      return (host.firstIndex(of: "]").map { String(host[...$0]) } ?? host).lowercased()
    }
    return String(host.prefix { $0 != ":" }).lowercased()
  }

  private static func isAddress(_ name: String) -> Bool {
    if name.hasPrefix("[") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether the browser reports that a page of another site sends the request. (Fetch Metadata,
  /// section 2.4)
  static func isFromOtherSite(_ fetchSite: String?) -> Bool {
    fetchSite?.lowercased() == "cross-site"
  }
}
