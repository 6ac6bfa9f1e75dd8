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
  private let names: Set<String>
  /// Listening at all addresses, none of which can be what a page of somebody else's is rebound to.
  private let takesAddresses: Bool
  private let origins: Set<String>

  init(_ address: HTTPServer.Address, hosts: [String], origins: [String]) {
    takesAddresses = ["0.0.0.0", "::"].contains(address.text)
    let host = address.text == "0.0.0.0" ? "127.0.0.1" : address.text == "::" ? "::1" : address.text
    let shown = address.isIPv6 ? "[\(host)]" : host
    url = "http://\(shown):\(address.port)"
    names = Set((hosts + ["localhost", host, shown]).map { $0.lowercased() })
    self.origins = Set(origins.map { $0.lowercased() })
  }

  /// Why a request is not for this server, in words; nil if it is. (RFC 9112, section 3.2)
  ///
  /// A web page whose own name has been made to lead here is one of somebody else's all the same.
  func objection(to request: MockRequest) -> Problem? {
    guard request.headers.count(where: { $0.name == "host" }) <= 1 else {
      return Problem(400, "it has the header Host twice")
    }
    guard !request.hosts.isEmpty || !request.isCurrent else {
      return Problem(400, "it lacks the header Host")
    }
    for host in request.hosts {
      let name = MockSite.name(host)
      guard names.contains(name) || (takesAddresses && MockSite.isAddress(name)) else {
        return Problem(
          421,
          "it is for the host '\(ClientText.shown(host))', and this is \(url): give --host "
            + "\(ClientText.shown(name)) if that is to be taken")
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

  // MARK: Web pages

  enum Caller {
    /// No web page, or one of this very server.
    case own
    case permitted(Permission)
    case foreign(String)
  }

  /// Who asks, as a browser says it.
  func caller(of request: MockRequest) -> Caller {
    guard let origin = request.header("origin") else { return .own }
    if let host = request.hosts.first, origin == "http://\(host)" { return .own }
    if origins.contains(origin.lowercased()) {
      return .permitted(Permission(origin: origin, isForAll: false))
    }
    if origins.contains("*") { return .permitted(Permission(origin: "*", isForAll: true)) }
    return .foreign(origin)
  }
}
