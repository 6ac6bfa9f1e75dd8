/// A bracket that the first token of a line closes and that an earlier line has opened.
///
/// In a call that extends over several lines, the interpreter evaluates the last argument at the
/// closing bracket. Errors in that argument therefore contain the line of the bracket.
package struct ClosedBracket {
  /// The line with the opening bracket.
  package let opening: CodeLine
  /// The tokens of the last part in the bracket, after the last comma in it. Without a comma, all
  /// tokens in the bracket.
  package let lastPart: [LuaToken]

  package init?(_ line: CodeLine) {
    let tokens = LuaToken.all(in: line.source[..<line.range.upperBound])
    guard let last = tokens.firstIndex(where: { $0.range.lowerBound >= line.range.lowerBound }),
      ClosedBracket.depth(tokens[last]) < 0
    else { return nil }
    var depth = 0
    var comma: Int?
    for index in tokens[..<last].indices.reversed() {
      let token = tokens[index]
      if depth == 0, comma == nil, token.isSymbol(",") { comma = index }
      depth -= ClosedBracket.depth(token)
      guard depth < 0 else { continue }
      let number = 1 + line.source[..<token.range.lowerBound].count { $0 == 10 }
      guard number < line.number, let opening = CodeLine(number, of: line.source) else {
        return nil
      }
      self.opening = opening
      lastPart = Array(tokens[((comma ?? index) + 1)..<last])
      return
    }
    return nil
  }

  private static func depth(_ token: LuaToken) -> Int {
    guard token.kind == .symbol else { return 0 }
    switch token.text {
    case "(", "[", "{": return 1
    case ")", "]", "}": return -1
    default: return 0
    }
  }
}
