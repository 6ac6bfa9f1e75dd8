/// The word at the cursor and its context, for completion.
package struct LineContext {
  /// A step of an expression such as `api:resource("/x").url`.
  package enum Step: Equatable {
    case field(String)
    case method(String)
    case call
    /// An element of a list. An index that is not a number is represented by 1.
    case element(Int)
  }

  /// A name, and the steps that follow it.
  package struct Chain: Equatable {
    package let name: String
    package let steps: [Step]

    package init(name: String, steps: [Step]) {
      self.name = name
      self.steps = steps
    }
  }

  /// The position of the cursor in a table that is an argument of a call: the call, the number of
  /// the argument starting at 0, and the keys of the tables that enclose the cursor.
  package struct Place: Equatable {
    package let callee: Chain
    package let argument: Int
    package let keys: [String]

    package init(callee: Chain, argument: Int, keys: [String]) {
      self.callee = callee
      self.argument = argument
      self.keys = keys
    }
  }

  package enum Kind: Equatable {
    /// A name that is not part of a longer expression.
    case variable
    /// A name after a dot or colon.
    case member(Chain, isMethod: Bool)
    /// A name after a colon that follows a string.
    case stringMethod
    /// A key in a table that is an argument.
    case key(Place)
    /// The value, in quotes, of a key in a table that is an argument.
    case quotedValue(Place)
    /// A key in brackets and quotes, in a table that is an argument.
    case quotedKey(Place)
    /// A field in brackets and quotes, after an expression.
    case quotedField(Chain)
    /// A string in quotes that is an argument.
    case quotedArgument(Chain, Int)
    case nothing
  }

  package let kind: Kind
  /// The part of the word before the cursor.
  package let prefix: String
  /// The closing quote or bracket of the string that contains the word. Empty if the word is not in
  /// a string.
  package let closing: String
  /// The names that are declared before the cursor as locals, parameters or loop variables.
  package let declaredNames: [String]

  package init(_ text: String) {
    let tokens = LuaToken.all(in: text.utf8)
    var rest = tokens[...]
    let end = text.utf8.count
    declaredNames = LineContext.declared(tokens)
    closing = tokens.last.map { LineContext.end(of: $0, in: text) } ?? ""
    guard let last = tokens.last else {
      kind = .variable
      prefix = ""
      return
    }
    switch last.kind {
    case .openString:
      rest.removeLast()
      prefix = last.text
      kind = LineContext.quoted(rest)
    case .openComment:
      prefix = ""
      kind = .nothing
    default:
      let isWord = last.range.upperBound == end && (last.kind == .name || last.kind == .keyword)
      if isWord { rest.removeLast() }
      prefix = isWord ? last.text : ""
      if last.kind == .number, last.range.upperBound == end {
        kind = .nothing
      } else {
        kind = LineContext.word(rest)
      }
    }
  }

  // MARK: Parts

  private static func end(of token: LuaToken, in text: String) -> String {
    guard token.kind == .openString else { return "" }
    let start = Array(text.utf8)[token.range]
    guard start.first == UInt8(ascii: "[") else {
      return String(decoding: start.prefix(1), as: UTF8.self)
    }
    let level = start.dropFirst().prefix { $0 == UInt8(ascii: "=") }.count
    return "]" + String(repeating: "=", count: level) + "]"
  }

  private static func word(_ tokens: ArraySlice<LuaToken>) -> Kind {
    guard let before = tokens.last else { return .variable }
    if before.is(".") || before.is(":") {
      if before.is(":"), isString(tokens.dropLast()) { return .stringMethod }
      guard let chain = chain(endingAt: tokens.dropLast()) else { return .nothing }
      return .member(chain, isMethod: before.is(":"))
    }
    if before.is("{") || before.is(",") || before.is(";"), let place = place(in: tokens) {
      return .key(place)
    }
    if before.text == "function" || before.text == "goto" || before.is("::") { return .nothing }
    return .variable
  }

  /// Returns whether the tokens end with a string in parentheses that is not an argument.
  private static func isString(_ tokens: ArraySlice<LuaToken>) -> Bool {
    let last = Array(tokens.suffix(4))
    guard last.count >= 3, last[last.count - 1].is(")"), last[last.count - 2].kind == .string,
      last[last.count - 3].is("(")
    else { return false }
    guard last.count == 4 else { return true }
    let before = last[0]
    return before.kind != .name && before.kind != .string && !before.is(")") && !before.is("]")
  }

  private static func quoted(_ tokens: ArraySlice<LuaToken>) -> Kind {
    guard let before = tokens.last else { return .nothing }
    if before.is("="), let key = tokens.dropLast().last, key.kind == .name,
      let place = place(in: tokens.dropLast(2))
    {
      return .quotedValue(
        Place(callee: place.callee, argument: place.argument, keys: place.keys + [key.text]))
    }
    if before.is("[") {
      let outside = tokens.dropLast()
      if let last = outside.last, last.is("{") || last.is(",") || last.is(";") {
        return place(in: outside).map { .quotedKey($0) } ?? .nothing
      }
      return chain(endingAt: outside).map { .quotedField($0) } ?? .nothing
    }
    if before.is("(") || before.is(",") {
      guard let (opening, argument) = openBracket(in: tokens), tokens[opening].is("("),
        let callee = chain(endingAt: tokens[..<opening])
      else { return .nothing }
      return .quotedArgument(callee, argument)
    }
    // The call has no parentheses, so the string is its only argument.
    guard let callee = chain(endingAt: tokens) else { return .nothing }
    return .quotedArgument(callee, 0)
  }

  /// Returns the position of the cursor, at the end of the tokens, in a table that is an argument.
  /// nil if the cursor is not in a table that is an argument.
  private static func place(in tokens: ArraySlice<LuaToken>) -> Place? {
    guard let (opening, _) = openBracket(in: tokens), tokens[opening].is("{") else { return nil }
    let before = tokens[..<opening]
    guard let last = before.last else { return nil }
    if last.is("="), let key = before.dropLast().last, key.kind == .name {
      guard let outer = place(in: before.dropLast(2)) else { return nil }
      return Place(
        callee: outer.callee, argument: outer.argument, keys: outer.keys + [key.text])
    }
    if last.is("(") || last.is(",") {
      guard let (call, argument) = openBracket(in: before), tokens[call].is("("),
        let callee = chain(endingAt: tokens[..<call])
      else { return nil }
      return Place(callee: callee, argument: argument, keys: [])
    }
    guard let callee = chain(endingAt: before) else { return nil }
    return Place(callee: callee, argument: 0, keys: [])
  }

  /// Returns the index of the innermost bracket that is still open, and the number of commas after
  /// it.
  private static func openBracket(in tokens: ArraySlice<LuaToken>) -> (Int, Int)? {
    var depth = 0
    var commas = 0
    for index in tokens.indices.reversed() {
      let token = tokens[index]
      guard token.kind == .symbol || token.kind == .keyword else { continue }
      switch token.text {
      case ")", "]", "}", "end": depth += 1
      case "(", "[", "{":
        if depth == 0 { return (index, commas) }
        depth -= 1
      case "function", "do", "then", "repeat":
        if depth == 0 { return nil }
        depth -= 1
      case ",", ";": if depth == 0 { commas += 1 }
      default: break
      }
    }
    return nil
  }

  /// Returns the expression that ends with the last token.
  private static func chain(endingAt tokens: ArraySlice<LuaToken>) -> Chain? {
    var rest = tokens
    var steps: [Step] = []
    while let last = rest.last {
      if last.is("]") {
        guard let opening = opening(of: rest), let step = index(rest[(opening + 1)...].dropLast())
        else { return nil }
        rest = rest[..<opening]
        steps.insert(step, at: 0)
      } else if last.is(")") || last.is("}") {
        guard let opening = opening(of: rest) else { return nil }
        rest = rest[..<opening]
        steps.insert(.call, at: 0)
      } else if last.kind == .string {
        rest.removeLast()
        steps.insert(.call, at: 0)
      } else if last.kind == .name {
        rest.removeLast()
        guard let before = rest.last, before.is(".") || before.is(":") else {
          return Chain(name: last.text, steps: steps)
        }
        rest.removeLast()
        steps.insert(before.is(":") ? .method(last.text) : .field(last.text), at: 0)
      } else {
        return nil
      }
    }
    return nil
  }

  /// Returns the step for the tokens of an index, which are in brackets.
  private static func index(_ tokens: ArraySlice<LuaToken>) -> Step? {
    guard let first = tokens.first else { return nil }
    guard tokens.count == 1 else { return .element(1) }
    switch first.kind {
    case .string: return .field(first.text)
    case .number: return Int(first.text).map { .element($0) }
    default: return .element(1)
    }
  }

  /// Returns the index of the bracket that the last token closes.
  private static func opening(of tokens: ArraySlice<LuaToken>) -> Int? {
    var depth = 0
    for index in tokens.indices.reversed() {
      guard tokens[index].kind == .symbol else { continue }
      switch tokens[index].text {
      case ")", "]", "}": depth += 1
      case "(", "[", "{":
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }

  private static func declared(_ tokens: [LuaToken]) -> [String] {
    var names: [String] = []
    for (index, token) in tokens.enumerated() where token.kind == .keyword {
      switch token.text {
      case "local", "for":
        for next in tokens[(index + 1)...] {
          if next.kind == .name { names.append(next.text) } else if !next.is(",") { break }
        }
      case "function":
        var isInside = false
        for next in tokens[(index + 1)...] {
          if next.is("(") { isInside = true }
          if next.is(")") { break }
          if next.kind == .name, isInside { names.append(next.text) }
        }
      default: break
      }
    }
    return names
  }
}

extension LuaToken {
  fileprivate func `is`(_ symbol: String) -> Bool { kind == .symbol && text == symbol }
}
