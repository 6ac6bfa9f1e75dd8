/// What the URL of a proxy says.
package struct ProxyAddress: Sendable, Equatable {
  package static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  package var scheme: String
  package var host: HostAndPort
  /// User and perhaps password, as they stand before the `@`.
  private var user: String?

  /// nil unless the text is a URL of one of the schemes, with nothing behind the host.
  ///
  /// What stands before the last `@` is user and password, and holds nothing that could end them for
  /// another reader.
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

  /// Where to connect to.
  package var port: Int {
    host.port ?? (scheme == "https" ? 443 : 1080)
  }

  /// The URL made anew from its parts: whoever reads it finds these and nothing else.
  package var url: String {
    var credentials = ""
    if let user {
      let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      credentials = parts.map(ProxyAddress.escaped).joined(separator: ":") + "@"
    }
    return "\(scheme)://\(credentials)\(host.urlHost):\(port)"
  }

  /// Escapes that are there stay, and what needs one gets it.
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
