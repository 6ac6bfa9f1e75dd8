/// An expression in a source that reads the `content` of an object.
///
/// It is found from an error message about a nil value. This succeeds only if the nil can't come
/// from any other expression. (NIL-03)
package struct ContentRead {
  /// A step from one value to the next: `.name`, `[1]`, `(…)` or `:name(…)`.
  package enum Step: Equatable {
    case field(String)
    case index(Int)
    case call
    case method(String)
  }

  package let line: Int
  /// The variable that the expression begins with.
  package let variable: String
  /// The steps from the variable to the object whose `content` is read.
  package let steps: [Step]
  /// The index of the expression's first token on its line.
  private let start: Int

  /// Finds the expression that an error message is about.
  ///
  /// - Parameters:
  ///   - message: The message without the position at its beginning.
  ///   - number: The line where the function failed.
  package init?(_ message: String, line number: Int, of source: [UInt8]) {
    guard message.hasPrefix("attempt to "), let line = CodeLine(number, of: source) else {
      return nil
    }
    if message.hasSuffix(" a nil value (field 'content')") {
      guard
        let place = ContentRead.onlyPlace(
          on: line, isIndexed: message.hasPrefix("attempt to index "))
      else { return nil }
      self.init(line.tokens, at: place, line: number)
      return
    }
    let words = " a nil value (local '"
    guard let start = message.firstRange(of: words)?.upperBound, message.hasSuffix("')") else {
      return nil
    }
    let tokens = LuaToken.all(in: source[..<line.range.upperBound])
    let first = tokens.firstIndex { $0.range.lowerBound >= line.range.lowerBound }
    let scope = LocalScope(tokens: tokens, name: String(message[start...].dropLast(2)))
    guard let first, let value = scope.onlyValue(usedFrom: first) else { return nil }
    let last = value + ContentRead.length(of: tokens[value...])
    guard last < tokens.count, tokens[last - 1].text == "content" else { return nil }
    // The whole expression must be on the line of the field `content`.
    let before = tokens[last - 1].range.lowerBound
    let own = 1 + source[..<before].count { $0 == 10 }
    guard let ownLine = CodeLine(own, of: source),
      tokens[value].range.lowerBound >= ownLine.range.lowerBound,
      let place = ContentRead.onlyPlace(on: ownLine, isIndexed: false),
      ownLine.tokens[place].range.lowerBound == before
    else { return nil }
    self.init(ownLine.tokens, at: place, line: own)
  }

  /// Finds the content that a loop iterates over, as in `for … in ipairs(….content) do`.
  ///
  /// - Parameter number: The line of the loop.
  package init?(loopOn number: Int, of source: [UInt8]) {
    guard let line = CodeLine(number, of: source),
      let place = ContentRead.onlyPlace(on: line, isIndexed: false)
    else { return nil }
    self.init(line.tokens, at: place, line: number)
    let tokens = line.tokens
    guard place + 2 < tokens.count, tokens[place + 1].isSymbol(")"),
      tokens[place + 2].isKeyword("do"), start >= 3, tokens[start - 1].isSymbol("("),
      ["ipairs", "pairs"].contains(tokens[start - 2].text), tokens[start - 3].isKeyword("in")
    else { return nil }
  }

  /// Returns the index of the field `content` on a line. nil unless it occurs exactly once.
  private static func onlyPlace(on line: CodeLine, isIndexed: Bool) -> Int? {
    let tokens = line.tokens
    let places = tokens.indices.filter {
      tokens[$0].text == "content" && tokens[$0].kind != .comment
    }
    guard places.count == 1, let place = places.first, place >= 2, tokens[place].kind == .name,
      tokens[place - 1].isSymbol(".")
    else { return nil }
    let next = place + 1 < tokens.count ? tokens[place + 1].text : ""
    return !isIndexed || [".", "[", ":"].contains(next) ? place : nil
  }

  /// Reads the expression that precedes a field `content`, backwards to its beginning.
  private init?(_ tokens: [LuaToken], at place: Int, line: Int) {
    var steps: [Step] = []
    var position = place - 2
    while true {
      guard position >= 0 else { return nil }
      let token = tokens[position]
      if token.kind == .name {
        let before = position > 0 ? tokens[position - 1].text : ""
        if before == ":" { return nil }
        guard before == "." else {
          (self.line, variable, start) = (line, token.text, position)
          self.steps = steps.reversed()
          return
        }
        steps.append(.field(token.text))
        position -= 2
      } else if token.isSymbol("]") {
        guard position >= 3, tokens[position - 2].isSymbol("[") else { return nil }
        let key = tokens[position - 1]
        if key.kind == .string {
          steps.append(.field(key.text))
        } else {
          guard key.kind == .number, let index = Int(key.text) else { return nil }
          steps.append(.index(index))
        }
        position -= 3
      } else {
        guard let callee = ContentRead.callee(tokens, endingAt: position) else { return nil }
        if tokens[callee].kind == .name, callee > 0, tokens[callee - 1].isSymbol(":") {
          steps.append(.method(tokens[callee].text))
          position = callee - 2
        } else {
          steps.append(.call)
          position = callee
        }
      }
    }
  }

  /// Returns the index of the token before the arguments that end at `last`. nil if no arguments
  /// end there.
  private static func callee(_ tokens: [LuaToken], endingAt last: Int) -> Int? {
    if tokens[last].kind == .string { return isCallable(tokens, last - 1) ? last - 1 : nil }
    guard tokens[last].isSymbol(")") || tokens[last].isSymbol("}") else { return nil }
    var depth = 0
    for position in (0...last).reversed() where tokens[position].kind == .symbol {
      switch tokens[position].text {
      case ")", "}", "]": depth += 1
      case "(", "{", "[":
        depth -= 1
        if depth == 0 { return isCallable(tokens, position - 1) ? position - 1 : nil }
      default: break
      }
    }
    return nil
  }

  private static func isCallable(_ tokens: [LuaToken], _ position: Int) -> Bool {
    guard position >= 0 else { return false }
    return tokens[position].kind == .name || tokens[position].isSymbol(")")
      || tokens[position].isSymbol("]")
  }

  /// Returns the number of tokens in the expression that `tokens` begin with. 0 if the expression
  /// does not extend to the end of a statement.
  package static func length(of tokens: ArraySlice<LuaToken>) -> Int {
    var depth = 0
    var before: LuaToken?
    for (count, token) in tokens.enumerated() {
      defer { before = token }
      if depth == 0, let before, isEnd(token, behind: before) { return count }
      switch token.kind == .symbol ? token.text : "" {
      case "(", "{", "[": depth += 1
      case ")", "}", "]":
        depth -= 1
        if depth < 0 { return 0 }
      case ".", ":": break
      default:
        // With an operator, the expression has a different value.
        if depth == 0, token.kind != .name, token.kind != .string { return 0 }
      }
    }
    return depth == 0 ? tokens.count : 0
  }

  /// Returns whether a statement ends between two tokens.
  private static func isEnd(_ token: LuaToken, behind before: LuaToken) -> Bool {
    if token.isSymbol(";") || token.isSymbol("::") { return true }
    let joins = before.isSymbol(".") || before.isSymbol(":")
    if token.kind == .keyword { return !["and", "or"].contains(token.text) }
    return token.kind == .name && !joins
  }
}
