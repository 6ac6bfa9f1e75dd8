import LullLibC
import LullCore

/// Where requests go and what they share: connections, waiting queue, the right to see credentials.
///
/// One object for all who go there, since each exchange hands it on several times.
final class Origin: Hashable, Sendable {
  /// `http` or `https`.
  let scheme: String
  /// As `HostName` has it: no two spellings of one host, and none that curl reads otherwise.
  let host: String
  let port: String
  /// As a URL, without a path.
  let text: String

  init(scheme: String, host: String, port: String) {
    self.scheme = scheme
    self.host = host
    self.port = port
    text = "\(scheme)://" + (port == (scheme == "https" ? "443" : "80") ? host : host + ":" + port)
  }

  /// nil unless the text is an absolute http or https URL.
  convenience init?(of url: String) {
    guard let address = ResourceURL(absolute: url)?.address else { return nil }
    self.init(scheme: address.scheme, host: address.host, port: String(address.port))
    guard CurlURL.agrees(with: self) else { return nil }
  }

  static func == (one: Origin, other: Origin) -> Bool { one.text == other.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  var isTLS: Bool { scheme == "https" }

  /// Whether the host is an address already.
  var isNumeric: Bool {
    host.hasPrefix("[") || host.utf8.allSatisfy { $0 >= 48 && $0 <= 57 || $0 == UInt8(ascii: ".") }
  }

  /// An IPv6 address without the link it is of; any other host as it is.
  var hostWithoutZone: String {
    guard host.hasPrefix("["), let mark = host.firstIndex(of: "%") else { return host }
    return host[..<mark] + "]"
  }

  /// For messages: the host, and the port unless it is the scheme's own.
  var hostAndPort: String { String(text.dropFirst(scheme.count + 3)) }

  /// The text of a URL of this origin for curl: what decides where it goes is made anew from what has
  /// been checked.
  func wireURL(_ url: String) -> String {
    if hasBeginning(of: url) { return url }
    // Nothing, which curl refuses, if it is not of this origin.
    guard let address = ResourceURL.address(of: url), address.host == host else { return "" }
    let user = address.user.map { $0.isEmpty ? "" : $0 + "@" } ?? ""
    return "\(scheme)://\(user)\(hostAndPort)\(address.target)"
  }

  /// Whether the URL begins with this origin as it is written here, and no more of a host.
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
