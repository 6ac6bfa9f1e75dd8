/// Where requests go and what they share: connections, waiting queue, the right to see credentials.
struct Origin: Hashable, Sendable {
  var scheme: String
  var host: String
  var port: String

  var isTLS: Bool { scheme == "https" }

  /// Whether the host is an address already.
  var isNumeric: Bool {
    host.hasPrefix("[") || host.utf8.allSatisfy { $0 >= 48 && $0 <= 57 || $0 == UInt8(ascii: ".") }
  }

  /// For messages: the host, and the port unless it is the scheme's own.
  var hostAndPort: String {
    port == (isTLS ? "443" : "80") ? host : host + ":" + port
  }
}
