import LullLuaSource

/// Decides whether the result of a function in an expression depends only on its arguments.
enum FunctionReader {
  /// The global names that a function may use. They are all functions, or tables of functions,
  /// whose result depends only on their arguments.
  static let known: Set<String> = [
    "string", "table", "math", "utf8", "tostring", "tonumber", "type", "select", "ipairs", "pairs",
    "next", "map", "filter", "keys", "values", "entries", "sort_by", "reverse", "group_by",
    "count_by", "unique", "first", "last", "count", "sum", "average", "min", "max", "flatten",
    "pick", "join",
  ]
  private static let openers: Set<String> = ["function", "do", "then", "repeat"]
  private static let closers: Set<String> = ["end", "until"]

  /// Reads a function from `function` to its `end`, and moves `place` behind it. Returns false if
  /// the tokens are not a function, or if the function's result may depend on something other than
  /// its arguments.
  static func read(_ tokens: [LuaToken], _ place: inout Int) -> Bool {
    guard let end = end(of: tokens, from: place) else { return false }
    let body = Array(tokens[place..<end])
    let declared = names(declaredIn: body)
    // A local variable `x` exists only in its own block. Elsewhere in the function, `x` would refer
    // to the whole list.
    guard !declared.subtracting(parameters(of: body)).contains("x") else { return false }
    place = end
    var brackets: [String] = []
    var isDeclaring = false
    for (position, token) in body.enumerated() {
      let before = position > 0 ? body[position - 1] : nil
      let after = position + 1 < body.count ? body[position + 1] : nil
      switch (token.kind, token.text) {
      case (.symbol, "("), (.symbol, "{"), (.symbol, "["): brackets.append(token.text)
      case (.symbol, ")"), (.symbol, "}"), (.symbol, "]"): _ = brackets.popLast()
      case (.keyword, "local"), (.keyword, "for"): isDeclaring = true
      case (.symbol, "="):
        // The assignment is a field in a table constructor, or it initializes a local variable.
        guard brackets.last == "{" || isDeclaring else { return false }
        if brackets.isEmpty { isDeclaring = false }
      case (.keyword, "goto"), (.symbol, "::"), (.openString, _), (.openComment, _): return false
      case (.name, "random"), (.name, "randomseed"): return false
      case (.name, let name):
        if before?.isSymbol(".") == true || before?.isSymbol(":") == true { continue }
        let isKey = brackets.last == "{" && after?.isSymbol("=") == true
        guard isKey || declared.contains(name) || known.contains(name) else { return false }
      case (.keyword, _): if !["in", "function"].contains(token.text) { isDeclaring = false }
      default: break
      }
    }
    return true
  }

  /// Returns the index after the function's `end`. A block of an `if` statement begins at each
  /// `then`, and `elseif` ends the previous one.
  private static func end(of tokens: [LuaToken], from start: Int) -> Int? {
    var depth = 0
    for place in start..<tokens.count where tokens[place].kind == .keyword {
      let word = tokens[place].text
      if word == "elseif" { depth -= 1 }
      if openers.contains(word) { depth += 1 }
      if closers.contains(word) { depth -= 1 }
      if depth == 0 { return place + 1 }
    }
    return nil
  }

  private static func parameters(of body: [LuaToken]) -> Set<String> {
    Set(body.dropFirst().prefix { !$0.isSymbol(")") }.filter { $0.kind == .name }.map(\.text))
  }

  /// Returns all names that a function declares: its parameters, and the names after `local` and
  /// `for`.
  private static func names(declaredIn body: [LuaToken]) -> Set<String> {
    var names: Set<String> = []
    var place = 0
    func takeNames() {
      while place < body.count, body[place].kind == .name {
        names.insert(body[place].text)
        place += 1
        guard place < body.count, body[place].isSymbol(",") else { return }
        place += 1
      }
    }
    while place < body.count {
      let token = body[place]
      place += 1
      guard token.kind == .keyword else { continue }
      switch token.text {
      case "for": takeNames()
      case "local" where place < body.count && body[place].isKeyword("function"):
        place += 1
        if place < body.count { names.insert(body[place].text) }
      case "local": takeNames()
      case "function":
        while place < body.count, !body[place].isSymbol("(") { place += 1 }
        place += 1
        takeNames()
      default: break
      }
    }
    return names
  }
}
