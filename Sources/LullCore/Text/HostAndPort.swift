/// `example.com`, `example.com:443`, `127.0.0.1:80`, `::1`, `[::1]:80`.
package struct HostAndPort: Sendable, Equatable {
  /// As `HostName` has it; an IPv6 address without brackets.
  package var host: String
  package var port: Int?

  package init(host: String, port: Int?) {
    self.host = host
    self.port = port
  }

  /// nil if the text is nothing of the kind.
  package init?(_ text: some StringProtocol) {
    var name = Substring(text)
    var portText: Substring?
    if name.first == "[" {
      guard let end = name.firstIndex(of: "]") else { return nil }
      let rest = name[name.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { return nil }
      portText = rest.isEmpty ? nil : rest.dropFirst()
      name = name[...end]
    } else if let colon = name.firstIndex(of: ":") {
      if name.lastIndex(of: ":") == colon {
        portText = name[name.index(after: colon)...]
        name = name[..<colon]
      } else {
        name = "[" + name + "]"
      }
    }
    if let portText {
      guard portText.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let port = Int(portText),
        (1...65535).contains(port)
      else { return nil }
      self.port = port
    }
    guard name.utf8.allSatisfy(HostAndPort.mayStandInAHost),
      let host = try? HostName.canonical(Array(name.utf8))
    else { return nil }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
  }

  /// As it stands in a URL.
  package var description: String {
    port.map { "\(urlHost):\($0)" } ?? urlHost
  }

  /// The host as it stands in a URL.
  package var urlHost: String { host.contains(":") ? "[\(host)]" : host }

  private static func mayStandInAHost(_ byte: UInt8) -> Bool {
    byte > 32 && byte != 127 && !"/?#@,;\\\"'".utf8.contains(byte)
  }
}
