import LullLibC
import LullCore

/// Scheme, host and port of a server. Requests to one origin share connections, a queue, and access
/// to credentials.
///
/// All requests to an origin share one object, because each exchange passes it on several times.
final class Origin: Hashable, Sendable {
  /// `http` or `https`.
  let scheme: String
  /// The host in the canonical form of `HostName`: each host has one spelling, which curl
  /// interprets in the same way.
  let host: String
  let port: String
  /// The origin as a URL without a path.
  let text: String

  init(scheme: String, host: String, port: String) {
    self.scheme = scheme
    self.host = host
    self.port = port
    text = "\(scheme)://" + (port == (scheme == "https" ? "443" : "80") ? host : host + ":" + port)
  }

  /// Returns nil unless the text is an absolute http or https URL.
  convenience init?(of url: String) {
    guard let address = ResourceURL(absolute: url)?.address else { return nil }
    self.init(scheme: address.scheme, host: address.host, port: String(address.port))
    guard CurlURL.agrees(with: self) else { return nil }
  }

  static func == (one: Origin, other: Origin) -> Bool { one.text == other.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  var isTLS: Bool { scheme == "https" }

  /// Whether the host is an IP address.
  var isNumeric: Bool {
    host.hasPrefix("[") || host.utf8.allSatisfy { $0 >= 48 && $0 <= 57 || $0 == UInt8(ascii: ".") }
  }

  /// An IPv6 address without its zone; any other host unchanged.
  var hostWithoutZone: String {
    guard host.hasPrefix("["), let mark = host.firstIndex(of: "%") else { return host }
    return host[..<mark] + "]"
  }

  /// The host for messages, with the port unless it is the scheme's default.
  var hostAndPort: String { String(text.dropFirst(scheme.count + 3)) }

  /// Returns the text of a URL of this origin for curl. The parts that determine the destination
  /// are rebuilt from the checked values.
  func wireURL(_ url: String) -> String {
    if hasBeginning(of: url) { return url }
    // For a URL of another origin, this returns an empty URL, which curl rejects.
    guard let address = ResourceURL.address(of: url), address.host == host else { return "" }
    let user = address.user.map { $0.isEmpty ? "" : $0 + "@" } ?? ""
    return "\(scheme)://\(user)\(hostAndPort)\(address.target)"
  }

  /// Whether the URL begins with exactly the text of this origin, and the authority ends there.
  private func hasBeginning(of url: String) -> Bool {
    var (url, text) = (url, text)
    return url.withUTF8 { url in
      text.withUTF8 { text in
        guard let bytes = url.baseAddress, let start = text.baseAddress, url.count >= text.count,
          memcmp(bytes, start, text.count) == 0
        else { return false }
        guard url.count > text.count else { return true }
        let next = url[text.count]
        return next == UInt8(ascii: "/") || next == UInt8(ascii: "?") || next == UInt8(ascii: "#")
      }
    }
  }
}
