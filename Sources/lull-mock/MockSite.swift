import LullClients
import LullCore

/// The mock's URLs, its accepted hosts, and the web pages that may use it.
struct MockSite {
  /// Allows a web page of another origin to read a response.
  struct Permission {
    /// The permitted origin, or `*` for all.
    let origin: String
    let isForAll: Bool
  }

  let url: String
  /// The URL at the second origin, which serves the same content. nil if there is none.
  let otherURL: String?
  private let rule: HostRule
  private let origins: Set<String>
  /// Whether this is the sample API. It has its own error format, and it identifies foreign web
  /// pages only by their site, not by their origin.
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

  /// Returns why a request is not for this server, or nil if it is for this server. (RFC 9112,
  /// section 3.2)
  ///
  /// A web page is also foreign if its own host name was rebound to the address of this machine.
  func objection(to request: MockRequest) -> Problem? {
    let headers = request.headers.count { $0.name == "host" }
    switch rule.objection(to: request.hosts, headers: headers, isCurrent: request.isCurrent) {
    case nil: return nil
    case .repeated: return Problem(malformed: "the request has two Host headers")
    case .missing: return Problem(malformed: "the request has no Host header")
    case .foreign(let host, let name):
      let advice = isSample ? "" : ": pass --host \(ClientText.shown(name)) to accept it"
      return Problem(
        421,
        "the request is for the host '\(ClientText.shown(host))', but this server is \(url)"
          + advice)
    }
  }

  // MARK: Web pages

  enum Caller {
    /// The sender is not a web page, or it is a page of this server.
    case own
    case permitted(Permission)
    case foreign(String)
    /// The sender is a page of another site, in a request that does not name an origin.
    case otherSite
  }

  /// Determines the sender from the headers that browsers add.
  func caller(of request: MockRequest) -> Caller {
    guard let origin = request.header("origin") else {
      // Requests for images, scripts and links of a page have no Origin header.
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

  /// Answers a preflight request and permits the page's request. Whether a matching call exists is
  /// shown only by the response to the actual request.
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
    // Credentials are permitted only for origins that are named one by one.
    answer.headers["access-control-allow-credentials"] = "true"
    answer.headers.add("vary", "Origin")
  }
}

/// The base URL of the mocked service.
struct MockBase {
  /// Scheme, host and port. nil if the service has no base URL.
  let origin: String?
  /// The path without a trailing slash: empty, or such as `/v2`.
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

  /// Whether a path is the path of the base URL or below it. Always false if the base URL's path is
  /// empty.
  func contains(_ path: String) -> Bool {
    !self.path.isEmpty && (path == self.path || path.hasPrefix(self.path + "/"))
  }

  /// Returns the URLs of the service that correspond to a request to the mock. There may be two,
  /// and the more likely one is first.
  func urls(of request: MockRequest) -> [String] {
    guard let origin else { return [] }
    let whole = origin + request.target
    let below = origin + path + request.target
    if path.isEmpty { return [whole] }
    return contains(request.path) ? [whole, below] : [below, whole]
  }
}

/// The hosts that a server on this machine accepts. Requests for other hosts are rejected, because
/// they may come from a web page whose host name was rebound to this machine.
struct HostRule {
  /// The problem with the hosts of a request. (RFC 9112, section 3.2)
  enum Objection {
    /// There are several Host headers. The status is 400.
    case repeated
    /// The Host header is missing. The status is 400.
    case missing
    /// The request is for another host. The status is 421.
    case foreign(host: String, name: String)
  }

  private let names: Set<String>
  /// Whether every IP address is accepted as a host. This is safe, because a web page can't be
  /// rebound to a host that is an address.
  private let takesAddresses: Bool

  init(names: [String], takesAddresses: Bool = false) {
    self.names = Set(names.map { $0.lowercased() })
    self.takesAddresses = takesAddresses
  }

  /// - Parameters:
  ///   - hosts: The hosts in the Host headers, and the host of the request target if there is one.
  ///   - headers: The number of Host headers.
  ///   - isCurrent: Whether the request is HTTP/1.1, which requires a Host header.
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

  /// Whether the browser reports that a page of another site has sent the request. (Fetch Metadata,
  /// section 2.4)
  static func isFromOtherSite(_ fetchSite: String?) -> Bool {
    fetchSite?.lowercased() == "cross-site"
  }
}
