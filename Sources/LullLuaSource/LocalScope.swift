/// The declaration of a local variable in a source, as far as tokens show it.
package struct LocalScope {
  private let tokens: [LuaToken]
  private let name: String

  package init(tokens: [LuaToken], name: String) {
    self.tokens = tokens
    self.name = name
  }

  /// The index of the first token of the variable's value, if its declaration is the only
  /// assignment before its last use from that token on; nil if it may have another value, or be
  /// another variable.
  package func onlyValue(usedFrom first: Int) -> Int? {
    let bindings = tokens.indices.filter(isBinding)
    // The last use on the line counts: the variable may be declared before it on that line.
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

  /// Whether the variable may be assigned there. Keys of tables count too.
  private func isBinding(_ position: Int) -> Bool {
    guard isName(position) else { return false }
    switch text(position + 1) {
    case "=", "in": return true
    case "," where !isInCall(position): return true
    default: return isDeclared(position)
    }
  }

  /// `local name`, `local a, name`, `for a, name`, `function name`, `function (a, name)`
  private func isDeclared(_ position: Int) -> Bool {
    var start = position - 1
    while text(start) == ",", start > 0, tokens[start - 1].kind == .name { start -= 2 }
    if ["local", "for", "function"].contains(text(start)) { return true }
    guard text(start) == "(" else { return false }
    start -= 1
    while start >= 0, tokens[start].kind == .name || [".", ":"].contains(text(start)) { start -= 1 }
    return text(start) == "function"
  }

  /// Whether it is an argument of a call.
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

  /// Whether the block of the declaration is still open at the use.
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
