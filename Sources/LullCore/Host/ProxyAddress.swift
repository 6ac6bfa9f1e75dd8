/// What the URL of a proxy says, its user and password left out.
package struct ProxyAddress: Sendable, Equatable {
  package static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  package var scheme: String
  package var host: HostAndPort

  /// nil unless the text is a URL of one of the schemes, with nothing behind the host.
  package init?(_ url: String) {
    guard let separator = url.firstRange(of: "://") else { return nil }
    scheme = url[..<separator.lowerBound].lowercased()
    var rest = url[separator.upperBound...]
    if rest.last == "/" { rest = rest.dropLast() }
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    guard ProxyAddress.schemes.contains(scheme), let host = HostAndPort(rest) else { return nil }
    self.host = host
  }

  /// Where to connect to.
  package var port: Int {
    host.port ?? (scheme == "https" ? 443 : 1080)
  }
}
