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

/// The value of a `Link` header. (RFC 8288, appendix B.2)
///
/// What cannot be read does not hide what stands behind it, and is kept: whoever looks for a link must not
/// take it for the absence of one.
package struct LinkHeader {
  /// In order.
  package private(set) var links: [WebLink] = []
  /// What stands in the place of links and is none, as written.
  package private(set) var unreadable: [String] = []

  /// - Parameter value: repeated headers may have been joined with commas.
  package init(_ value: String) {
    var reader = Reader(value)
    while true {
      reader.skip { $0 == Reader.comma || Reader.isSpace($0) }
      guard !reader.isAtEnd else { return }
      let start = reader.index
      if let link = reader.link() {
        links.append(link)
      } else {
        // Whatever it is ends with the next comma.
        reader.skipToComma()
        unreadable.append(reader.text(from: start))
      }
    }
  }

  /// The first link of that relation from the response itself.
  package static func target(_ relation: String, in value: String) -> String? {
    LinkHeader(value).links.first { $0.anchor == nil && $0.relations.contains(relation) }?.target
  }

  /// Whether what cannot be read speaks of that relation.
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

  /// Whether all quoted texts of the present link have ended.
  private var isWhole = true

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

  func text(from start: Int) -> String { String(decoding: bytes[start..<index], as: UTF8.self) }

  private mutating func text(until isEnd: (UInt8) -> Bool) -> String {
    let start = index
    skip { !isEnd($0) }
    return text(from: start)
  }

  /// `<target>` and its parameters; of a parameter given twice the first counts. The target is whatever
  /// stands before the bracket, spaces too.
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
    // Quotation marks of another kind are part of the name, and of no name that anybody means.
    let marks = "'`\u{2018}\u{2019}\u{201C}\u{201D}"
    let isOdd = link.relations.contains { $0.contains { marks.contains($0) } }
    return isWhole && !isOdd ? link : nil
  }

  /// Whether a bracket was never closed, so that the one found is another link's.
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

  /// The quoted text that begins here, with a backslash before what stands for itself.
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
