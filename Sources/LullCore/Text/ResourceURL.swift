/// The URL of a resource: one exact text, compared byte by byte. (SVC-26)
///
/// The text is not resolved, sorted or re-encoded. Only two changes are made: an empty path becomes
/// `/`, and an international host name is converted to A-labels. Functions that make other changes
/// return a new URL (`appending`, `relative`, `withParams`). The text is parsed at each access,
/// because many URLs are stored and few are read.
public struct ResourceURL: Hashable, Sendable, CustomStringConvertible {
  /// The whole text of the URL.
  public let text: String

  /// Makes a URL from a text that is known to be valid, because it was derived from a URL.
  init(unchecked text: String) {
    self.text = text
  }

  /// The URL of an invalid resource: a text that is not a URL. (SVC-21)
  package static let invalid = ResourceURL(unchecked: ":")

  /// Creates a URL from a text, which is not changed. Returns nil if the text can't be parsed, for
  /// example because it is empty, contains white space or control characters, or has an invalid
  /// host. A reference without a scheme, such as `./foo`, is accepted and not resolved. (SVC-16 to
  /// SVC-18)
  public init?(absolute text: String) {
    guard !text.isEmpty, let url = ResourceURL(unchecked: text).normalised() else { return nil }
    self = url
  }

  /// Converts a text to the base URL of a service: its path ends with a slash, its query is kept,
  /// and a fragment is removed. (SVC-01, SVC-02)
  ///
  /// Returns nil if paths can't be appended to the text, because it is not a URL, or has no scheme
  /// or no authority. (SVC-05)
  public static func base(_ text: String) -> ResourceURL? {
    guard let url = ResourceURL(absolute: text) else { return nil }
    return url.withBytes { bytes in
      let parts = Components(bytes)
      guard parts.schemeEnd != nil, parts.authority != nil else { return nil }
      let pathEnd = parts.path.upperBound
      let queryEnd = parts.query?.upperBound ?? pathEnd
      let hasSlash = !parts.path.isEmpty && bytes[pathEnd - 1] == UInt8(ascii: "/")
      if hasSlash && queryEnd == bytes.count { return url }
      let count = queryEnd + (hasSlash ? 0 : 1)
      return ResourceURL(
        unchecked: String(unsafeUninitializedCapacity: count) { out in
          var writer = Writer(out)
          writer.put(bytes[..<pathEnd])
          if !hasSlash { writer.put(UInt8(ascii: "/")) }
          writer.put(bytes[pathEnd..<queryEnd])
          return writer.count
        })
    }
  }

  public static func == (left: ResourceURL, right: ResourceURL) -> Bool {
    // String equality is canonical equivalence, which would treat URLs as equal that are sent as
    // different bytes.
    left.withBytes { a in
      right.withBytes { b in
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return RawBytes.areEqual(first, second, count: a.count)
      }
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }

  public var description: String { text }

  /// The text in the form for sending: non-ASCII characters are escaped, and all other characters
  /// are unchanged.
  public var percentEncoded: String {
    withBytes { bytes in
      guard bytes.contains(where: { $0 >= 0x80 }) else { return text }
      let start = Components(bytes).path.lowerBound
      let escaped = bytes[start...].count { $0 >= 0x80 }
      return String(unsafeUninitializedCapacity: bytes.count + 2 * escaped) { out in
        var writer = Writer(out)
        writer.put(bytes[..<start])
        for byte in bytes[start...] {
          if byte >= 0x80 {
            writer.putEscaped(CollectionOfOne(byte), keeping: Escaping.path)
          } else {
            writer.put(byte)
          }
        }
        return writer.count
      }
    }
  }

  /// Calls `body` with the bytes of the text, without copying them.
  package func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text
    return copy.withUTF8(body)
  }
}

// MARK: - Parts

extension ResourceURL {
  /// The scheme in lower case, without the colon; empty if there is no scheme.
  public var scheme: String {
    withBytes { bytes in
      Components(bytes).schemeEnd.map { ResourceURL.lowercased(bytes[..<$0]) } ?? ""
    }
  }

  /// The user information, host and port as written; empty if there is no authority.
  public var authority: String {
    withBytes { bytes in
      Components(bytes).authority.map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
    }
  }

  /// The host in lower case, without user information and port. An IPv6 address has its brackets.
  public var host: String {
    withBytes { bytes in
      guard let authority = Components(bytes).authority else { return "" }
      return ResourceURL.lowercased(bytes[Authority(bytes, authority).host])
    }
  }

  /// The scheme, host and port in lower case, such as `https://foo.bar:8080`. All spellings of a
  /// host give the same origin, and the default port of the scheme is left out. Empty for a URL
  /// without scheme or authority.
  public var origin: String {
    withBytes { bytes in
      let parts = Components(bytes)
      guard let schemeEnd = parts.schemeEnd, let range = parts.authority else { return "" }
      let authority = Authority(bytes, range)
      let scheme = ResourceURL.lowercased(bytes[..<schemeEnd])
      let host =
        ResourceURL.needsHost(scheme: bytes[..<schemeEnd])
        ? try? HostName.canonical(bytes[authority.host]) : nil
      let origin = scheme + "://" + (host ?? ResourceURL.lowercased(bytes[authority.host]))
      guard let port = authority.portNumber(in: bytes),
        port != ResourceURL.defaultPort(ofScheme: scheme)
      else { return origin }
      return origin + ":" + String(port)
    }
  }

  /// The path as written, including escapes.
  public var path: String {
    withBytes { String(decoding: $0[Components($0).path], as: UTF8.self) }
  }

  /// The query as written, without the question mark; nil if there is no query.
  public var query: String? {
    withBytes { bytes in
      Components(bytes).query.map { String(decoding: bytes[$0], as: UTF8.self) }
    }
  }

  /// The text of this URL with `base` replaced by a slash, for messages. If this URL doesn't begin
  /// with `base`, the text is not shortened. (STA-16)
  public func abbreviated(base: ResourceURL?) -> String {
    guard let base else { return text }
    return withBytes { bytes in
      base.withBytes { baseBytes in
        var end = Components(baseBytes).path.upperBound
        // The slash at the end of the base path becomes the leading slash of the short form.
        if end > 0, baseBytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
        guard bytes.count > end, bytes[end] == UInt8(ascii: "/"),
          bytes[..<end].elementsEqual(baseBytes[..<end])
        else { return text }
        return String(decoding: bytes[end...], as: UTF8.self)
      }
    }
  }

  static func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(unsafeUninitializedCapacity: bytes.count) { out in
      var writer = Writer(out)
      for byte in bytes { writer.put(byte >= 65 && byte <= 90 ? byte | 0x20 : byte) }
      return writer.count
    }
  }

  static func defaultPort(ofScheme scheme: String) -> Int? {
    switch scheme {
    case "http", "ws": 80
    case "https", "wss": 443
    case "ftp": 21
    default: nil
    }
  }
}

/// A type whose values are accepted as URLs: `String`, `ResourceURL`, or a type of the program.
///
/// The text of a value need not be a valid URL. The function that receives an invalid text decides
/// how to report the error: a service has no base URL (SVC-04), or a resource is invalid, so that
/// its requests fail (SVC-17). Callable on any thread. Lua: a string.
///
///     extension Foundation.URL: @retroactive URLConvertible {
///       public var urlText: String { absoluteString }
///     }
public protocol URLConvertible {
  /// The text of the URL.
  var urlText: String { get }
}

extension URLConvertible {
  /// The value as a URL; nil if the text is not an absolute URL.
  public var url: ResourceURL? { ResourceURL(absolute: urlText) }
}

extension String: URLConvertible {
  /// The string itself.
  public var urlText: String { self }
}

extension ResourceURL: URLConvertible {
  /// The text of the URL.
  public var urlText: String { text }
}

extension ResourceURL {
  /// The components of a URL or of a relative reference. Missing components are nil.
  package struct Parts: Equatable, Sendable {
    /// The scheme in lower case.
    package var scheme: String?
    /// The user, and the password if there is one, with escapes decoded.
    package var user: [UInt8]?
    package var password: [UInt8]?
    /// The host. If the scheme requires a host, the host is in the canonical form of `HostName`. An
    /// IPv6 address has its brackets.
    package var host: String?
    /// The port, or the default port of the scheme if none is written.
    package var port: Int?
    /// The path as written. The query and the fragment are also stored as written.
    package var path = ""
    package var query: String?
    package var fragment: String?
    /// The names and values of the query in order, with escapes decoded.
    package var params: [(name: [UInt8], value: [UInt8])] = []

    package static func == (a: Parts, b: Parts) -> Bool {
      a.scheme == b.scheme && a.user == b.user && a.password == b.password && a.host == b.host
        && a.port == b.port && a.path == b.path && a.query == b.query && a.fragment == b.fragment
        && a.params.elementsEqual(b.params) { $0.name == $1.name && $0.value == $1.value }
    }
  }

  /// The components according to RFC 3986. `+` in a query is a plus sign. (PATH-21)
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

  /// Returns the reason why a text is not a URL.
  package static func problem(in text: String) -> String {
    guard !text.isEmpty else { return "it is empty" }
    return ResourceURL(unchecked: text).withBytes { bytes in
      for (index, byte) in bytes.enumerated() where byte <= 0x20 || byte == 0x7F {
        let name = byte == 0x20 ? "a space" : "a control character"
        return "there is \(name) at byte \(index + 1), which must be escaped"
      }
      guard let range = Components(bytes).authority else {
        return "the text before its first colon is not a scheme"
      }
      let authority = Authority(bytes, range)
      if let port = authority.port, !port.isEmpty, authority.portNumber(in: bytes) == nil {
        return "its port is not a number up to 65535"
      }
      if authority.host.isEmpty { return "it has no host" }
      return hostProblem(in: text)
        ?? "its host or user has an invalid character"
    }
  }
}

extension ResourceURL {
  /// The positions of the components of a URL reference, according to RFC 3986, appendix B. Any
  /// text can be divided into these components.
  struct Components {
    /// The index of the colon after the scheme; nil without a scheme.
    var schemeEnd: Int?
    /// The range of the authority, without the two slashes.
    var authority: Range<Int>?
    var path: Range<Int>
    /// The range of the query, without the question mark.
    var query: Range<Int>?
    /// The range of the fragment, without the number sign.
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

    /// Whether these components form a valid URL, or a valid reference that is resolved against a
    /// URL whose scheme requires a host.
    ///
    /// The check is strict where an error would send a request to the wrong server: white space,
    /// control characters and the authority. It tolerates other characters that should be escaped.
    ///
    /// - Parameter spacesPass: Whether spaces are allowed after the authority. The caller must
    ///   escape them.
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
        // A colon in the first segment would end a scheme. (RFC 3986, 4.2)
        for byte in bytes[path] {
          if byte == UInt8(ascii: "/") { break }
          if byte == UInt8(ascii: ":") { return false }
        }
      }
      return true
    }
  }

  /// The index of the colon after the scheme, if the text begins with a scheme. (PAT-03)
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

  /// The user information, host and port of an authority, as ranges in the bytes of the URL.
  struct Authority {
    var user: Range<Int>?
    var host: Range<Int>
    /// The port, without the colon before it. Empty if the colon is not followed by a number.
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

    /// Whether all characters may occur in a user or host name. Non-ASCII characters are allowed
    /// here, because `HostName` checks them.
    private static func isName(
      _ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ allowed: ASCIISet
    ) -> Bool {
      bytes.allSatisfy { $0 >= 0x80 || $0 == UInt8(ascii: "%") || allowed.contains($0) }
    }

    /// Whether the text in brackets looks like an IPv6 address or an address of a future version.
    /// An IPv6 address has hexadecimal digits, dots and at least two colons, with an optional zone
    /// after a percent sign.
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
