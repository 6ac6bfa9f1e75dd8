/// Finds the code that an error message is about, on the line that the message names.
///
/// A message names a line and often a value, as in `field 'x'` or `bad argument #2 to 'f'`. If
/// exactly one token of the line fits the value, it is marked. Otherwise, all code of the line is
/// marked.
package struct CodeMark {
  /// The function that the line called when the error was raised.
  package struct Callee {
    package let name: String
    /// The kind of the function's name: `global`, `local`, `method`, `field` or `upvalue`. A
    /// function of another kind is not searched for.
    package let kind: String

    package init(name: String, kind: String) {
      self.name = name
      self.kind = kind
    }
  }

  private let tokens: [LuaToken]

  /// Returns the bytes of the source to mark. nil if no code is to be marked.
  ///
  /// - Parameter message: The message without the position at its beginning.
  package static func range(for message: String, callee: Callee?, on line: CodeLine) -> Range<Int>?
  {
    let range = certainRange(for: message, callee: callee, on: line)
    // The interpreter may report the wrong line for a division.
    if range == nil, divisions.contains(message) { return nil }
    return range ?? line.code
  }

  /// Returns the code that a message is about. nil unless exactly one token fits.
  package static func certainRange(for message: String, callee: Callee?, on line: CodeLine)
    -> Range<Int>?
  {
    let mark = CodeMark(tokens: line.tokens)
    return mark.argument(message, callee) ?? mark.namedValue(message) ?? mark.unknownName(message)
      ?? mark.operation(message) ?? mark.call(callee)
  }

  /// Returns the value that a message names. nil unless exactly one of the tokens fits.
  package static func namedValue(in message: String, among tokens: [LuaToken]) -> Range<Int>? {
    CodeMark(tokens: tokens).namedValue(message)
  }

  /// Returns the name of the function that is defined on the line. nil unless there is exactly one.
  package static func definition(on line: CodeLine) -> Range<Int>? {
    let mark = CodeMark(tokens: line.tokens)
    return mark.only { mark.isKeyword($0, "function") }.map { mark.tokens[$0].range } ?? line.code
  }

  private static let divisions = [
    "attempt to divide by zero", "attempt to perform 'n//0'", "attempt to perform 'n%%0'",
  ]

  // MARK: Kinds of messages

  /// Handles messages such as `bad argument #2 to 'f' (…)`. Returns the argument, or the function's
  /// name if the call has no such argument.
  private func argument(_ message: String, _ callee: Callee?) -> Range<Int>? {
    let start = "bad argument #"
    guard message.hasPrefix(start) else { return nil }
    let rest = message.dropFirst(start.count)
    guard let number = Int(rest.prefix { $0.isNumber }), let name = quoted(rest, after: "to ")
    else { return nil }
    let last = name.split(separator: ".").last.map(String.init) ?? name
    let position =
      only { isName($0, last) && isCalled($0) }
      ?? callee.flatMap { callee in
        only { callee.name == last && isValue($0, last, callee.kind) && isCalled($0) }
      }
    guard let position else { return nil }
    return argument(number, ofCallAt: position) ?? tokens[position].range
  }

  /// Handles messages such as `… a nil value (field 'x')`. Returns the named value.
  private func namedValue(_ message: String) -> Range<Int>? {
    guard message.hasPrefix("attempt to "), message.hasSuffix("')"),
      let open = message.lastRange(of: " (")
    else { return nil }
    let words = message[open.upperBound...]
    guard let kind = words.split(separator: " ").first.map(String.init),
      let name = quoted(words, after: kind + " ")
    else { return nil }
    let isIndexed = message.hasPrefix("attempt to index ")
    let isCall = message.hasPrefix("attempt to call ")
    let position = only { position in
      guard isValue(position, name, kind) else { return false }
      // If the name is a string in brackets, the token after it is the closing bracket.
      let next = text(tokens[position].kind == .string ? position + 2 : position + 1)
      if isIndexed { return [".", "[", ":"].contains(next) }
      if isCall { return isCalled(position) }
      // A variable that is only assigned has not been read, so it can't be the cause.
      return next != "="
    }
    return position.map { tokens[$0].range }
  }

  /// Handles messages about unknown names, such as `a Resource has no field 'laod'` or
  /// `unknown setting 'x'`. Returns the name.
  private func unknownName(_ message: String) -> Range<Int>? {
    if let name = quoted(message[...], after: "const variable ") {
      return only { isValue($0, name, "local") && text($0 + 1) == "=" }.map { tokens[$0].range }
    }
    for words in [" has no field ", "unknown setting ", "label "] {
      guard let name = quoted(message[...], after: words) else { continue }
      if let position = only({ isName($0, name) || isKey($0, name) }) {
        return tokens[position].range
      }
    }
    guard message.hasSuffix(" is read-only"), let name = quoted(message[...], after: "") else {
      return nil
    }
    return only { isName($0, name) && text($0 - 1) == "." }.map { tokens[$0].range }
  }

  /// Returns the operator that a message is about. nil unless it occurs exactly once on the line.
  private func operation(_ message: String) -> Range<Int>? {
    let symbols: [String]
    if message.hasPrefix("attempt to compare ") {
      symbols = ["<", ">", "<=", ">="]
    } else if message.hasPrefix("attempt to concatenate ") {
      symbols = [".."]
    } else if message.hasPrefix("attempt to get length ") {
      symbols = ["#"]
    } else if message.hasPrefix("attempt to perform arithmetic ") {
      symbols = ["+", "-", "*", "/", "//", "%", "^"]
    } else if CodeMark.divisions.contains(message) {
      symbols = message.hasSuffix("%%0'") ? ["%"] : ["//"]
    } else if let verb = CodeMark.verbs.first(where: { message.hasPrefix("attempt to \($0.name) ") }
    ) {
      symbols = [verb.symbol]
    } else if message.hasPrefix("attempt to perform bitwise ")
      || message.hasSuffix(" has no integer representation")
    {
      symbols = ["&", "|", "~", "<<", ">>"]
    } else if message.hasPrefix("'for' ") {
      return only { isKeyword($0, "for") }.map { tokens[$0].range }
    } else {
      return nil
    }
    return only { tokens[$0].kind == .symbol && symbols.contains(text($0)) }
      .map { tokens[$0].range }
  }

  /// The operators that are named in messages about strings which are not numbers.
  private static let verbs = [
    (name: "add", symbol: "+"), (name: "sub", symbol: "-"), (name: "mul", symbol: "*"),
    (name: "div", symbol: "/"), (name: "idiv", symbol: "//"), (name: "mod", symbol: "%"),
    (name: "pow", symbol: "^"), (name: "unm", symbol: "-"),
  ]

  private func call(_ callee: Callee?) -> Range<Int>? {
    guard let callee, !callee.name.isEmpty,
      ["global", "local", "method", "field", "upvalue"].contains(callee.kind)
    else { return nil }
    return only { isValue($0, callee.name, callee.kind) && isCalled($0) }.map { tokens[$0].range }
  }

  // MARK: Tokens

  private func text(_ position: Int) -> String {
    tokens.indices.contains(position) ? tokens[position].text : ""
  }

  /// Returns the position of the only token that fits. nil if no token fits, or more than one.
  private func only(_ fits: (Int) -> Bool) -> Int? {
    let positions = tokens.indices.filter(fits)
    return positions.count == 1 ? positions[0] : nil
  }

  private func isName(_ position: Int, _ name: String) -> Bool {
    tokens.indices.contains(position) && tokens[position].kind == .name && text(position) == name
  }

  private func isKeyword(_ position: Int, _ word: String) -> Bool {
    tokens[position].kind == .keyword && text(position) == word
  }

  /// Returns whether the token is the name in a key of the form `["name"]`.
  private func isKey(_ position: Int, _ name: String) -> Bool {
    text(position - 1) == "[" && tokens[position].kind == .string && text(position) == name
  }

  /// Returns whether the token is a use of the variable, field or method with this name.
  private func isValue(_ position: Int, _ name: String, _ kind: String) -> Bool {
    let before = text(position - 1)
    switch kind {
    case "global", "local", "upvalue":
      return isName(position, name) && before != "." && before != ":"
    case "method": return isName(position, name) && before == ":"
    case "field": return isName(position, name) && before == "." || isKey(position, name)
    default: return false
    }
  }

  private func isCalled(_ position: Int) -> Bool {
    guard tokens.indices.contains(position), text(position - 1) != "function" else { return false }
    // If the name is a string in brackets, the token after it is the closing bracket.
    let next = tokens[position].kind == .string ? position + 2 : position + 1
    // `function a.b.c(` is a definition, not a call.
    var start = position
    while [".", ":"].contains(text(start - 1)) { start -= 2 }
    guard tokens.indices.contains(next), text(start - 1) != "function" else { return false }
    return ["(", "{"].contains(text(next)) || tokens[next].kind == .string
  }

  /// Returns an argument of a call by its number. nil unless the whole argument is on the line.
  ///
  /// - Parameter name: The position of the function's name.
  private func argument(_ number: Int, ofCallAt name: Int) -> Range<Int>? {
    var position = name + 1
    guard text(position) == "(" else { return nil }
    var depth = 0
    var argument = 1
    var first: Int?
    while tokens.indices.contains(position) {
      let symbol = tokens[position].kind == .symbol ? text(position) : ""
      let opens =
        ["(", "[", "{"].contains(symbol)
        || ["function", "do", "if", "repeat"].contains(text(position))
          && tokens[position].kind == .keyword
      let closes =
        [")", "]", "}"].contains(symbol)
        || ["end", "until"].contains(text(position)) && tokens[position].kind == .keyword
      if closes { depth -= 1 }
      if depth == 0 && closes || depth == 1 && symbol == "," {
        if argument == number, let first, first < position {
          return tokens[first].range.lowerBound..<tokens[position - 1].range.upperBound
        }
        if depth == 0 { return nil }
        argument += 1
        first = nil
      } else if depth >= 1, first == nil {
        first = position
      }
      if opens { depth += 1 }
      position += 1
    }
    return nil
  }

  /// Returns the text in single quotes that follows directly after `words`.
  private func quoted(_ text: Substring, after words: String) -> String? {
    guard let start = text.firstRange(of: words + "'")?.upperBound,
      let end = text[start...].firstIndex(of: "'"), end > start
    else { return nil }
    return String(text[start..<end])
  }
}

extension StringProtocol {
  fileprivate func lastRange(of part: String) -> Range<Index>? { ranges(of: part).last }
}
