/// `example.com`, `example.com:443`, `127.0.0.1:80`, `::1`, `[::1]:80`.
package struct HostAndPort: Sendable, Equatable {
  /// Lower case; an IPv6 address without brackets.
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
      name = name[name.index(after: name.startIndex)..<end]
      guard name.contains(":") else { return nil }
    } else if let colon = name.firstIndex(of: ":"), name.lastIndex(of: ":") == colon {
      portText = name[name.index(after: colon)...]
      name = name[..<colon]
    }
    if let portText {
      guard portText.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let port = Int(portText),
        (1...65535).contains(port)
      else { return nil }
      self.port = port
    }
    guard !name.isEmpty, name.unicodeScalars.allSatisfy(HostAndPort.mayStandInAHost) else {
      return nil
    }
    host = name.lowercased()
  }

  package var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port.map { "\(name):\($0)" } ?? name
  }

  private static func mayStandInAHost(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value > 32 && scalar.value != 127 && !"/?#@[],;\\\"'".unicodeScalars.contains(scalar)
  }
}
