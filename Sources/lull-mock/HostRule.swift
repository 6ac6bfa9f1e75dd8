/// Which hosts a server on this machine answers for, whose requests may come from a web page under a
/// name that was rebound to this machine.
///
/// `lull-mock` and `lull-demo` compile this one file.
struct HostRule: Sendable {
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
