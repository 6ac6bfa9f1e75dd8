import LullCore

/// A walk over the bytes of a text of Lua, as far as its literals need to be understood.
///
/// Takes nothing that the compiler would not take: of what is unusual it says no. Its bytes must outlive it.
struct LiteralCursor {
  private static let deepest = 50

  private let start: UnsafePointer<UInt8>
  private let count: Int
  private(set) var position = 0
  /// How many lines end before it.
  private(set) var lineEnds = 0
  /// What the outermost of the tables that were read last says of a call.
  private(set) var outline = CallOutline()
  /// The string that was read last, if that was the last value.
  private var lastText: LiteralText?

  /// nil of nothing.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
    self.start = start
    count = bytes.count
  }

  var isAtEnd: Bool { position >= count }

  /// The byte there; 0 at the end, which is a part of nothing.
  func byte(_ offset: Int = 0) -> UInt8 {
    let place = position &+ offset
    return place < count ? start[place] : 0
  }

  /// Past a byte that ends no line.
  mutating func skipByte() { position += 1 }

  /// Where it is, to go on from there once more.
  struct Mark {
    let position: Int
    let lineEnds: Int
  }

  var mark: Mark { Mark(position: position, lineEnds: lineEnds) }

  mutating func goBack(to mark: Mark) {
    position = mark.position
    lineEnds = mark.lineEnds
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte &- 9 < 5 }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  static func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || isDigit(byte) || byte == UInt8(ascii: "_")
  }

  /// Whether a name begins there, or a word of the language.
  var isAtName: Bool {
    let byte = byte()
    return LiteralCursor.isNameByte(byte) && !LiteralCursor.isDigit(byte)
  }

  // MARK: Between tokens

  /// Goes on to what is no blank and no comment; false if a comment does not end.
  @inline(__always)
  mutating func skipBlanks() -> Bool {
    // Most often there is one space, or nothing.
    if byte() == 32 { position += 1 }
    return byte() > 32 && byte() != UInt8(ascii: "-") || skipMoreBlanks()
  }

  private mutating func skipMoreBlanks() -> Bool {
    while true {
      var place = position
      while place < count, LiteralCursor.isBlank(start[place]) {
        if start[place] == 10 { lineEnds += 1 }
        place += 1
        if place + ByteBlock.length <= count { place += ByteBlock(at: start + place).spaces }
      }
      position = place
      guard byte() == UInt8(ascii: "-"), byte(1) == UInt8(ascii: "-") else { return true }
      position += 2
      if let level = enterLongBracket() {
        guard leaveLongBracket(level) != nil else { return false }
      } else {
        position += RawBytes.count(before: 10, in: rest)
      }
    }
  }

  private var rest: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start + position, count: count - position)
  }

  /// The same, and past a byte that is expected there.
  mutating func skip(_ expected: Unicode.Scalar) -> Bool {
    guard skipBlanks(), byte() == UInt8(ascii: expected) else { return false }
    position += 1
    return true
  }

  /// Past the `=` of an assignment.
  mutating func skipAssignment() -> Bool { skip("=") && byte() != UInt8(ascii: "=") }

  // MARK: Names

  mutating func name() -> Range<Int> {
    var place = position
    while place + ByteBlock.length <= count {
      let length = ByteBlock(at: start + place).nameBytes
      place += length
      guard length == ByteBlock.length else {
        defer { position = place }
        return position..<place
      }
    }
    while place < count, LiteralCursor.isNameByte(start[place]) { place += 1 }
    defer { position = place }
    return position..<place
  }

  func isWord(_ range: Range<Int>, _ word: StaticString) -> Bool {
    range.count == word.utf8CodeUnitCount && start[range.lowerBound] == word.utf8Start[0]
      && RawBytes.areEqual(start + range.lowerBound, word.utf8Start, count: range.count)
  }

  func isKeyword(_ name: Range<Int>) -> Bool {
    switch name.count {
    case 2: isWord(name, "do") || isWord(name, "if") || isWord(name, "in") || isWord(name, "or")
    case 3:
      isWord(name, "and") || isWord(name, "end") || isWord(name, "for") || isWord(name, "nil")
        || isWord(name, "not")
    case 4:
      isWord(name, "else") || isWord(name, "goto") || isWord(name, "then") || isWord(name, "true")
    case 5:
      isWord(name, "break") || isWord(name, "false") || isWord(name, "local")
        || isWord(name, "until") || isWord(name, "while")
    case 6: isWord(name, "elseif") || isWord(name, "repeat") || isWord(name, "return")
    case 8: isWord(name, "function")
    default: false
    }
  }

  // MARK: Strings and numbers

  /// Behind a long bracket that opens there: the number of its `=`.
  mutating func enterLongBracket() -> Int? {
    guard byte() == UInt8(ascii: "[") else { return nil }
    var level = 0
    while byte(1 + level) == UInt8(ascii: "=") { level += 1 }
    guard byte(1 + level) == UInt8(ascii: "[") else { return nil }
    position += level + 2
    return level
  }

  /// Behind the bracket that closes: where that begins; nil if there is none.
  mutating func leaveLongBracket(_ level: Int) -> Int? {
    while position < count {
      let length = RawBytes.count(before: UInt8(ascii: "]"), in: rest)
      for byte in UnsafeBufferPointer(rebasing: rest[..<length]) where byte == 10 { lineEnds += 1 }
      position += length
      guard position < count else { return nil }
      var equals = 0
      while byte(1 + equals) == UInt8(ascii: "=") { equals += 1 }
      if equals == level, byte(1 + equals) == UInt8(ascii: "]") {
        let end = position
        position += level + 2
        return end
      }
      position += 1 + equals
    }
    return nil
  }

  /// A string in quotes or long brackets, if one is there and is right.
  mutating func string() -> LiteralText? {
    if let level = enterLongBracket() {
      let start = position
      return leaveLongBracket(level).map { LiteralText(range: start..<$0, form: .long) }
    }
    let quote = byte()
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
    position += 1
    let first = position
    var form = LiteralText.Form.plain
    while true {
      var place = position
      while place + ByteBlock.length <= count {
        let length = ByteBlock(at: start + place).plain(before: quote)
        place += length
        guard length == ByteBlock.length else { break }
      }
      while place < count, start[place] != quote, start[place] != UInt8(ascii: "\\"),
        start[place] != 10, start[place] != 13
      {
        place += 1
      }
      guard place < count, start[place] != 10, start[place] != 13 else { return nil }
      position = place + 1
      guard start[place] != quote else {
        return LiteralText(range: first..<place, form: form)
      }
      form = .escaped
      guard skipEscape() else { return nil }
    }
  }

  /// Past what follows a backslash.
  private mutating func skipEscape() -> Bool {
    func isHex(_ byte: UInt8) -> Bool {
      LiteralCursor.isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }
    let kind = byte()
    switch kind {
    case _ where "abfnrtv\\\"'".utf8.contains(kind): position += 1
    case UInt8(ascii: "z"):
      position += 1
      while LiteralCursor.isBlank(byte()) {
        if byte() == 10 { lineEnds += 1 }
        position += 1
      }
    case UInt8(ascii: "x"):
      guard isHex(byte(1)), isHex(byte(2)) else { return false }
      position += 3
    case UInt8(ascii: "u"):
      guard byte(1) == UInt8(ascii: "{"), isHex(byte(2)) else { return false }
      position += 2
      let first = position
      while isHex(byte()) { position += 1 }
      // Beyond seven digits it may be too large.
      guard position - first < 8, byte() == UInt8(ascii: "}") else { return false }
      position += 1
    case _ where LiteralCursor.isDigit(kind):
      var code = 0
      for _ in 0..<3 where LiteralCursor.isDigit(byte()) {
        code = code * 10 + Int(byte() - UInt8(ascii: "0"))
        position += 1
      }
      return code < 256
    default: return false
    }
    return true
  }

  /// A number as people write it: digits, perhaps with a fraction.
  private mutating func number() -> Bool {
    let first = position
    while LiteralCursor.isDigit(byte()) { position += 1 }
    guard position > first else { return false }
    if byte() == UInt8(ascii: ".") {
      position += 1
      let fraction = position
      while LiteralCursor.isDigit(byte()) { position += 1 }
      guard position > fraction else { return false }
    }
    return !LiteralCursor.isNameByte(byte()) && byte() != UInt8(ascii: ".")
  }

  // MARK: Tables

  /// Reads a table of literals, which says what a call is; false if it is something else, or more.
  mutating func callTable() -> Bool {
    outline = CallOutline()
    return table(depth: 1)
  }

  private mutating func table(depth: Int) -> Bool {
    guard depth <= LiteralCursor.deepest, skip("{") else { return false }
    while skipBlanks() {
      if byte() == UInt8(ascii: "}") {
        position += 1
        return true
      }
      guard field(depth: depth), skipBlanks() else { return false }
      switch byte() {
      case UInt8(ascii: ","), UInt8(ascii: ";"): position += 1
      case UInt8(ascii: "}"): break
      default: return false
      }
    }
    return false
  }

  private mutating func field(depth: Int) -> Bool {
    if byte() == UInt8(ascii: "["), byte(1) != UInt8(ascii: "["), byte(1) != UInt8(ascii: "=") {
      position += 1
      guard skipBlanks() else { return false }
      let key = string()
      guard key != nil || number(), skip("]"), skipAssignment(), skipBlanks(),
        value(depth: depth)
      else { return false }
      if let key { note(key.range, depth) }
      return true
    }
    guard isAtName else { return value(depth: depth) }
    let mark = mark
    let name = name()
    guard skipBlanks() else { return false }
    guard byte() == UInt8(ascii: "="), byte(1) != UInt8(ascii: "="), !isKeyword(name) else {
      goBack(to: mark)
      return value(depth: depth)
    }
    position += 1
    guard skipBlanks(), value(depth: depth) else { return false }
    note(name, depth)
    return true
  }

  /// Takes down what a field says that has just been read.
  private mutating func note(_ key: Range<Int>, _ depth: Int) {
    if depth > 1 {
      if key.count == 8, isWord(key, "reserved") { outline.mayBeOpen = true }
      return
    }
    let said: CallOutline.Said = lastText.map { .text($0) } ?? .more
    if isWord(key, "path") { outline.path = said }
    if isWord(key, "description") { outline.description = said }
    if isWord(key, "method") { outline.method = said }
    if isWord(key, "schema") { outline.hasSchema = true }
  }

  private mutating func value(depth: Int) -> Bool {
    lastText = nil
    switch byte() {
    case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "["):
      guard let text = string() else { return false }
      lastText = text
      return true
    case UInt8(ascii: "{"):
      defer { lastText = nil }
      return table(depth: depth + 1)
    case UInt8(ascii: "-"):
      position += 1
      return skipBlanks() && number()
    case _ where isAtName:
      let name = name()
      if isWord(name, "lull") { return secret(depth: depth) }
      return isWord(name, "true") || isWord(name, "false") || isWord(name, "nil")
    default: return number()
    }
  }

  /// What follows `lull`, in `lull.secret{ env = "TOKEN" }`.
  private mutating func secret(depth: Int) -> Bool {
    guard byte() == UInt8(ascii: ".") else { return false }
    position += 1
    guard isWord(name(), "secret"), skipBlanks() else { return false }
    outline.usesLull = true
    defer { lastText = nil }
    if byte() == UInt8(ascii: "{") { return table(depth: depth + 1) }
    return skip("(") && skipBlanks() && table(depth: depth + 1) && skip(")")
  }
}
