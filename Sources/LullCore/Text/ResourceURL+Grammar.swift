extension ResourceURL {
  /// Where the parts of a URL reference are, by RFC 3986 appendix B: any text can be split so.
  struct Components {
    /// The index of the colon after the scheme.
    var schemeEnd: Int?
    /// Without the two slashes.
    var authority: Range<Int>?
    var path: Range<Int>
    /// Without the question mark.
    var query: Range<Int>?
    /// Without the number sign.
    var fragment: Range<Int>?

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      var index = 0
      if let end = ResourceURL.schemeEnd(bytes) {
        schemeEnd = end
        index = end + 1
      }
      if bytes.count >= index + 2, bytes[index] == UInt8(ascii: "/"),
        bytes[index + 1] == UInt8(ascii: "/")
      {
        let start = index + 2
        index = Components.end(of: bytes, from: start) {
          $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        authority = start..<index
      }
      let pathStart = index
      index = Components.end(of: bytes, from: index) {
        $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      }
      path = pathStart..<index
      if index < bytes.count, bytes[index] == UInt8(ascii: "?") {
        let start = index + 1
        index = Components.end(of: bytes, from: start) { $0 == UInt8(ascii: "#") }
        query = start..<index
      }
      if index < bytes.count { fragment = (index + 1)..<bytes.count }
    }

    private static func end(
      of bytes: UnsafeBufferPointer<UInt8>, from start: Int, where isStop: (UInt8) -> Bool
    ) -> Int {
      var index = start
      while index < bytes.count, !isStop(bytes[index]) { index += 1 }
      return index
    }

    /// Whether these are the parts of a URL, or of a reference to be resolved against one whose
    /// scheme needs a host.
    ///
    /// Strict where a misreading would send a request elsewhere (white space, control characters,
    /// the authority), tolerant of other characters that ought to be escaped.
    ///
    /// - Parameter spacesPass: whether spaces may stand behind the authority, where they will be
    ///   escaped.
    func isValid(
      in bytes: UnsafeBufferPointer<UInt8>, needsHost inheritedNeedsHost: Bool = true,
      spacesPass: Bool = false
    ) -> Bool {
      for (index, byte) in bytes.enumerated() {
        if byte < 0x20 || byte == 0x7F { return false }
        if byte == 0x20, !spacesPass || index < path.lowerBound { return false }
        // The control characters U+0080 to U+009F.
        if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { return false }
      }
      if let authority {
        let needsHost =
          schemeEnd.map { ResourceURL.needsHost(scheme: bytes[..<$0]) } ?? inheritedNeedsHost
        return Authority(bytes, authority).isValid(in: bytes, needsHost: needsHost)
      }
      if schemeEnd == nil {
        // A colon in the first segment would be the end of a scheme. (RFC 3986, 4.2)
        for byte in bytes[path] {
          if byte == UInt8(ascii: "/") { break }
          if byte == UInt8(ascii: ":") { return false }
        }
      }
      return true
    }
  }

  /// The index of the colon that ends the scheme, if the text begins with one. (PAT-03)
  static func schemeEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let first = bytes.first, (first | 0x20) >= 97, (first | 0x20) <= 122 else { return nil }
    for index in 1..<max(1, bytes.count) {
      switch bytes[index] {
      case UInt8(ascii: ":"): return index
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."):
        continue
      default: return nil
      }
    }
    return nil
  }

  static func needsHost(scheme: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    switch lowercased(scheme) {
    case "http", "https", "ws", "wss", "ftp": true
    default: false
    }
  }

  /// User information, host and port of an authority, as ranges of the URL's bytes.
  struct Authority {
    var user: Range<Int>?
    var host: Range<Int>
    /// Empty for a colon without a number.
    var port: Range<Int>?

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
      var start = range.lowerBound
      if let at = bytes[range].lastIndex(of: UInt8(ascii: "@")) {
        user = start..<at
        start = at + 1
      }
      host = start..<range.upperBound
      let colon = bytes[host].lastIndex(of: UInt8(ascii: ":"))
      let bracket = bytes[host].lastIndex(of: UInt8(ascii: "]"))
      // The colons of an IPv6 address come before its closing bracket.
      if let colon, bracket.map({ $0 < colon }) ?? true {
        host = start..<colon
        port = (colon + 1)..<range.upperBound
      }
    }

    func portNumber(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
      guard let port, !port.isEmpty else { return nil }
      var number = 0
      for byte in bytes[port] {
        guard byte >= 48, byte <= 57 else { return nil }
        number = number * 10 + Int(byte - 48)
        guard number <= 65535 else { return nil }
      }
      return number
    }

    func isValid(in bytes: UnsafeBufferPointer<UInt8>, needsHost: Bool) -> Bool {
      if let port, !port.isEmpty, portNumber(in: bytes) == nil { return false }
      if let user, !Authority.isName(bytes[user], Escaping.userInfo) { return false }
      if host.isEmpty { return !needsHost }
      guard bytes[host.lowerBound] == UInt8(ascii: "[") else {
        return Authority.isName(bytes[host], Escaping.host)
      }
      guard host.count > 2, bytes[host.upperBound - 1] == UInt8(ascii: "]") else { return false }
      return Authority.isAddress(bytes[(host.lowerBound + 1)..<(host.upperBound - 1)])
    }

    /// Characters outside ASCII pass: whether they make a host name is looked at elsewhere.
    private static func isName(
      _ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ allowed: ASCIISet
    ) -> Bool {
      bytes.allSatisfy { $0 >= 0x80 || $0 == UInt8(ascii: "%") || allowed.contains($0) }
    }

    /// What may stand in brackets, roughly: hexadecimal digits, dots and at least two colons, with
    /// or without a zone after a percent sign; or an address of a version to come.
    private static func isAddress(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
      if let first = bytes.first, first | 0x20 == UInt8(ascii: "v") {
        return isName(bytes, Escaping.userInfo)
      }
      let address = bytes.prefix { $0 != UInt8(ascii: "%") }
      guard isName(bytes[address.endIndex...], Escaping.host) else { return false }
      var colons = 0
      for byte in address {
        if byte == UInt8(ascii: ":") {
          colons += 1
        } else if byte != UInt8(ascii: "."), Hexadecimal.value(byte) == nil {
          return false
        }
      }
      return colons >= 2
    }
  }
}
