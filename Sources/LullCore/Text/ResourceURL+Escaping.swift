extension ResourceURL {
  /// A set of ASCII characters, one bit each. Always contains letters and digits.
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

  /// Percent-encoding: the characters that stay unescaped in each component of a URL, and functions
  /// to escape and decode bytes.
  enum Escaping {
    static let host = ASCIISet("-._~!$&'()*+,;=")
    static let userInfo = ASCIISet("-._~!$&'()*+,;=:")
    static let path = ASCIISet("-._~!$&'()*+,;=:@/")
    /// The characters that stay unescaped in names and values of a query. The separators of a query
    /// are escaped, and so is the plus sign, which many servers read as a space. (PATH-21)
    static let parameter = ASCIISet("-._~!$'()*,;:@/?")
    /// The characters that stay unescaped in names and values of a form. (REQ-17)
    static let form = ASCIISet("-._~/?")
    /// The characters without a special meaning in any component. (RFC 3986, 2.3)
    static let unreserved = ASCIISet("-._~")

    /// The number of bytes in the escaped form.
    static func count(_ bytes: some Sequence<UInt8>, keeping bare: ASCIISet) -> Int {
      var count = 0
      for byte in bytes { count += bare.contains(byte) ? 1 : 3 }
      return count
    }

    /// Appends the bytes, as `%XX` unless they are in `bare`.
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

    /// The byte of the escape at `index`; nil if there is no valid escape.
    static func decodedByte(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt8? {
      guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"),
        let high = Hexadecimal.value(bytes[index + 1]),
        let low = Hexadecimal.value(bytes[index + 2])
      else { return nil }
      return high << 4 | low
    }

    /// Appends a component of a URL with its escapes decoded. Invalid escapes stay unchanged.
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

    /// Whether a component of a URL, with its escapes decoded, equals `wanted`.
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

  /// Fills the storage of a new string, whose size was computed before.
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
  /// The parts of an http or https URL that are needed to connect.
  package struct Address: Equatable, Sendable {
    /// The scheme in lower case.
    package let scheme: String
    /// The host in the canonical form of `HostName`.
    package let host: String
    package let port: Int
    /// The user, and a password if there is one, as written; nil if there is no user.
    package let user: String?
    /// Path, query and fragment as written.
    package let target: String
  }

  /// The parts needed to connect to a URL, given as a text that is known to be a URL.
  package static func address(of url: String) -> Address? { ResourceURL(unchecked: url).address }

  /// The parts needed to connect; nil if the URL has another scheme, or if its host is invalid.
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

  /// Returns the URL with the user and password of another URL, unless it has its own.
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
  /// The characters that may follow the authority of a URL unescaped, including those of escapes.
  private static let typed = ASCIISet("-._~!$&'()*+,;=:@/?#[]%")

  /// Returns a URL that was typed or copied with its invalid characters percent-encoded, such as
  /// spaces, braces and non-ASCII letters. Escapes and the host stay unchanged, and blanks at both
  /// ends are removed. (CMD-06)
  ///
  /// Control characters stay too, so that the text is rejected as a URL.
  package static func escaping(typed text: String) -> String {
    let text = String(text.trimmingBlanks)
    let start = ResourceURL(unchecked: text).withBytes { Components($0).path.lowerBound }
    return escaping(text, from: start)
  }

  /// Returns the query of a URL, which was typed or copied, with its invalid characters
  /// percent-encoded. The text does not include the question mark.
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
