/// A token of a GraphQL document.
struct Token {
  enum Kind: Equatable {
    /// One of `! $ & ( ) : = @ [ ] { | }`.
    case punctuator(UInt8)
    /// `...`
    case spread
    case name
    case int
    case float
    case string
    case blockString
    case end
  }

  let kind: Kind
  /// Its bytes in the document.
  let range: Range<Int>
  /// The name, the number as written, or the value of a string.
  let text: String

  func isPunctuator(_ character: Unicode.Scalar) -> Bool {
    kind == .punctuator(UInt8(ascii: character))
  }

  func isName(_ text: String) -> Bool { kind == .name && self.text == text }

  /// Its description in an error, after "found".
  var found: String {
    switch kind {
    case .punctuator(let byte): "'\(Unicode.Scalar(byte))'"
    case .spread: "'...'"
    case .name, .int, .float: "'\(text.count > 40 ? text.prefix(40) + "…" : text)'"
    case .string, .blockString: "a string"
    case .end: "the end of the document"
    }
  }
}

/// Reads the tokens of a document one by one. Skips whitespace, commas, comments and byte order
/// marks (GQL-03, GQL-07).
struct TokenReader {
  let source: SourceText
  private var position = 0

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(_ source: SourceText) { self.source = source }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < source.bytes.count ? source.bytes[position + offset] : nil
  }

  mutating func next() throws(GraphQLProblem) -> Token {
    while let byte = byte() {
      switch byte {
      case 9, 10, 13, 32, UInt8(ascii: ","): position += 1
      case 0xEF where source.bytes[position...].starts(with: TokenReader.byteOrderMark):
        position += 3
      case UInt8(ascii: "#"):
        while let byte = self.byte(), byte != 10, byte != 13 { position += 1 }
      case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "("),
        UInt8(ascii: ")"), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"),
        UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "|"),
        UInt8(ascii: "}"):
        position += 1
        return Token(kind: .punctuator(byte), range: position - 1..<position, text: "")
      case UInt8(ascii: "."): return try spread()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
      case UInt8(ascii: "\""):
        if self.byte(1) == byte, self.byte(2) == byte { return try blockString() }
        return try string()
      case _ where TokenReader.isNameStart(byte):
        let start = position
        while let byte = self.byte(), TokenReader.isNameContinue(byte) { position += 1 }
        return Token(kind: .name, range: start..<position, text: source.text(start..<position))
      default:
        let hint = byte == UInt8(ascii: "'") ? ": strings need double quotes" : ""
        throw problem("unexpected character \(character())\(hint)", at: position)
      }
    }
    return Token(kind: .end, range: position..<position, text: "")
  }

  private func problem(_ message: String, at offset: Int) -> GraphQLProblem {
    source.problem(message, at: offset)
  }

  /// The character at the position, for an error.
  private func character() -> String {
    guard position < source.bytes.count else { return "the end of the document" }
    let end = min(position + 4, source.bytes.count)
    guard let scalar = source.text(position..<end).unicodeScalars.first else { return "" }
    if scalar.value >= 32, scalar.value < 127 { return "'\(scalar)'" }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private mutating func spread() throws(GraphQLProblem) -> Token {
    guard byte(1) == UInt8(ascii: "."), byte(2) == UInt8(ascii: ".") else {
      if TokenReader.isDigit(byte(1)) {
        throw problem("a number must have a digit before the '.'", at: position)
      }
      throw problem("expected '...', found '.'", at: position)
    }
    position += 3
    return Token(kind: .spread, range: position - 3..<position, text: "")
  }

  private mutating func number() throws(GraphQLProblem) -> Token {
    let start = position
    var kind = Token.Kind.int
    if byte() == UInt8(ascii: "-") { position += 1 }
    if byte() == UInt8(ascii: "0") {
      position += 1
      if TokenReader.isDigit(byte()) {
        throw problem("a number must not begin with 0 before other digits", at: position)
      }
    } else {
      try digits()
    }
    if byte() == UInt8(ascii: ".") {
      kind = .float
      position += 1
      try digits()
    }
    if byte().map({ $0 | 0x20 }) == UInt8(ascii: "e") {
      kind = .float
      position += 1
      if let sign = byte(), "+-".utf8.contains(sign) { position += 1 }
      try digits()
    }
    if let byte = byte(), byte == UInt8(ascii: ".") || TokenReader.isNameStart(byte) {
      throw problem("expected the end of the number, found \(character())", at: position)
    }
    return Token(kind: kind, range: start..<position, text: source.text(start..<position))
  }

  private mutating func digits() throws(GraphQLProblem) {
    guard TokenReader.isDigit(byte()) else {
      throw problem("expected a digit, found \(character())", at: position)
    }
    while TokenReader.isDigit(byte()) { position += 1 }
  }

  static func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  static func isNameStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  static func isNameContinue(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }

  // MARK: Strings

  private mutating func string() throws(GraphQLProblem) -> Token {
    let start = position
    position += 1
    var value: [UInt8] = []
    var copied = position
    while let byte = byte() {
      switch byte {
      case UInt8(ascii: "\""):
        value += source.bytes[copied..<position]
        position += 1
        return Token(
          kind: .string, range: start..<position, text: String(decoding: value, as: UTF8.self))
      case UInt8(ascii: "\\"):
        value += source.bytes[copied..<position]
        value += try escape().utf8
        copied = position
      case 10, 13: throw problem("the string does not end on its line", at: position)
      default: position += 1
      }
    }
    throw problem("expected '\"', found the end of the document", at: position)
  }

  /// Skips an escape sequence and returns its value.
  private mutating func escape() throws(GraphQLProblem) -> String {
    let start = position
    position += 2
    switch byte(-1) {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      if let scalar = byte() == UInt8(ascii: "{") ? bracedScalar() : scalar() {
        return String(Character(scalar))
      }
      throw problem(
        "'\\u' needs four hexadecimal digits, or up to six in braces, of a Unicode scalar",
        at: start)
    default: throw problem("unknown escape sequence in a string", at: start)
    }
  }

  /// Skips `{1F600}`.
  private mutating func bracedScalar() -> Unicode.Scalar? {
    position += 1
    var value: UInt32 = 0
    var count = 0
    while let digit = hexDigit() {
      // Leading zeros are allowed, but not without end.
      guard count < 8, value <= 0x10FFFF else { return nil }
      value = value << 4 | digit
      count += 1
      position += 1
    }
    guard count > 0, byte() == UInt8(ascii: "}") else { return nil }
    position += 1
    return Unicode.Scalar(value)
  }

  /// Skips four digits, or two surrogates in two sequences.
  private mutating func scalar() -> Unicode.Scalar? {
    guard let value = codeUnit() else { return nil }
    guard (0xD800...0xDBFF).contains(value) else { return Unicode.Scalar(value) }
    guard byte() == UInt8(ascii: "\\"), byte(1) == UInt8(ascii: "u") else { return nil }
    position += 2
    guard let second = codeUnit(), (0xDC00...0xDFFF).contains(second) else { return nil }
    return Unicode.Scalar(0x10000 + (value - 0xD800) << 10 + (second - 0xDC00))
  }

  private mutating func codeUnit() -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = hexDigit() else { return nil }
      value = value << 4 | digit
      position += 1
    }
    return value
  }

  private func hexDigit() -> UInt32? {
    byte().flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map { UInt32($0) }
  }

  private mutating func blockString() throws(GraphQLProblem) -> Token {
    let start = position
    position += 3
    let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: 3)
    var lines: [[UInt8]] = []
    var line: [UInt8] = []
    while let byte = byte() {
      switch byte {
      case UInt8(ascii: "\"") where source.bytes[position...].starts(with: quotes):
        position += 3
        lines.append(line)
        let value = TokenReader.withoutIndentation(lines).joined(separator: [10])
        return Token(
          kind: .blockString, range: start..<position,
          text: String(decoding: Array(value), as: UTF8.self))
      case UInt8(ascii: "\\") where source.bytes[(position + 1)...].starts(with: quotes):
        position += 4
        line += quotes
      case 10, 13:
        position += byte == 13 && self.byte(1) == 10 ? 2 : 1
        lines.append(line)
        line.removeAll(keepingCapacity: true)
      default:
        line.append(byte)
        position += 1
      }
    }
    throw problem("expected '\"\"\"', found the end of the document", at: position)
  }

  /// The lines of a block string without the indentation that all but the first share, and without
  /// blank lines at the start and at the end.
  private static func withoutIndentation(_ lines: [[UInt8]]) -> ArraySlice<[UInt8]> {
    let indentations = lines.map { line in
      line.firstIndex { $0 != 9 && $0 != 32 }
    }
    let common = indentations.dropFirst().compactMap(\.self).min() ?? 0
    guard let first = indentations.firstIndex(where: { $0 != nil }),
      let last = indentations.lastIndex(where: { $0 != nil })
    else { return [] }
    var result = lines
    for index in result.indices.dropFirst() {
      result[index].removeFirst(min(common, result[index].count))
    }
    return result[first...last]
  }
}
