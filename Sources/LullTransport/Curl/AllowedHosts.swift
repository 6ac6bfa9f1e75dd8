import LullCore

/// The hosts and Unix sockets that a network may reach. A host is a name, a wildcard or an address,
/// with or without a port.
///
/// Names are compared in the canonical form of `HostName`, which is also the form used for
/// connections. So letter case, user names, percent escapes, international letters, unusual
/// spellings of addresses and a final dot make no difference. The addresses that a name resolves to
/// are not checked. Three more things must be allowed: a proxy from a request's own settings, an
/// address in `resolve`, and the host of a `Host` header. The environment's proxies are not
/// checked: the user who started the program has set them.
package struct AllowedHosts: Sendable {
  private enum Host {
    case every
    case name(String)
    /// Any name with this suffix, which begins with a dot.
    case below(String)
  }

  /// Paths of sockets.
  private var sockets: Set<String> = []
  private var patterns: [(host: Host, port: String?)] = []

  /// Creates a list that allows nothing.
  package init() {}

  /// Adds a pattern to the list. Returns false if the text is not a valid pattern. Examples of
  /// patterns:
  /// - `example.com`,
  /// - `*.example.com` (every name below `example.com`, but not `example.com` itself),
  /// - `localhost:8080` or `[::1]:8080`,
  /// - `*` (every host),
  /// - `unix:/run/name.sock`.
  package mutating func allow(_ text: String) -> Bool {
    if text.hasPrefix("unix:/") {
      sockets.insert(String(text.dropFirst(5)))
      return true
    }
    guard let pattern = AllowedHosts.parse(text) else { return false }
    patterns.append(pattern)
    return true
  }

  func permits(_ origin: Origin) -> Bool {
    let name = AllowedHosts.plain(origin.host)
    let address = origin.hostWithoutZone
    guard name.utf8.allSatisfy({ $0 < 128 }) else { return false }
    return patterns.contains { host, port in
      guard port == nil || port == origin.port else { return false }
      switch host {
      case .every: return true
      case .name(let allowed): return name == allowed || address == allowed
      case .below(let ending): return name.hasSuffix(ending) && name.count > ending.count
      }
    }
  }

  /// Whether a `Host` header names an allowed host. The server to which the header is sent does not
  /// matter. Without a port, the default port of the scheme applies. Spellings that servers could
  /// interpret differently are not allowed. (RFC 9110, section 7.2)
  func permits(hostHeader value: [UInt8], scheme: String) -> Bool {
    let isBlank = { (byte: UInt8) in byte == 32 || byte == 9 }
    let text = String(
      escaping: value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    let isPlain = text.utf8.allSatisfy { $0 < 128 && $0 != UInt8(ascii: "%") }
    let colonCount = text.utf8.count { $0 == UInt8(ascii: ":") }
    guard isPlain, text.hasPrefix("[") || colonCount < 2, let named = HostAndPort(text) else {
      return false
    }
    let port = named.port ?? (scheme == "https" ? 443 : 80)
    return permits(Origin(scheme: scheme, host: named.urlHost, port: "\(port)"))
  }

  /// Whether the socket is allowed. Its path must be exactly an allowed path.
  func permits(socket path: String) -> Bool { sockets.contains(path) }

  private static func parse(_ text: String) -> (host: Host, port: String?)? {
    var text = text[...]
    if text.hasPrefix("*.") { text = text.dropFirst(2) }
    let isWildcard = text.startIndex != text.base.startIndex
    if text == "*" || text.hasPrefix("*:") {
      guard !isWildcard, let (_, port) = hostAndPort("a" + text.dropFirst()) else { return nil }
      return (.every, port)
    }
    guard let (host, port) = hostAndPort(text) else { return nil }
    return (isWildcard ? .below("." + host) : .name(host), port)
  }

  /// Splits a text into a host and an optional port. Returns nil if the text contains anything
  /// else.
  private static func hostAndPort(_ text: Substring) -> (host: String, port: String?)? {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
        true
      default: "-._:[]".utf8.contains(byte)
      }
    }
    guard isPlain, let parsed = HostAndPort(text) else { return nil }
    let host = plain(parsed.urlHost)
    guard !host.isEmpty, !host.hasPrefix(".") else { return nil }
    return (host, parsed.port.map(String.init))
  }

  /// Returns the host without the final dot of a fully qualified name.
  private static func plain(_ host: String) -> String {
    host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}
