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
  private let rule: HostRule
  private let origins: Set<String>

  init(_ address: HTTPServer.Address, hosts: [String], origins: [String]) {
    let host = address.text == "0.0.0.0" ? "127.0.0.1" : address.text == "::" ? "::1" : address.text
    let shown = address.isIPv6 ? "[\(host)]" : host
    url = "http://\(shown):\(address.port)"
    rule = HostRule(
      names: hosts + ["localhost", host, shown],
      takesAddresses: ["0.0.0.0", "::"].contains(address.text))
    self.origins = Set(origins.map { $0.lowercased() })
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
      return Problem(
        421,
        "it is for the host '\(ClientText.shown(host))', and this is \(url): give --host "
          + "\(ClientText.shown(name)) if that is to be taken")
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
    if let host = request.hosts.first, origin == "http://\(host)" { return .own }
    if origins.contains(origin.lowercased()) {
      return .permitted(Permission(origin: origin, isForAll: false))
    }
    if origins.contains("*") { return .permitted(Permission(origin: "*", isForAll: true)) }
    return .foreign(origin)
  }
}
