/// What the text of an API file does with the name `lull`: whether it is the library wherever it stands.
struct LullUse {
  /// Whether it can only be the library.
  private(set) var isKnown = true
  /// Whether the file has required it, for all that follows.
  private(set) var isRequired = false
  private enum Before { case local, dot, other }
  private var before = Before.other
  private var hasBlocks = false

  mutating func noteOther() { before = .other }
  mutating func noteDot() { before = .dot }

  /// Looks at a name, behind which the cursor is, and at what follows it.
  mutating func note(_ name: Range<Int>, _ cursor: inout LiteralCursor) {
    let last = before
    before = cursor.isWord(name, "local") ? .local : .other
    if cursor.isWord(name, "lull") {
      if last == .local { return noteRequired(&cursor) }
      if last == .dot || !isLookedInto(cursor) { isKnown = false }
    } else if cursor.isWord(name, "require") {
      var rest = cursor
      if last == .local || rest.skipAssignment() { isKnown = false }
    } else if cursor.isWord(name, "_ENV") || cursor.isWord(name, "_G") {
      isKnown = false
    } else if ["function", "do", "if", "repeat"].contains(where: { cursor.isWord(name, $0) }) {
      hasBlocks = true
    }
  }

  /// `local lull = require "lull"`, as a statement of its own before all blocks.
  private mutating func noteRequired(_ cursor: inout LiteralCursor) {
    guard !isRequired, !hasBlocks, cursor.skipAssignment(), cursor.skipBlanks(), cursor.isAtName,
      cursor.isWord(cursor.name(), "require"), cursor.skipBlanks()
    else { return isKnown = false }
    let isInParentheses = cursor.byte() == UInt8(ascii: "(")
    if isInParentheses {
      cursor.skipByte()
      guard cursor.skipBlanks() else { return isKnown = false }
    }
    guard let text = cursor.string(), cursor.isWord(text.range, "lull"),
      !isInParentheses || cursor.skip(")"), cursor.skipBlanks(),
      cursor.isAtName || cursor.byte() == UInt8(ascii: ";")
    else { return isKnown = false }
    // No operator follows, which is a word.
    var rest = cursor
    let next = cursor.isAtName ? rest.name() : 0..<0
    if cursor.isWord(next, "and") || cursor.isWord(next, "or") { isKnown = false }
    isRequired = true
  }

  /// Whether only something of it is used, and `lull.secret` called.
  private func isLookedInto(_ cursor: LiteralCursor) -> Bool {
    var rest = cursor
    guard rest.skip("."), rest.skipBlanks(), rest.isAtName else { return false }
    guard rest.isWord(rest.name(), "secret") else { return true }
    return rest.skipBlanks() && "({\"'".utf8.contains(rest.byte())
  }
}
