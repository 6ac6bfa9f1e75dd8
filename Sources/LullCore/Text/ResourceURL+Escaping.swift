extension ResourceURL {
  /// A set of ASCII characters, stored as one bit each. It always contains letters and digits.
  struct ASCIISet: Sendable {
    private var low: UInt64 = 0x03FF_0000_0000_0000
    private var high: UInt64 = 0x07FF_FFFE_07FF_FFFE

    init(_ punctuation: StaticString) {
      let bytes = UnsafeBufferPointer(
        start: punctuation.utf8Start, count: punctuation.utf8CodeUnitCount)
      for byte in bytes {
        if byte < 64 { low |= 1 &<< UInt64(byte) } else { high |= 1 &<< UInt64(byte & 63) }
      }
    }

    func contains(_ byte: UInt8) -> Bool {
      byte < 128 && ((byte < 64 ? low : high) &>> UInt64(byte & 63)) & 1 == 1
    }
  }

  /// Functions to escape and decode bytes in URLs, and for each component of a URL the characters
  /// that stay unescaped.
  enum Escaping {
    static let host = ASCIISet("-._~!$&'()*+,;=")
    static let userInfo = ASCIISet("-._~!$&'()*+,;=:")
    static let path = ASCIISet("-._~!$&'()*+,;=:@/")
    /// The characters that stay unescaped in names and values of a query. The separators of a query
    /// are not among them, and neither is the plus sign, which many servers interpret as a space.
    /// (PATH-21)
    static let parameter = ASCIISet("-._~!$'()*,;:@/?")
    /// The characters that stay unescaped in names and values of a form. (REQ-17)
    static let form = ASCIISet("-._~/?")
    /// The characters without a special meaning in any component. (RFC 3986, 2.3)
    static let unreserved = ASCIISet("-._~")

    /// The number of bytes that `bytes` will have when escaped.
    static func count(_ bytes: some Sequence<UInt8>, keeping bare: ASCIISet) -> Int {
      var count = 0
      for byte in bytes { count += bare.contains(byte) ? 1 : 3 }
      return count
    }

    /// Appends `bytes` to `result`. Each byte is written as `%XX`, unless its character is in
    /// `bare`.
    static func append(
      _ bytes: some Sequence<UInt8>, to result: inout [UInt8], keeping bare: ASCIISet
    ) {
      for byte in bytes {
        if bare.contains(byte) {
          result.append(byte)
        } else {
          result.append(UInt8(ascii: "%"))
          result.append(hexDigit(byte >> 4))
          result.append(hexDigit(byte & 15))
        }
      }
    }

    static func hexDigit(_ value: UInt8) -> UInt8 {
      value < 10 ? 48 + value : 55 + value
    }

    /// Decodes the escape at `index` to a byte; nil if there is no valid escape.
    static func decodedByte(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt8? {
      guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"),
        let high = Hexadecimal.value(bytes[index + 1]),
        let low = Hexadecimal.value(bytes[index + 2])
      else { return nil }
      return high << 4 | low
    }

    /// Appends a component of a URL to `result`, with its escapes decoded. Invalid escapes are
    /// unchanged.
    static func appendDecoded(_ bytes: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
      var index = 0
      while index < bytes.count {
        let byte = decodedByte(in: bytes, at: index)
        result.append(byte ?? bytes[index])
        index += byte == nil ? 1 : 3
      }
    }

    static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      appendDecoded(bytes, to: &result)
      return result
    }

    /// Whether a component of a URL equals `wanted` when its escapes are decoded.
    static func decodes(
      _ part: Slice<UnsafeBufferPointer<UInt8>>, to wanted: some Collection<UInt8>
    ) -> Bool {
      let bytes = UnsafeBufferPointer(rebasing: part)
      var index = 0
      for byte in wanted {
        guard index < bytes.count else { return false }
        let escaped = decodedByte(in: bytes, at: index)
        guard byte == escaped ?? bytes[index] else { return false }
        index += escaped == nil ? 1 : 3
      }
      return index == bytes.count
    }
  }

  /// Writes bytes into the storage of a new string. The size of the string is computed in advance.
  struct Writer {
    private let out: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ out: UnsafeMutableBufferPointer<UInt8>) {
      self.out = out
    }

    mutating func put(_ byte: UInt8) {
      out[count] = byte
      count += 1
    }

    mutating func put(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
      let rest = UnsafeMutableBufferPointer(rebasing: out[count...])
      count += rest.update(fromContentsOf: bytes)
    }

    mutating func putEscaped(_ bytes: some Sequence<UInt8>, keeping bare: ASCIISet) {
      for byte in bytes {
        if bare.contains(byte) {
          put(byte)
        } else {
          put(UInt8(ascii: "%"))
          put(Escaping.hexDigit(byte >> 4))
          put(Escaping.hexDigit(byte & 15))
        }
      }
    }
  }
}

extension ResourceURL {
  /// The components of an `http` or `https` URL that are needed to connect to the server.
  package struct Address: Equatable, Sendable {
    /// The scheme in lower case.
    package let scheme: String
    /// The host in the canonical form of `HostName`.
    package let host: String
    package let port: Int
    /// The user, and a password if there is one, as written; nil if there is no user.
    package let user: String?
    /// The path, query and fragment as written.
    package let target: String
  }

  /// The components needed to connect to the server of `url`, which is known to be a URL.
  package static func address(of url: String) -> Address? { ResourceURL(unchecked: url).address }

  /// The components needed to connect to the server; nil if the URL has another scheme than `http`
  /// or `https`, or if its host is invalid.
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

  /// Returns this URL with the user and password of `other`, unless this URL has a user itself.
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

extension ResourceURL {
  /// The characters that stay unescaped after the host and port of a typed URL. `%` is one of them,
  /// so that existing escapes are kept.
  private static let typed = ASCIISet("-._~!$&'()*+,;=:@/?#[]%")

  /// Percent-encodes the invalid characters of a URL that was typed or copied, such as spaces,
  /// braces and non-ASCII letters. Existing escapes and the host are unchanged, and blanks at both
  /// ends are removed. (CMD-06)
  ///
  /// Control characters are not encoded, so a URL that contains them is still rejected as invalid.
  package static func escaping(typed text: String) -> String {
    let text = String(text.trimmingBlanks)
    let start = ResourceURL(unchecked: text).withBytes { Components($0).path.lowerBound }
    return escaping(text, from: start)
  }

  /// Percent-encodes the invalid characters of a typed or copied query. `text` does not include the
  /// question mark.
  package static func escaping(typedQuery text: String) -> String { escaping(text, from: 0) }

  private static func escaping(_ text: String, from start: Int) -> String {
    let bytes = Array(text.utf8)
    let isFine = { (byte: UInt8) in typed.contains(byte) || byte < 0x20 || byte == 0x7F }
    guard !bytes[start...].allSatisfy(isFine) else { return text }
    var result = Array(bytes[..<start])
    for byte in bytes[start...] {
      if isFine(byte) {
        result.append(byte)
      } else {
        Escaping.append(CollectionOfOne(byte), to: &result, keeping: typed)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
