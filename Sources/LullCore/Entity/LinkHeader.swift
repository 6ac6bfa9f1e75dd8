/// One link of a `Link` header. (RFC 8288, section 3)
package struct WebLink: Equatable, Sendable {
  /// The reference as written, to be resolved against the URL of the response.
  package var target: String
  /// In lower case.
  package var relations: [String]
  /// What the link is from, if not the response's own URL.
  package var anchor: String?

  package init(target: String, relations: [String] = [], anchor: String? = nil) {
    self.target = target
    self.relations = relations
    self.anchor = anchor
  }
}

/// The `Link` header. (RFC 8288)
package enum LinkHeader {
  /// The links of a header's value, in order; what cannot be read is left out. Repeated headers may
  /// have been joined with commas. (RFC 8288, appendix B.2)
  package static func links(in value: String) -> [WebLink] {
    var reader = Reader(value)
    var links: [WebLink] = []
    while true {
      reader.skip { $0 == Reader.comma || Reader.isSpace($0) }
      guard !reader.isAtEnd else { return links }
      guard let link = reader.link() else {
        // Not a link: whatever it is ends with the next comma.
        reader.skipToComma()
        continue
      }
      links.append(link)
    }
  }

  /// The first link of that relation from the response itself.
  package static func target(_ relation: String, in value: String) -> String? {
    links(in: value).first { $0.anchor == nil && $0.relations.contains(relation) }?.target
  }
}

private struct Reader {
  static let comma = UInt8(ascii: ",")
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { index >= bytes.count }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  mutating func skip(while isSkipped: (UInt8) -> Bool) {
    while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
  }

  /// Beyond quoted text, which may hold commas.
  mutating func skipToComma() {
    while index < bytes.count, bytes[index] != Reader.comma {
      if bytes[index] == UInt8(ascii: "\"") { _ = quoted() } else { index += 1 }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func text(until isEnd: (UInt8) -> Bool) -> String {
    let start = index
    skip { !isEnd($0) }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// `<target>` and its parameters; of a parameter given twice the first counts.
  mutating func link() -> WebLink? {
    guard take("<") else { return nil }
    let target = text { $0 == UInt8(ascii: ">") }
    guard take(">") else { return nil }
    var link = WebLink(target: target)
    var hasRelation = false
    while true {
      skip(while: Reader.isSpace)
      guard take(";") else { break }
      let (name, value) = parameter()
      switch name {
      case "rel" where !hasRelation:
        hasRelation = true
        link.relations = value.lowercased().split(separator: " ").map(String.init)
      case "anchor" where link.anchor == nil: link.anchor = value
      default: break
      }
    }
    skipToComma()
    return link
  }

  private mutating func parameter() -> (name: String, value: String) {
    skip(while: Reader.isSpace)
    let ends = Array("=;, \t".utf8)
    let name = text { ends.contains($0) }.lowercased()
    skip(while: Reader.isSpace)
    guard take("=") else { return (name, "") }
    skip(while: Reader.isSpace)
    if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { return (name, quoted()) }
    return (name, text { $0 == UInt8(ascii: ";") || $0 == Reader.comma || Reader.isSpace($0) })
  }

  /// The quoted text that begins here, with a backslash before what stands for itself.
  private mutating func quoted() -> String {
    var result: [UInt8] = []
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
      result.append(bytes[index])
      index += 1
    }
    index += 1
    return String(decoding: result, as: UTF8.self)
  }
}
