/// A link in a `Link` header. (RFC 8288, section 3)
package struct WebLink: Equatable, Sendable {
  /// The reference as written, to be resolved against the URL of the response.
  package var target: String
  /// The relation types of the link (`rel`), in lower case.
  package var relations: [String]
  /// The context of the link (`anchor`); nil if the context is the URL of the response.
  package var anchor: String?

  package init(target: String, relations: [String] = [], anchor: String? = nil) {
    self.target = target
    self.relations = relations
    self.anchor = anchor
  }
}

/// Parses the value of a `Link` header. (RFC 8288, appendix B.2)
///
/// If an element of the header is not a valid link, the links after it are still found. The text of
/// the invalid element is stored in `unreadable`, so that an unreadable link isn't mistaken for a
/// missing one.
package struct LinkHeader {
  /// The valid links, in the order of the header.
  package private(set) var links: [WebLink] = []
  /// The texts of the elements that aren't valid links, as written.
  package private(set) var unreadable: [String] = []

  /// Parses the value of a `Link` header.
  ///
  /// - Parameter value: The value of the header. If the header is repeated, the values joined with
  ///   commas.
  package init(_ value: String) {
    var reader = Reader(value)
    while true {
      reader.skip { $0 == Reader.comma || Reader.isSpace($0) }
      guard !reader.isAtEnd else { return }
      let start = reader.index
      if let link = reader.link() {
        links.append(link)
      } else {
        // An invalid element ends at the next comma.
        reader.skipToComma()
        unreadable.append(reader.text(from: start))
      }
    }
  }

  /// The target of the first link in `value` that has the relation type `relation` and whose
  /// context is the response itself.
  package static func target(_ relation: String, in value: String) -> String? {
    LinkHeader(value).links.first { $0.anchor == nil && $0.relations.contains(relation) }?.target
  }

  /// Whether an invalid element mentions the relation type.
  package func mayHide(_ relation: String) -> Bool {
    unreadable.contains { text in
      text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
        .contains { $0 == relation }
    }
  }
}

private struct Reader {
  static let comma = UInt8(ascii: ",")
  private let bytes: [UInt8]
  private(set) var index = 0

  /// Whether all quoted strings of the current link are closed.
  private var isWhole = true

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { index >= bytes.count }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  mutating func skip(while isSkipped: (UInt8) -> Bool) {
    while index < bytes.count, isSkipped(bytes[index]) { index += 1 }
  }

  /// Moves to the next comma that is not inside a quoted string.
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

  func text(from start: Int) -> String { String(decoding: bytes[start..<index], as: UTF8.self) }

  private mutating func text(until isEnd: (UInt8) -> Bool) -> String {
    let start = index
    skip { !isEnd($0) }
    return text(from: start)
  }

  /// Parses `<target>` and its parameters. If a parameter is repeated, the first one is used. The
  /// target is all the text before the closing bracket, including spaces.
  mutating func link() -> WebLink? {
    guard take("<") else { return nil }
    let target = text { $0 == UInt8(ascii: ">") }
    guard take(">"), !Reader.holdsAnotherLink(target) else { return nil }
    var link = WebLink(target: target)
    var hasRelation = false
    isWhole = true
    while true {
      skip(while: Reader.isSpace)
      guard take(";") else { break }
      let (name, value) = parameter()
      switch name {
      case "rel" where !hasRelation:
        hasRelation = true
        link.relations = value.lowercased().split { $0 == " " || $0 == "\t" }.map(String.init)
      case "anchor" where link.anchor == nil: link.anchor = value
      default: break
      }
    }
    skipToComma()
    // Other quotation marks would be part of the relation's name, but no relation has such a name.
    let marks = "'`\u{2018}\u{2019}\u{201C}\u{201D}"
    let isOdd = link.relations.contains { $0.contains { marks.contains($0) } }
    return isWhole && !isOdd ? link : nil
  }

  /// Whether the target contains the beginning of another link. This is the case if the bracket of
  /// the target was never closed.
  private static func holdsAnotherLink(_ target: String) -> Bool {
    guard let bracket = target.lastIndex(of: "<") else { return false }
    return target[..<bracket].last { $0 != " " && $0 != "\t" } == ","
  }

  private mutating func parameter() -> (name: String, value: String) {
    skip(while: Reader.isSpace)
    let ends = Array("=;, \t".utf8)
    let name = text { ends.contains($0) }.lowercased()
    skip(while: Reader.isSpace)
    guard take("=") else { return (name, "") }
    skip(while: Reader.isSpace)
    if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { return (name, quoted()) }
    return (name, text { $0 == UInt8(ascii: ";") || $0 == Reader.comma })
  }

  /// Reads the quoted string that begins at the current position. A backslash escapes the next
  /// character.
  private mutating func quoted() -> String {
    var result: [UInt8] = []
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
      result.append(bytes[index])
      index += 1
    }
    if isAtEnd { isWhole = false } else { index += 1 }
    return String(decoding: result, as: UTF8.self)
  }
}
