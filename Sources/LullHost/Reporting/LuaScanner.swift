/// Takes Lua source apart into tokens. Never fails: what is no Lua becomes symbols.
struct LuaScanner {
  private let source: [UInt8]
  private var position = 0

  init(_ source: [UInt8]) {
    self.source = source
    // A first line for the shell.
    if source.first == UInt8(ascii: "#") { skipLine() }
  }

  mutating func next() -> LuaToken? {
    skipBlanksAndComments()
    guard let byte = peek(0) else { return nil }
    let start = position
    switch byte {
    case _ where LuaScanner.isNameByte(byte) && !LuaScanner.isDigit(byte):
      while let byte = peek(0), LuaScanner.isNameByte(byte) { position += 1 }
      let text = text(from: start)
      return token(LuaToken.keywords.contains(text) ? .keyword : .name, start)
    case _ where LuaScanner.isDigit(byte),
      UInt8(ascii: ".") where peek(1).map(LuaScanner.isDigit) ?? false:
      skipNumber()
      return token(.number, start)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      skipString(byte)
      return token(.string, start)
    case UInt8(ascii: "[") where longBracketLevel() != nil:
      skipLongBracket()
      return token(.string, start)
    default:
      position += symbolLength()
      return token(.symbol, start)
    }
  }

  static func newlineLength(_ source: [UInt8], _ position: Int) -> Int {
    let byte = source[position]
    guard position + 1 < source.count else { return 1 }
    let next = source[position + 1]
    return next != byte && (next == 10 || next == 13) ? 2 : 1
  }

  // MARK: Parts

  private func peek(_ offset: Int) -> UInt8? {
    position + offset < source.count ? source[position + offset] : nil
  }

  private func text(from start: Int) -> String {
    String(decoding: source[start..<position], as: UTF8.self)
  }

  private func token(_ kind: LuaToken.Kind, _ start: Int) -> LuaToken {
    LuaToken(kind: kind, range: start..<position, text: text(from: start))
  }

  private mutating func skipBlanksAndComments() {
    while let byte = peek(0) {
      if byte == 32 || (9...13).contains(byte) {
        position += 1
      } else if byte == UInt8(ascii: "-"), peek(1) == byte {
        position += 2
        if peek(0) == UInt8(ascii: "["), longBracketLevel() != nil {
          skipLongBracket()
        } else {
          skipLine()
        }
      } else {
        return
      }
    }
  }

  private mutating func skipLine() {
    while let byte = peek(0), byte != 10, byte != 13 { position += 1 }
  }

  /// Exponents have signs; what follows a number without a gap is a mistake in it.
  private mutating func skipNumber() {
    let isHexadecimal =
      peek(0) == UInt8(ascii: "0") && [UInt8(ascii: "x"), UInt8(ascii: "X")].contains(peek(1))
    let exponents = Array((isHexadecimal ? "pP" : "eE").utf8)
    while let byte = peek(0) {
      if exponents.contains(byte), let sign = peek(1), sign == UInt8(ascii: "+") || sign == 45 {
        position += 2
      } else if LuaScanner.isNameByte(byte) || byte == UInt8(ascii: ".") {
        position += 1
      } else {
        return
      }
    }
  }

  /// To the closing quote, or the end of the line where it is missing.
  private mutating func skipString(_ quote: UInt8) {
    position += 1
    while let byte = peek(0) {
      switch byte {
      case quote:
        position += 1
        return
      case 10, 13: return
      case UInt8(ascii: "\\"):
        position += 1
        guard let escaped = peek(0) else { return }
        if escaped == UInt8(ascii: "z") {
          position += 1
          while let blank = peek(0), blank == 32 || (9...13).contains(blank) { position += 1 }
        } else if escaped == 10 || escaped == 13 {
          position += LuaScanner.newlineLength(source, position)
        } else {
          position += 1
        }
      default: position += 1
      }
    }
  }

  /// How many `=` stand in the `[==[` that begins here.
  private func longBracketLevel() -> Int? {
    var level = 0
    while peek(1 + level) == UInt8(ascii: "=") { level += 1 }
    return peek(1 + level) == UInt8(ascii: "[") ? level : nil
  }

  private mutating func skipLongBracket() {
    guard let level = longBracketLevel() else { return }
    let end =
      [UInt8(ascii: "]")] + Array(repeating: UInt8(ascii: "="), count: level)
      + [UInt8(ascii: "]")]
    position += level + 2
    while position < source.count {
      if source[position] == end[0], source[position...].starts(with: end) {
        position += end.count
        return
      }
      position += 1
    }
  }

  private static let longSymbols = [
    "...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>",
  ].map { Array($0.utf8) }

  /// Bytes outside ASCII belong to one character, whatever it does there.
  private func symbolLength() -> Int {
    for symbol in LuaScanner.longSymbols where source[position...].starts(with: symbol) {
      return symbol.count
    }
    var length = 1
    guard source[position] >= 0x80 else { return length }
    while let byte = peek(length), byte >= 0x80 { length += 1 }
    return length
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
  }
}
