import LullClients
import LullCore

/// Where the mock is, by which names it may be asked, and from which web pages.
struct MockSite {
  /// What lets a web page of another origin read an answer.
  struct Permission {
    /// The origin, or `*`.
    let origin: String
    let isForAll: Bool
  }

  let url: String
  /// Where the same is served too; nil: nowhere.
  let otherURL: String?
  private let rule: HostRule
  private let origins: Set<String>
  /// Whether it is the sample API, which names its errors itself and knows pages by their sites alone.
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

  /// One that it can be asked by.
  private static func host(_ address: HTTPServer.Address) -> String {
    address.text == "0.0.0.0" ? "127.0.0.1" : address.text == "::" ? "::1" : address.text
  }

  private static func url(_ address: HTTPServer.Address) -> String {
    let host = host(address)
    return "http://\(address.isIPv6 ? "[\(host)]" : host):\(address.port)"
  }

  /// Why a request is not for this server, in words; nil if it is. (RFC 9112, section 3.2)
  ///
  /// A web page whose own name has been made to lead here is one of somebody else's all the same.
  func objection(to request: MockRequest) -> Problem? {
    let headers = request.headers.count { $0.name == "host" }
    switch rule.objection(to: request.hosts, headers: headers, isCurrent: request.isCurrent) {
    case nil: return nil
    case .repeated: return Problem(malformed: "it has the header Host twice")
    case .missing: return Problem(malformed: "it lacks the header Host")
    case .foreign(let host, let name):
      let advice = isSample ? "" : ": give --host \(ClientText.shown(name)) if that is to be taken"
      return Problem(
        421, "it is for the host '\(ClientText.shown(host))', and this is \(url)" + advice)
    }
  }

  // MARK: Web pages

  enum Caller {
    /// No web page, or one of this very server.
    case own
    case permitted(Permission)
    case foreign(String)
    /// One of another site, which does not say of which.
    case otherSite
  }

  /// Who asks, as a browser says it.
  func caller(of request: MockRequest) -> Caller {
    guard let origin = request.header("origin") else {
      // Images, scripts and links of a page name no origin.
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

/// What browsers ask and are told for web pages of other origins. (Fetch, section 3.2)
enum CrossOrigin {
  static func isPreflight(_ request: MockRequest) -> Bool {
    request.method == "OPTIONS" && request.header("access-control-request-method") != nil
  }

  /// Yes to what the page wants to ask: that there is no such call it is to hear from the answer itself.
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

  /// Lets the page read all of an answer.
  static func permit(_ permission: MockSite.Permission, _ answer: inout MockAnswer) {
    let names = Set(answer.headers.pairs.map { $0.name.lowercased() }).sorted()
    answer.headers["access-control-allow-origin"] = permission.origin
    if !names.isEmpty {
      answer.headers["access-control-expose-headers"] = names.joined(separator: ", ")
    }
    guard !permission.isForAll else { return }
    // Credentials are for those that are named.
    answer.headers["access-control-allow-credentials"] = "true"
    answer.headers.add("vary", "Origin")
  }
}

/// Where the service is that is mocked.
struct MockBase {
  /// Scheme, host and port; nil without a base URL.
  let origin: String?
  /// Its path without the slash at its end: empty, or `/v2`.
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

  /// Whether a path is below it.
  func contains(_ path: String) -> Bool {
    !self.path.isEmpty && (path == self.path || path.hasPrefix(self.path + "/"))
  }

  /// The URLs of the service that a request may stand for, the likeliest first.
  func urls(of request: MockRequest) -> [String] {
    guard let origin else { return [] }
    let whole = origin + request.target
    let below = origin + path + request.target
    if path.isEmpty { return [whole] }
    return contains(request.path) ? [whole, below] : [below, whole]
  }
}

/// Which hosts a server on this machine answers for, whose requests may come from a web page under a
/// name that was rebound to this machine.
struct HostRule {
  /// What is wrong with the hosts of a request. (RFC 9112, section 3.2)
  enum Objection {
    /// The header is repeated: 400.
    case repeated
    /// The header is missing: 400.
    case missing
    /// Another host is asked for: 421.
    case foreign(host: String, name: String)
  }

  private let names: Set<String>
  /// Whether all addresses count: no page can be rebound to one of its own.
  private let takesAddresses: Bool

  init(names: [String], takesAddresses: Bool = false) {
    self.names = Set(names.map { $0.lowercased() })
    self.takesAddresses = takesAddresses
  }

  /// - Parameters:
  ///   - hosts: those of the header, and that of the target if it names one.
  ///   - headers: how many headers there are.
  ///   - isCurrent: whether the request is one of HTTP/1.1, which needs the header.
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

  /// Without the port, in small letters.
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

  /// Whether a browser says that a page of another site asks. (Fetch Metadata, section 2.4)
  static func isFromOtherSite(_ fetchSite: String?) -> Bool {
    fetchSite?.lowercased() == "cross-site"
  }
}
