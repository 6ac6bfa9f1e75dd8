/// A URI reference in a schema. It is resolved according to RFC 3986, section 5.2, for any scheme,
/// including `urn:`.
struct SchemaURI: Equatable {
  private var scheme: Substring?
  private var authority: Substring?
  private var path: String
  private var query: Substring?
  /// The fragment as written, without the `#`; nil if there is none.
  private(set) var fragment: String?

  init(_ text: String) {
    var rest = text[...]
    if let mark = rest.firstIndex(of: "#") {
      fragment = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: ":"), SchemaURI.isScheme(rest[..<colon]) {
      scheme = rest[..<colon]
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      authority = rest.prefix { $0 != "/" }
      rest = rest.drop { $0 != "/" }
    }
    path = String(rest)
  }

  /// The URI without its fragment.
  var document: String {
    (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
      + (query.map { "?" + $0 } ?? "")
  }

  /// Resolves the reference against the URI of a document.
  func resolved(against base: SchemaURI) -> SchemaURI {
    var target = self
    if scheme != nil {
      target.path = SchemaURI.withoutDots(path)
      return target
    }
    target.scheme = base.scheme
    guard authority == nil else {
      target.path = SchemaURI.withoutDots(path)
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      if query == nil { target.query = base.query }
    } else if path.hasPrefix("/") {
      target.path = SchemaURI.withoutDots(path)
    } else {
      let folder = base.path.lastIndex(of: "/").map { base.path[...$0] }
      let start = folder ?? (base.authority != nil ? "/" : "")
      target.path = SchemaURI.withoutDots(start + path)
    }
    return target
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy {
      isLetter($0) || (48...57).contains($0) || $0 == 43 || $0 == 45 || $0 == 46
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (65...90).contains(byte) || (97...122).contains(byte)
  }

  private static func withoutDots(_ path: String) -> String {
    guard path.contains("./") || path.hasSuffix("/.") || path.hasSuffix("..") else { return path }
    var parts: [Substring] = []
    let given = path.split(separator: "/", omittingEmptySubsequences: false)
    for (place, part) in given.enumerated() {
      let isLast = place == given.count - 1
      if part == ".." {
        if parts.count > 1 { parts.removeLast() }
        if isLast { parts.append("") }
      } else if part == "." {
        if isLast { parts.append("") }
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }
}
