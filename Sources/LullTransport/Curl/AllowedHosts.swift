/// The hosts a network may reach: names, wildcards, addresses, each with a port or without.
///
/// Names are compared as they stand in URLs, after curl's parser has read them: letter case, user
/// names, percent signs, odd spellings of addresses and one dot at the end make no difference. What a
/// name resolves to is not looked at. Names with other letters than ASCII's are never allowed; their
/// `xn--` form can be.
package struct AllowedHosts: Sendable {
  private enum Host {
    case every
    case name(String)
    /// Any name that ends so; the text begins with a dot.
    case below(String)
  }

  private var patterns: [(host: Host, port: String?)] = []

  /// Allows nothing.
  package init() {}

  /// Allows `example.com`, `*.example.com` (every name below it, not itself), `localhost:8080`,
  /// `[::1]:8080` or `*`; false if the text is no such pattern.
  package mutating func allow(_ text: String) -> Bool {
    guard let pattern = AllowedHosts.parse(text) else { return false }
    patterns.append(pattern)
    return true
  }

  func permits(_ origin: Origin) -> Bool {
    let name = AllowedHosts.plain(origin.host)
    guard name.utf8.allSatisfy({ $0 < 128 }) else { return false }
    return patterns.contains { host, port in
      guard port == nil || port == origin.port else { return false }
      switch host {
      case .every: return true
      case .name(let allowed): return name == allowed
      case .below(let ending): return name.hasSuffix(ending) && name.count > ending.count
      }
    }
  }

  private static func parse(_ text: String) -> (host: Host, port: String?)? {
    var text = text[...]
    if text.hasPrefix("*.") { text = text.dropFirst(2) }
    let isWildcard = text.startIndex != text.base.startIndex
    if text == "*" || text.hasPrefix("*:") {
      guard !isWildcard, let (_, port) = hostAndPort("a" + text.dropFirst()) else { return nil }
      return (.every, port)
    }
    // An address without brackets has colons that are no port's.
    if text.count(where: { $0 == ":" }) > 1, !text.hasPrefix("[") { text = "[" + text + "]" }
    guard let (host, port) = hostAndPort(text) else { return nil }
    return (isWildcard ? .below("." + host) : .name(host), port)
  }

  /// Reads them as curl does; nil unless the text is nothing else.
  private static func hostAndPort(_ text: Substring) -> (host: String, port: String?)? {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-._:[]".utf8.contains(byte)
      }
    }
    guard isPlain, let origin = CurlURL("http://\(text)/")?.origin else { return nil }
    let host = plain(origin.host)
    guard !host.isEmpty, !host.hasPrefix(".") else { return nil }
    let rest = text.hasPrefix("[") ? text.drop { $0 != "]" } : text
    return (host, rest.contains(":") ? origin.port : nil)
  }

  /// Lower case, without the dot of a name that is complete.
  private static func plain(_ host: String) -> String {
    let name = host.lowercased()
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }
}
