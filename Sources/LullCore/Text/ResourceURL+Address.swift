extension ResourceURL {
  /// Where an http or https URL leads to, taken apart.
  package struct Address: Equatable, Sendable {
    /// In lower case.
    package let scheme: String
    /// As `HostName` has it.
    package let host: String
    package let port: Int
    /// User and perhaps password, as written; nil if there are none.
    package let user: String?
    /// Path and query, as written, and a fragment.
    package let target: String
  }

  /// The same of a text that is known to be a URL.
  package static func address(of url: String) -> Address? { ResourceURL(unchecked: url).address }

  /// nil if the URL is of another scheme, or its host no name and no address.
  package var address: Address? {
    withBytes { bytes in
      let parts = Components(bytes)
      guard let schemeEnd = parts.schemeEnd, let range = parts.authority else { return nil }
      let scheme = ResourceURL.lowercased(bytes[..<schemeEnd])
      guard scheme == "http" || scheme == "https" else { return nil }
      let authority = Authority(bytes, range)
      guard let host = try? HostName.canonical(bytes[authority.host]),
        let port = authority.portNumber(in: bytes) ?? ResourceURL.defaultPort(ofScheme: scheme)
      else { return nil }
      return Address(
        scheme: scheme, host: host, port: port,
        user: authority.user.map { String(decoding: bytes[$0], as: UTF8.self) },
        target: String(decoding: bytes[range.upperBound...], as: UTF8.self))
    }
  }

  /// The URL with user and password of another one, unless it names some.
  package func inheritingUser(of other: ResourceURL) -> ResourceURL {
    withBytes { bytes in
      guard let range = Components(bytes).authority, Authority(bytes, range).user == nil else {
        return self
      }
      let user = other.withBytes { bytes -> [UInt8] in
        guard let range = Components(bytes).authority else { return [] }
        return Authority(bytes, range).user.map { Array(bytes[$0]) } ?? []
      }
      guard !user.isEmpty else { return self }
      let result =
        bytes[..<range.lowerBound] + user + [UInt8(ascii: "@")] + bytes[range.lowerBound...]
      return ResourceURL(unchecked: String(decoding: result, as: UTF8.self))
    }
  }
}
