/// Finds the table of calls in the text of an API file: `return { …, calls = { … } }` at its end.
///
/// One walk over the bytes, without compiling anything. Where the text is not plainly so, nothing is found.
struct CallEntryFinder {
  struct Found {
    var entries: [CallEntry] = []
    /// Whether `lull` is what a line of the file has required, rather than a global.
    var requiresLull = false
  }

  private var cursor: LiteralCursor
  private var lull = LullUse()
  /// Whether something was called `calls` before: which of them messages mean is not known here.
  private var hasOtherCalls = false
  /// How many bytes may be looked at twice.
  private var patience: Int

  /// nil of nothing.
  ///
  /// - Parameter bytes: they must outlive it.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let cursor = LiteralCursor(bytes) else { return nil }
    self.cursor = cursor
    patience = 4 * bytes.count
  }

  mutating func find() -> Found? {
    while cursor.skipBlanks(), !cursor.isAtEnd {
      guard cursor.isAtName else {
        guard skipToken() else { return nil }
        continue
      }
      let name = cursor.name()
      guard cursor.isWord(name, "return") else {
        note(name)
        continue
      }
      lull.noteOther()
      let start = cursor.mark
      if var found = result(), isTheEnd() {
        guard lull.isKnown || !found.entries.contains(where: { $0.outline?.usesLull == true })
        else { return nil }
        found.requiresLull = lull.isRequired
        return found
      }
      patience -= cursor.position - start.position
      guard patience > 0 else { return nil }
      cursor.goBack(to: start)
    }
    return nil
  }

  private mutating func isTheEnd() -> Bool {
    guard cursor.skipBlanks() else { return false }
    if cursor.byte() == UInt8(ascii: ";") {
      cursor.skipByte()
      guard cursor.skipBlanks() else { return false }
    }
    return cursor.isAtEnd
  }

  // MARK: Tables

  /// The table behind `return`.
  private mutating func result() -> Found? {
    guard cursor.skip("{") else { return nil }
    var found: Found?
    while cursor.skipBlanks() {
      if cursor.byte() == UInt8(ascii: "}") {
        cursor.skipByte()
        return found
      }
      guard cursor.isAtName else { return nil }
      let key = cursor.name()
      guard !cursor.isKeyword(key), cursor.skipAssignment() else { return nil }
      if cursor.isWord(key, "calls") {
        guard found == nil, !hasOtherCalls, let calls = calls() else { return nil }
        found = calls
      } else {
        guard skipExpression(isEntry: false) else { return nil }
      }
      guard skipSeparator() != .none else { return nil }
    }
    return nil
  }

  private mutating func calls() -> Found? {
    var found = Found()
    guard cursor.skip("{") else { return nil }
    while cursor.skipBlanks() {
      if cursor.byte() == UInt8(ascii: "}") {
        cursor.skipByte()
        return found
      }
      guard let entry = entry() else { return nil }
      found.entries.append(entry)
    }
    return nil
  }

  /// With what separates it from the next.
  private mutating func entry() -> CallEntry? {
    let start = cursor.mark
    var name = start
    let key: LiteralText
    if cursor.isAtName {
      let name = cursor.name()
      guard !cursor.isKeyword(name) else { return nil }
      key = LiteralText(range: name, form: .plain)
    } else {
      guard cursor.skip("["), cursor.skipBlanks() else { return nil }
      name = cursor.mark
      guard let text = cursor.string(), text.form != .long, cursor.skip("]") else { return nil }
      key = text
    }
    guard cursor.skipAssignment(), cursor.skipBlanks() else { return nil }
    let value = cursor.mark
    var outline: CallOutline?
    if cursor.callTable() {
      let end = cursor.mark
      if skipSeparator() != .none { outline = cursor.outline }
      cursor.goBack(to: end)
    }
    if outline == nil {
      cursor.goBack(to: value)
      guard skipExpression(isEntry: true) else { return nil }
    }
    let end = cursor.mark
    var separator: Int?
    switch skipSeparator() {
    case .none: return nil
    case .comma(let place): separator = place
    case .end: break
    }
    return CallEntry(
      key: key, range: start.position..<end.position, lineEnds: start.lineEnds...end.lineEnds,
      lineEndsBeforeName: name.lineEnds, separator: separator, outline: outline)
  }

  private enum Separator: Equatable {
    case comma(Int)
    /// The end of the table, which stays.
    case end
    case none
  }

  private mutating func skipSeparator() -> Separator {
    guard cursor.skipBlanks() else { return .none }
    switch cursor.byte() {
    case UInt8(ascii: ","), UInt8(ascii: ";"):
      cursor.skipByte()
      return .comma(cursor.position - 1)
    case UInt8(ascii: "}"): return .end
    default: return .none
    }
  }

  // MARK: Everything else

  /// Past an expression, to what separates it from others or ends the table; false where that is not plain to see.
  ///
  /// - Parameter isEntry: whether it is a call: what has an index of a name there could be taken for its key.
  private mutating func skipExpression(isEntry: Bool) -> Bool {
    var closing: [UInt8] = []
    var tables = 0
    while cursor.skipBlanks(), !cursor.isAtEnd {
      let byte = cursor.byte()
      if cursor.isAtName {
        let name = cursor.name()
        // A function has commas of its own.
        if closing.isEmpty, cursor.isWord(name, "function") { return false }
        note(name)
        continue
      }
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: ";"):
        if closing.isEmpty { return true }
        cursor.skipByte()
      case UInt8(ascii: "("):
        closing.append(UInt8(ascii: ")"))
        cursor.skipByte()
      case UInt8(ascii: "{"):
        closing.append(UInt8(ascii: "}"))
        tables += 1
        cursor.skipByte()
      case UInt8(ascii: "["):
        if let level = cursor.enterLongBracket() {
          guard cursor.leaveLongBracket(level) != nil else { return false }
          continue
        }
        if isEntry, tables == 0 { return false }
        closing.append(UInt8(ascii: "]"))
        cursor.skipByte()
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard let last = closing.popLast() else { return byte == UInt8(ascii: "}") }
        guard last == byte else { return false }
        if byte == UInt8(ascii: "}") { tables -= 1 }
        cursor.skipByte()
      default:
        guard skipToken() else { return false }
      }
    }
    return false
  }

  /// Past a token that is no name.
  private mutating func skipToken() -> Bool {
    lull.noteOther()
    switch cursor.byte() {
    case UInt8(ascii: "["):
      guard let level = cursor.enterLongBracket() else {
        cursor.skipByte()
        return true
      }
      return cursor.leaveLongBracket(level) != nil
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      guard let text = cursor.string() else { return false }
      if cursor.isWord(text.range, "calls") { hasOtherCalls = true }
    case let byte where LiteralCursor.isDigit(byte):
      while LiteralCursor.isNameByte(cursor.byte()) || cursor.byte() == UInt8(ascii: ".") {
        cursor.skipByte()
      }
    case UInt8(ascii: "."):
      let start = cursor.position
      while cursor.byte() == UInt8(ascii: ".") { cursor.skipByte() }
      if cursor.position == start + 1 { lull.noteDot() }
    case UInt8(ascii: ":"):
      cursor.skipByte()
      lull.noteDot()
    // Nothing of Lua's, outside of strings.
    case 0...8, 14...31, 127...255: return false
    default: cursor.skipByte()
    }
    return true
  }

  private mutating func note(_ name: Range<Int>) {
    if cursor.isWord(name, "calls") { hasOtherCalls = true }
    lull.note(name, &cursor)
  }
}
