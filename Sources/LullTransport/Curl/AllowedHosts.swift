import LullCore

/// The hosts a network may reach, and the sockets of this machine: names, wildcards, addresses, each with a port or without.
///
/// Names are compared in the form in which `HostName` has them, which is what is sent to: letter case,
/// user names, percent signs, international letters, odd spellings of addresses and one dot at the end
/// make no difference. What a name resolves to is not looked at. A proxy of a request's own settings
/// must be allowed too, and so must another address of `resolve` and the host of a `Host` header; the
/// environment's proxies belong to whoever started the program, and are not asked after.
package struct AllowedHosts: Sendable {
  private enum Host {
    case every
    case name(String)
    /// Any name that ends so; the text begins with a dot.
    case below(String)
  }

  /// Paths of sockets.
  private var sockets: Set<String> = []
  private var patterns: [(host: Host, port: String?)] = []

  /// Allows nothing.
  package init() {}

  /// Allows `example.com`, `*.example.com` (every name below it, not itself), `localhost:8080`,
  /// `[::1]:8080` or `*`, and `unix:/run/name.sock`; false if the text is no such pattern.
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

  /// Whether a `Host` header names an allowed host, whatever server it is sent to. Without a port it means that of
  /// the scheme. Spellings that a server could read in another way are not allowed. (RFC 9110, section 7.2)
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

  /// Only by the path as it was allowed.
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

  /// nil unless the text is nothing else.
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

  /// Without the dot of a name that is complete.
  private static func plain(_ host: String) -> String {
    host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}
