/// The URL of a resource: exactly one text, compared byte by byte. (SVC-26)
///
/// Nothing is resolved, sorted or re-encoded behind the caller's back, but that an empty path becomes
/// `/` and an international host name its A-labels; only the functions that make a new URL from this
/// one (`appending`, `relative`, `withParams`) write anything. The text is parsed anew for each
/// question: URLs are kept in great number and asked rarely.
public struct ResourceURL: Hashable, Sendable, CustomStringConvertible {
  /// The whole of it, as it is sent.
  public let text: String

  /// For texts known to be URLs, being built from one.
  init(unchecked text: String) {
    self.text = text
  }

  /// What an invalid resource shows as its URL: a text that is no URL. (SVC-21)
  package static let invalid = ResourceURL(unchecked: ":")

  /// Exactly that URL, or nil if the text cannot be parsed as one: empty, white space or control
  /// characters, a malformed host. References without a scheme, such as `./foo`, are taken
  /// literally. (SVC-16 to SVC-18)
  public init?(absolute text: String) {
    guard !text.isEmpty, let url = ResourceURL(unchecked: text).normalised() else { return nil }
    self = url
  }

  /// The base URL of a service: its path ends in a slash, its query is kept, a fragment is dropped.
  /// (SVC-01, SVC-02)
  ///
  /// nil if paths cannot be appended to it: no URL, no scheme, or no authority. (SVC-05)
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
    // String equality is canonical equivalence, which would merge two URLs that differ on the wire.
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

  /// The text as it goes on the wire: characters beyond ASCII escaped, and nothing else.
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

  /// The text as bytes, without copying it.
  package func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text
    return copy.withUTF8(body)
  }
}

// MARK: - Parts

extension ResourceURL {
  /// In lower case, without the colon; empty if there is none.
  public var scheme: String {
    withBytes { bytes in
      Components(bytes).schemeEnd.map { ResourceURL.lowercased(bytes[..<$0]) } ?? ""
    }
  }

  /// User information, host and port as written; empty if there is none.
  public var authority: String {
    withBytes { bytes in
      Components(bytes).authority.map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
    }
  }

  /// In lower case, without user information and port; an IPv6 address keeps its brackets.
  public var host: String {
    withBytes { bytes in
      guard let authority = Components(bytes).authority else { return "" }
      return ResourceURL.lowercased(bytes[Authority(bytes, authority).host])
    }
  }

  /// Scheme, host and port, as in `https://foo.bar:8080`: in lower case, all spellings of a host being
  /// one, the scheme's default port dropped; empty for a URL without scheme or authority.
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

  /// As written, escapes included.
  public var path: String {
    withBytes { String(decoding: $0[Components($0).path], as: UTF8.self) }
  }

  /// As written, without the question mark; nil if there is none.
  public var query: String? {
    withBytes { bytes in
      Components(bytes).query.map { String(decoding: bytes[$0], as: UTF8.self) }
    }
  }

  /// The text with the base shortened to a leading slash; URLs outside the base stay whole.
  /// (STA-16)
  public func abbreviated(base: ResourceURL?) -> String {
    guard let base else { return text }
    return withBytes { bytes in
      base.withBytes { baseBytes in
        var end = Components(baseBytes).path.upperBound
        // The slash that ends a base path becomes the one that leads the short form.
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
