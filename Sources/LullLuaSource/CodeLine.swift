/// One line of a source: its bytes and the tokens on it, without comments.
package struct CodeLine {
  package let source: [UInt8]
  package let number: Int
  /// The bytes of the line, without its line break.
  package let range: Range<Int>
  package let tokens: [LuaToken]

  /// Finds a line by its number, starting at 1. nil if the source has no such line.
  package init?(_ number: Int, of source: [UInt8]) {
    guard let range = CodeLine.range(of: number, in: source) else { return nil }
    self.source = source
    self.number = number
    self.range = range
    // A token that begins on an earlier line may extend into this one.
    tokens = LuaToken.all(in: source[..<range.upperBound]).filter {
      $0.range.upperBound > range.lowerBound && $0.kind != .openComment
    }
  }

  package var bytes: ArraySlice<UInt8> { source[range] }

  /// The bytes of the line from its first to its last token. nil if the line has no code.
  package var code: Range<Int>? {
    guard let first = tokens.first, let last = tokens.last else { return nil }
    let code =
      max(first.range.lowerBound, range.lowerBound)..<min(last.range.upperBound, range.upperBound)
    // If a long string extends over several lines, its part on this line may begin and end with
    // blanks.
    let isBlank = { (position: Int) in [9, 11, 12, 32].contains(source[position]) }
    guard let start = code.first(where: { !isBlank($0) }),
      let end = code.last(where: { !isBlank($0) })
    else { return nil }
    return start..<end + 1
  }

  /// Returns the bytes of a line. Lines are counted as by the interpreter: LF, CR, CR LF and LF CR
  /// end a line.
  private static func range(of number: Int, in source: [UInt8]) -> Range<Int>? {
    guard number > 0 else { return nil }
    var line = 1
    var start = 0
    var position = 0
    while position < source.count {
      let byte = source[position]
      guard byte == 10 || byte == 13 else {
        position += 1
        continue
      }
      if line == number { return start..<position }
      position += newlineLength(source, position)
      line += 1
      start = position
    }
    return line == number ? start..<source.count : nil
  }

  private static func newlineLength(_ source: [UInt8], _ position: Int) -> Int {
    let byte = source[position]
    guard position + 1 < source.count else { return 1 }
    let next = source[position + 1]
    return next != byte && (next == 10 || next == 13) ? 2 : 1
  }
}
