/// A token of Lua source.
///
/// All code of Lull that reads Lua source uses these tokens. Only the interpreter has another
/// lexer. Incomplete and invalid text is accepted, such as a line at the prompt.
package struct LuaToken: Equatable, Sendable {
  package enum Kind: Sendable {
    case name
    case keyword
    case number
    case string
    /// A string or long string without its end.
    case openString
    /// A comment. Only returned with `withComments`.
    case comment
    /// A comment without its end.
    case openComment
    case symbol
  }

  package let kind: Kind
  /// The range of the token in the source.
  package let range: Range<Int>
  /// The text of the token. For a string, the text between the quotes, with its escapes as written.
  package let text: String

  /// Returns the tokens of a text, by default without comments. Any text is accepted: an unexpected
  /// byte becomes a symbol.
  package static func all(
    in source: some Collection<UInt8>, withComments: Bool = false
  ) -> [LuaToken] {
    var lexer = Lexer(Array(source), keepsComments: withComments)
    return lexer.tokens()
  }

  package static let keywords: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// Returns whether a text is a valid name. A name can be a field after a dot, or a key without
  /// brackets.
  package static func isName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return bytes.allSatisfy { Lexer.isNameByte($0) } && !keywords.contains(text)
  }

  package func isSymbol(_ text: String) -> Bool { kind == .symbol && self.text == text }
  package func isKeyword(_ text: String) -> Bool { kind == .keyword && self.text == text }
}

/// Reads tokens one by one.
struct Lexer {
  private let bytes: [UInt8]
  private let keepsComments: Bool
  private(set) var position: Int

  /// Creates a lexer.
  ///
  /// - Parameter start: The position where it begins, which must be the beginning of a token.
  init(_ bytes: [UInt8], from start: Int = 0, keepsComments: Bool = false) {
    self.bytes = bytes
    self.keepsComments = keepsComments
    position = start
  }

  mutating func tokens() -> [LuaToken] {
    var tokens: [LuaToken] = []
    // A token usually has several bytes.
    tokens.reserveCapacity(bytes.count / 4)
    while let token = next() { tokens.append(token) }
    return tokens
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func token(_ kind: LuaToken.Kind, from start: Int, _ inside: Range<Int>? = nil)
    -> LuaToken
  {
    LuaToken(kind: kind, range: start..<position, text: text(inside ?? start..<position))
  }

  mutating func next() -> LuaToken? {
    while let byte = byte() {
      let start = position
      switch byte {
      case UInt8(ascii: " "), 9...13: position += 1
      case UInt8(ascii: "-") where self.byte(1) == UInt8(ascii: "-"):
        position += 2
        if let level = longBracketLevel() {
          if endOfLongBracket(level) == nil { return token(.openComment, from: start) }
        } else {
          while let byte = self.byte(), byte != 10, byte != 13 { position += 1 }
        }
        if keepsComments { return token(.comment, from: start) }
      case UInt8(ascii: "'"), UInt8(ascii: "\""): return string(quote: byte)
      case UInt8(ascii: "["):
        guard let level = longBracketLevel() else { return symbol() }
        let inside = position
        guard let end = endOfLongBracket(level) else {
          return token(.openString, from: start, inside..<bytes.count)
        }
        return token(.string, from: start, inside..<end)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
      case UInt8(ascii: ".") where Lexer.isDigit(self.byte(1)): return number()
      case _ where Lexer.isNameByte(byte):
        while let byte = self.byte(), Lexer.isNameByte(byte) { position += 1 }
        let isKeyword = LuaToken.keywords.contains(text(start..<position))
        return token(isKeyword ? .keyword : .name, from: start)
      default: return symbol()
      }
    }
    return nil
  }

  private static let longSymbols = ["...", "<<", ">>", "//", "==", "~=", "<=", ">=", "::", ".."]

  private mutating func symbol() -> LuaToken {
    let start = position
    let next = byte(1) ?? 0
    let mayBeLong = "<=>/~.:".utf8.contains(bytes[start]) && "<=>/.:".utf8.contains(next)
    for symbol in mayBeLong ? Lexer.longSymbols : []
    where bytes[start...].starts(with: symbol.utf8) {
      position += symbol.utf8.count
      return token(.symbol, from: start)
    }
    position += 1
    return token(.symbol, from: start)
  }

  private mutating func number() -> LuaToken {
    let start = position
    let isHex = byte() == UInt8(ascii: "0") && (byte(1).map { $0 | 0x20 } == UInt8(ascii: "x"))
    let exponent = isHex ? UInt8(ascii: "p") : UInt8(ascii: "e")
    if isHex { position += 2 }
    while let byte = byte() {
      if byte | 0x20 == exponent, let sign = self.byte(1), "+-".utf8.contains(sign) {
        position += 2
      } else if Lexer.isNameByte(byte) || byte == UInt8(ascii: ".") {
        position += 1
      } else {
        break
      }
    }
    return token(.number, from: start)
  }

  private mutating func string(quote: UInt8) -> LuaToken {
    let start = position
    position += 1
    while let byte = byte() {
      switch byte {
      case quote:
        position += 1
        return token(.string, from: start, start + 1..<position - 1)
      case UInt8(ascii: "\\"):
        // The escape \z skips spaces, including line breaks.
        if self.byte(1) == UInt8(ascii: "z") {
          position += 2
          while let byte = self.byte(), byte == 32 || (9...13).contains(byte) { position += 1 }
        } else {
          position = min(position + 2, bytes.count)
        }
      case 10, 13: return token(.openString, from: start, start + 1..<position)
      default: position += 1
      }
    }
    return token(.openString, from: start, start + 1..<position)
  }

  /// Skips an opening long bracket. Returns the number of its `=` characters. nil if no long
  /// bracket opens here.
  private mutating func longBracketLevel() -> Int? {
    guard byte() == UInt8(ascii: "[") else { return nil }
    var level = 0
    while byte(1 + level) == UInt8(ascii: "=") { level += 1 }
    guard byte(1 + level) == UInt8(ascii: "[") else { return nil }
    position += level + 2
    return level
  }

  /// Skips the text up to and including the closing long bracket with the same number of `=`
  /// characters. Returns the start of the bracket, or nil if the bracket is missing.
  private mutating func endOfLongBracket(_ level: Int) -> Int? {
    while position < bytes.count {
      if byte() == UInt8(ascii: "]") {
        var count = 0
        while byte(1 + count) == UInt8(ascii: "=") { count += 1 }
        if count == level, byte(1 + count) == UInt8(ascii: "]") {
          let end = position
          position += level + 2
          return end
        }
      }
      position += 1
    }
    return nil
  }

  private static func isDigit(_ byte: UInt8?) -> Bool {
    byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension [LuaToken] {
  /// The index of the last `return` outside of functions and blocks. nil if there is none.
  package var resultIndex: Int? {
    var depth = 0
    var found: Int?
    for (index, token) in enumerated() where token.kind == .keyword {
      switch token.text {
      case "function", "if", "do", "repeat": depth += 1
      case "end", "until": depth -= 1
      case "return" where depth == 0: found = index
      default: break
      }
    }
    return found
  }
}
