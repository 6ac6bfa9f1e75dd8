/// A local variable in a source, as far as the tokens show its declaration.
package struct LocalScope {
  private let tokens: [LuaToken]
  private let name: String

  package init(tokens: [LuaToken], name: String) {
    self.tokens = tokens
    self.name = name
  }

  /// Returns the index of the first token of the variable's value.
  ///
  /// The declaration must be the only assignment before the last use of the variable after `first`.
  /// nil if the variable may have another value, or if the name may refer to another variable.
  package func onlyValue(usedFrom first: Int) -> Int? {
    let bindings = tokens.indices.filter(isBinding)
    // The name may also be declared on this line, so use its last occurrence.
    guard let use = tokens.indices.last(where: { $0 >= first && isUsed($0) }),
      let binding = bindings.last(where: { $0 < use }), binding == bindings.last,
      binding > 0, tokens[binding - 1].isKeyword("local"), isInScope(from: binding, to: use)
    else { return nil }
    var value = binding + 1
    if text(value) == "<" { value += 3 }
    return text(value) == "=" ? value + 1 : nil
  }

  private func text(_ position: Int) -> String {
    tokens.indices.contains(position) ? tokens[position].text : ""
  }

  private func isName(_ position: Int) -> Bool {
    tokens[position].kind == .name && tokens[position].text == name
      && ![".", ":"].contains(text(position - 1))
  }

  private func isUsed(_ position: Int) -> Bool {
    isName(position) && !isBinding(position)
  }

  /// Returns whether the variable may be assigned at a position. The key of a table looks the same,
  /// so it counts as an assignment.
  private func isBinding(_ position: Int) -> Bool {
    guard isName(position) else { return false }
    switch text(position + 1) {
    case "=", "in": return true
    case "," where !isInCall(position): return true
    default: return isDeclared(position)
    }
  }

  /// Returns whether the variable is declared at a position: `local name`, `local a, name`,
  /// `for a, name`, `function name` or `function (a, name)`.
  private func isDeclared(_ position: Int) -> Bool {
    var start = position - 1
    while text(start) == ",", start > 0, tokens[start - 1].kind == .name { start -= 2 }
    if ["local", "for", "function"].contains(text(start)) { return true }
    guard text(start) == "(" else { return false }
    start -= 1
    while start >= 0, tokens[start].kind == .name || [".", ":"].contains(text(start)) { start -= 1 }
    return text(start) == "function"
  }

  /// Returns whether a position is inside the arguments of a call.
  private func isInCall(_ position: Int) -> Bool {
    var depth = 0
    for before in (0..<position).reversed() {
      switch text(before) {
      case ")", "}", "]": depth += 1
      case "(" where depth == 0: return !isDeclared(position)
      case "(", "{", "[": depth -= 1
      default: if tokens[before].kind == .keyword { return false }
      }
      if depth < 0 { return false }
    }
    return false
  }

  /// Returns whether the block that contains the declaration is still open at the use.
  private func isInScope(from binding: Int, to use: Int) -> Bool {
    var depth = 0
    for token in tokens[binding..<use] where token.kind == .keyword {
      switch token.text {
      case "do", "then", "function", "repeat": depth += 1
      case "end", "until": depth -= 1
      case "else":
        if depth < 1 { return false }
      case "elseif": depth -= 1
      default: break
      }
      if depth < 0 { return false }
    }
    return true
  }
}
