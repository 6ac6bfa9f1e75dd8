/// Parses the words of a command line according to an `ArgumentSpec`.
///
/// Options may be before and after positional arguments. The word `--` ends the options. Values are
/// returned as texts, and the caller converts them.
package struct ArgumentParser {
  package enum End: Error, Equatable {
    /// The usage is wrong. The value is the error message.
    case problem(String)
    case help
    case version
  }

  private let spec: ArgumentSpec
  private var result: ParsedArguments
  private var loose: [String] = []

  /// Parses a command line.
  ///
  /// - Parameter checksRules: Whether the rules about combinations of options are checked. False if
  ///   defaults are filled in before the check.
  package static func parse(
    _ words: [String], by spec: ArgumentSpec, checksRules: Bool = true
  ) throws(End) -> ParsedArguments {
    var parser = ArgumentParser(spec)
    try parser.read(words)
    try parser.deal()
    try parser.check()
    if checksRules { try parser.result.checkRules() }
    return parser.result
  }

  /// Parses the options at the front of `words` and removes them. Parsing stops at the first word
  /// that is not an option of the specification. That word and all words after it remain for the
  /// caller.
  package static func takeLeading(
    _ words: inout ArraySlice<String>, by spec: ArgumentSpec
  ) throws(End) -> ParsedArguments {
    var parser = ArgumentParser(spec)
    while let word = words.first, parser.isOwnOption(word) {
      words.removeFirst()
      if word.hasPrefix("--") {
        try parser.readLong(word, &words)
      } else {
        try parser.readShort(word, &words)
      }
    }
    try parser.check()
    return parser.result
  }

  private init(_ spec: ArgumentSpec) {
    self.spec = spec
    result = ParsedArguments(spec)
  }

  // MARK: Words

  private mutating func read(_ words: [String]) throws(End) {
    var words = words[...]
    while let word = words.popFirst() {
      if word == "--" {
        loose += words
        return
      }
      if word.hasPrefix("--") {
        try readLong(word, &words)
      } else if word.hasPrefix("-"), word != "-", !isNumber(word) {
        try readShort(word, &words)
      } else {
        loose.append(word)
      }
    }
  }

  /// Returns whether a word begins with the name of an option in the specification.
  private func isOwnOption(_ word: String) -> Bool {
    guard word.hasPrefix("-") else { return false }
    return index(of: String(word.hasPrefix("--") ? word.prefix { $0 != "=" } : word.prefix(2)))
      != nil
  }

  /// Returns whether a word such as `-5` is a number. False if the specification has options that
  /// look like numbers.
  private func isNumber(_ word: String) -> Bool {
    guard Double(word) != nil else { return false }
    return !spec.options.contains { option in
      option.names.contains { $0.count == 2 && $0.last?.isNumber == true }
    }
  }

  /// Parses a word that begins with `--`: `--limit 5`, `--limit=5`, `--color` or `--no-color`.
  private mutating func readLong(_ word: String, _ words: inout ArraySlice<String>) throws(End) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let given = parts.count > 1 ? String(parts[1]) : nil
    if let index = index(of: name) {
      let argument = spec.arguments[index]
      note(name, index)
      if argument.kind == .boolean { return setBoolean(index, given, &words) }
      guard argument.kind.takesValue else {
        if given != nil { throw .problem("'\(name)' takes no value") }
        return count(index)
      }
      return try take(index, name, given, &words)
    }
    if name.hasPrefix("--no-"), let index = index(of: "--" + name.dropFirst(5)),
      [.flag, .boolean].contains(spec.arguments[index].kind)
    {
      if given != nil { throw .problem("'\(name)' takes no value") }
      if spec.arguments[index].kind == .boolean {
        result.texts[index] = ["false"]
      } else {
        result.counts[index] = 0
      }
      return
    }
    if name == "--help" { throw .help }
    if name == "--version", spec.version != nil { throw .version }
    throw unknown(name)
  }

  /// Parses a boolean option: `--archived`, `--archived=false` or `--archived false`. The last form
  /// is possible only if there are no positional arguments.
  private mutating func setBoolean(
    _ index: Int, _ given: String?, _ words: inout ArraySlice<String>
  ) {
    var text = given
    if text == nil, !spec.hasPositionals, let next = words.first, !next.hasPrefix("-") {
      text = next
      words.removeFirst()
    }
    result.texts[index] = [text ?? "true"]
  }

  /// Parses a word that begins with one `-`: `-v`, `-abc`, `-n5`, `-n=5` or `-n 5`.
  private mutating func readShort(_ word: String, _ words: inout ArraySlice<String>) throws(End) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      let name = "-\(letter)"
      guard let index = index(of: name) else {
        if name == "-h" { throw .help }
        throw unknown(name, in: word)
      }
      note(name, index)
      guard spec.arguments[index].kind.takesValue else {
        if rest.first == "=" { throw .problem("'\(name)' takes no value") }
        count(index)
        continue
      }
      let given = rest.first == "=" ? rest.dropFirst() : rest
      return try take(index, name, rest.isEmpty ? nil : String(given), &words)
    }
  }

  private mutating func note(_ name: String, _ index: Int) {
    result.typed[index] = result.typed[index] ?? name
  }

  private mutating func count(_ index: Int) {
    if spec.arguments[index].kind == .boolean { return result.texts[index] = ["true"] }
    result.counts[index] = (result.counts[index] ?? 0) + 1
  }

  private mutating func take(
    _ index: Int, _ name: String, _ given: String?, _ words: inout ArraySlice<String>
  ) throws(End) {
    let text: String
    if let given {
      text = given
    } else {
      guard let next = words.first, !isOption(next) else {
        throw .problem(
          spec.arguments[index].demand == nil
            ? "'\(name)' needs a value" : "\(name) needs a value")
      }
      words = words.dropFirst()
      text = next
    }
    let argument = spec.arguments[index]
    if result.texts[index] == nil || argument.isReplaceable {
      result.texts[index] = [text]
    } else if argument.isRepeated {
      result.texts[index]?.append(text)
    } else {
      throw .problem("'\(argument.shown)' is given twice")
    }
  }

  /// Returns whether a word can only be an option, not a value.
  private func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), word != "-" else { return false }
    if word == "--" { return true }
    let name = String(word.prefix { $0 != "=" })
    return index(of: name) != nil || name == "--help"
      || name.hasPrefix("--no-") && index(of: "--" + name.dropFirst(5)) != nil
  }

  private func index(of name: String) -> Int? {
    spec.arguments.firstIndex { !$0.isPositional && $0.names.contains(name) }
  }

  private func unknown(_ name: String, in word: String? = nil) -> End {
    if let hint = spec.hints[name] { return .problem("there is no option '\(name)': \(hint)") }
    let place = word.map { $0 == name ? "" : " in '\($0)'" } ?? ""
    let known =
      spec.options.flatMap(\.names) + ["--help"] + (spec.version == nil ? [] : ["--version"])
    let near = name.hasPrefix("--") ? NearestName.suggestion(for: name, among: known) : nil
    return .problem(
      "unknown option '\(name)'\(place)" + (near.map { " (did you mean '\($0)'?)" } ?? ""))
  }

  // MARK: Positional arguments

  /// Assigns the words that are not options to positional arguments. Each argument gets one word.
  /// An argument that may be repeated gets the remaining words too.
  private mutating func deal() throws(End) {
    let indices = spec.arguments.indices.filter { spec.arguments[$0].isPositional }
    var rest = loose[...]
    for (place, index) in indices.enumerated() {
      let argument = spec.arguments[index]
      let needed = indices[(place + 1)...].count { spec.arguments[$0].isRequired }
      if argument.isRepeated {
        let following = indices.count - place - 1
        let count = max(
          rest.count - following, min(rest.count - needed, argument.isRequired ? 1 : 0))
        guard count > 0 else { continue }
        result.texts[index] = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
      } else if argument.isRequired ? !rest.isEmpty : rest.count > needed {
        result.texts[index] = rest.popFirst().map { [$0] }
      }
    }
    if let surplus = rest.first { throw .problem("unexpected argument '\(surplus)'") }
  }

  private func check() throws(End) {
    for (index, argument) in spec.arguments.enumerated() {
      guard let texts = result.texts[index] else {
        if argument.isRequired, result.counts[index] == nil {
          throw .problem(
            argument.isPositional
              ? "the argument '\(argument.shown)' is missing"
              : "the option '\(argument.shown)' must be given")
        }
        continue
      }
      for text in texts {
        try check(text, of: argument, name: result.typed[index] ?? argument.shown)
      }
    }
  }

  private func isLarge(_ text: String) -> Bool {
    spec.takesLargeIntegers && ArgumentText.largeInteger(text) != nil
  }

  private func check(_ text: String, of argument: Argument, name: String) throws(End) {
    guard argument.choices.isEmpty || argument.choices.contains(text) else {
      let near = NearestName.suggestion(for: text, among: argument.choices)
      throw .problem(
        "'\(argument.shown)' must be \(WordList.text(argument.choices)), got '\(text)'"
          + (argument.choiceHint.flatMap { text.contains(".") ? "; \($0)" : nil } ?? "")
          + (near.map { " (did you mean '\($0)'?)" } ?? ""))
    }
    switch argument.kind {
    case .integer where ArgumentText.integer(text) == nil && !isLarge(text):
      throw .problem("'\(argument.shown)' must be a whole number, got '\(text)'")
    case .number where ArgumentText.number(text) == nil:
      throw .problem("'\(argument.shown)' must be a number, got '\(text)'")
    case .boolean where ArgumentText.boolean(text) == nil:
      throw .problem("'\(argument.shown)' must be true or false, got '\(text)'")
    default: break
    }
    if let demand = argument.demand, !demand.isMet(text) {
      throw .problem("\(name) needs \(demand.text), got '\(text)'")
    }
  }
}
