/// The parsed URL of a proxy.
package struct ProxyAddress: Sendable, Equatable {
  package static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  package var scheme: String
  package var host: HostAndPort
  /// The user, and the password if there is one, as written before the `@`.
  private var user: String?

  /// Parses the URL of a proxy. Returns nil if the URL doesn't have one of the supported schemes,
  /// or has anything after the host and port.
  ///
  /// The text before the last `@` is the user and password. It must not contain characters at which
  /// another parser would see the end of the user and password.
  package init?(_ url: String) {
    guard let separator = url.firstRange(of: "://") else { return nil }
    scheme = url[..<separator.lowerBound].lowercased()
    var rest = url[separator.upperBound...]
    if rest.last == "/" { rest = rest.dropLast() }
    if let at = rest.lastIndex(of: "@") {
      let user = rest[..<at]
      guard user.utf8.allSatisfy({ $0 > 32 && $0 != 127 && !"/?#\\".utf8.contains($0) }) else {
        return nil
      }
      self.user = String(user)
      rest = rest[rest.index(after: at)...]
    }
    guard ProxyAddress.schemes.contains(scheme), let host = HostAndPort(rest) else { return nil }
    self.host = host
  }

  /// The problem with the URL of a proxy, without the user and password; nil if the URL is valid.
  package static func problem(with url: String) -> String? {
    guard ProxyAddress(url) == nil else { return nil }
    guard let separator = url.firstRange(of: "://") else {
      return url.isEmpty ? "it is empty" : "it has no scheme, such as http://"
    }
    let scheme = url[..<separator.lowerBound].lowercased()
    guard schemes.contains(scheme) else {
      let shown = LogText.part(scheme, limit: 20)
      return "its scheme is '\(shown)', but must be one of \(schemes.joined(separator: ", "))"
    }
    var rest = url[separator.upperBound...]
    if rest.last == "/" { rest = rest.dropLast() }
    if let at = rest.lastIndex(of: "@") {
      if rest[..<at].utf8.contains(where: { $0 <= 32 || $0 == 127 || "/?#\\".utf8.contains($0) }) {
        return "its user or password has a character that must be percent-encoded"
      }
      rest = rest[rest.index(after: at)...]
    }
    if rest.contains(where: { "/?#".contains($0) }) { return "it has a path or query" }
    guard let first = rest.first, first != ":" else { return "it has no host" }
    if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
      let port = Int(rest[rest.index(after: colon)...]) ?? 0
      if !(1...65535).contains(port) { return "its port is not a number from 1 to 65535" }
    }
    return "its host is not valid"
  }

  /// The port of the proxy.
  package var port: Int {
    host.port ?? (scheme == "https" ? 443 : 1080)
  }

  /// The URL, rebuilt from its components, so that every parser finds the same components.
  package var url: String {
    var credentials = ""
    if let user {
      let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      credentials = parts.map(ProxyAddress.escaped).joined(separator: ":") + "@"
    }
    return "\(scheme)://\(credentials)\(host.urlHost):\(port)"
  }

  /// Escapes a user or password. Existing percent-encoding is unchanged, and other characters are
  /// escaped as needed.
  private static func escaped(_ text: Substring) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    bytes.withUnsafeBufferPointer { bytes in
      for (index, byte) in bytes.enumerated() {
        if ResourceURL.Escaping.decodedByte(in: bytes, at: index) != nil {
          result.append(byte)
        } else {
          ResourceURL.Escaping.append(
            CollectionOfOne(byte), to: &result, keeping: ResourceURL.ASCIISet("-._~"))
        }
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
