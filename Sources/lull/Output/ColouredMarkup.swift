import LullCore

/// Colours XML and HTML without any other change. Malformed documents are shown too.
struct ColouredMarkup {
  private static let types = ["*/xml", "*/*+xml", "text/html"].map { ContentTypePattern($0) }
  /// The maximum size for colouring, in bytes. Larger documents take too long.
  private static let largest = 4 << 20

  private static let (tag, attribute, value, other) = ("34", "36", "32", "35")

  private let style: OutputStyle
  private let text: Substring.UTF8View
  private var result = ""

  /// The text with colours. `nil` if the text is neither XML nor HTML, or if colours are off.
  static func text(_ text: String, in entity: Entity, _ style: OutputStyle) -> String? {
    guard style.isColoured, text.utf8.count <= largest,
      types.contains(where: { $0.matches(entity.contentType) })
    else { return nil }
    var markup = ColouredMarkup(text, style)
    markup.paintAll()
    return markup.result
  }

  private init(_ text: String, _ style: OutputStyle) {
    self.text = text[...].utf8
    self.style = style
  }

  private mutating func paintAll() {
    var rest = text
    while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
      result += String(Substring(rest[..<mark]))
      rest = rest[mark...]
      if rest.starts(with: "<!--".utf8) {
        rest = paint(rest, through: "-->")
      } else if rest.starts(with: "<![CDATA[".utf8) {
        rest = paint(rest, through: "]]>")
      } else if rest.starts(with: "<!".utf8) || rest.starts(with: "<?".utf8) {
        rest = paint(rest, through: ">")
      } else {
        rest = paintTag(rest)
      }
    }
    result += String(Substring(rest))
  }

  /// Writes a part in one colour, such as a comment or a declaration: the text up to and including
  /// `end`. Returns the remaining text.
  private mutating func paint(
    _ rest: Substring.UTF8View, through end: String
  ) -> Substring.UTF8View {
    let stop = Substring(rest).firstRange(of: end)?.upperBound ?? rest.endIndex
    // Some pagers reset the colour at the end of a line.
    for (number, line) in Substring(rest[..<stop])
      .split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if number > 0 { result += "\n" }
      result += style.painted(String(line), ColouredMarkup.other)
    }
    return rest[stop...]
  }

  /// Writes a tag such as `<name attribute="value">` with colours. Returns the remaining text.
  private mutating func paintTag(_ rest: Substring.UTF8View) -> Substring.UTF8View {
    var rest = rest
    let behind = rest.dropFirst().drop { $0 == UInt8(ascii: "/") }
    let name = rest[..<(behind.firstIndex(where: ColouredMarkup.endsName) ?? rest.endIndex)]
    result += style.painted(String(Substring(name)), ColouredMarkup.tag)
    rest = rest[name.endIndex...]
    while let byte = rest.first, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        let end = rest.dropFirst().firstIndex(of: byte).map { rest.index(after: $0) }
        let value = rest[..<(end ?? rest.endIndex)]
        result += style.painted(String(Substring(value)), ColouredMarkup.value)
        rest = rest[value.endIndex...]
      } else if ColouredMarkup.endsName(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
        rest = rest.dropFirst()
      } else {
        let word = rest.prefix { !ColouredMarkup.endsName($0) }
        result += style.painted(String(Substring(word)), ColouredMarkup.attribute)
        rest = rest[word.endIndex...]
      }
    }
    guard rest.first == UInt8(ascii: ">") else { return rest }
    result += style.painted(">", ColouredMarkup.tag)
    return rest.dropFirst()
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte <= 32 || "<>=/\"'".utf8.contains(byte)
  }
}
