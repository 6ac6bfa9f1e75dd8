extension ResourceURL {
  /// A URL, or a reference to one, taken apart; what it does not have is nil.
  package struct Parts: Equatable, Sendable {
    /// In lower case.
    package var scheme: String?
    /// Escapes resolved, as in `password`.
    package var user: [UInt8]?
    package var password: [UInt8]?
    /// As `HostName` has it where the scheme says whom to ask; an IPv6 address in its brackets.
    package var host: String?
    /// The scheme's own if none is written.
    package var port: Int?
    /// As written, as are query and fragment.
    package var path = ""
    package var query: String?
    package var fragment: String?
    /// Names and values of the query, escapes resolved, in order.
    package var params: [(name: [UInt8], value: [UInt8])] = []

    package static func == (a: Parts, b: Parts) -> Bool {
      a.scheme == b.scheme && a.user == b.user && a.password == b.password && a.host == b.host
        && a.port == b.port && a.path == b.path && a.query == b.query && a.fragment == b.fragment
        && a.params.elementsEqual(b.params) { $0.name == $1.name && $0.value == $1.value }
    }
  }

  /// Taken apart by RFC 3986; `+` in a query is a plus sign. (PATH-21)
  package var parts: Parts {
    withBytes { bytes in
      let places = Components(bytes)
      var parts = Parts()
      func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
      func decoded(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
        Escaping.decoded(UnsafeBufferPointer(rebasing: part))
      }
      parts.scheme = places.schemeEnd.map { ResourceURL.lowercased(bytes[..<$0]) }
      if let range = places.authority {
        let authority = Authority(bytes, range)
        if let user = authority.user {
          let colon = bytes[user].firstIndex(of: UInt8(ascii: ":")) ?? user.upperBound
          parts.user = decoded(bytes[user.lowerBound..<colon])
          if colon < user.upperBound {
            parts.password = decoded(bytes[(colon + 1)..<user.upperBound])
          }
        }
        let needsHost =
          places.schemeEnd.map { ResourceURL.needsHost(scheme: bytes[..<$0]) } ?? true
        let host = needsHost ? try? HostName.canonical(bytes[authority.host]) : nil
        parts.host = host ?? ResourceURL.lowercased(bytes[authority.host])
        parts.port =
          authority.portNumber(in: bytes)
          ?? parts.scheme.flatMap { ResourceURL.defaultPort(ofScheme: $0) }
      }
      parts.path = text(places.path)
      parts.query = places.query.map { text($0) }
      parts.fragment = places.fragment.map { text($0) }
      if let query = places.query {
        for pair in bytes[query].split(separator: UInt8(ascii: "&")) {
          let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
          parts.params.append((decoded(pair[..<equals]), decoded(pair[equals...].dropFirst())))
        }
      }
      return parts
    }
  }

  /// Why a text is no URL.
  package static func problem(in text: String) -> String {
    guard !text.isEmpty else { return "it is empty" }
    return ResourceURL(unchecked: text).withBytes { bytes in
      for (index, byte) in bytes.enumerated() where byte <= 0x20 || byte == 0x7F {
        let name = byte == 0x20 ? "a space" : "a control character"
        return "there is \(name) at byte \(index + 1), which has to be escaped"
      }
      guard let range = Components(bytes).authority else {
        return "what stands before its first colon is no scheme"
      }
      let authority = Authority(bytes, range)
      if let port = authority.port, !port.isEmpty, authority.portNumber(in: bytes) == nil {
        return "its port is no number up to 65535"
      }
      if authority.host.isEmpty { return "it has no host" }
      return hostProblem(in: text)
        ?? "its host, or the user before that, has a character that cannot stand there"
    }
  }
}
