/// Holds a file of LuaCATS declarations against the grammar of the annotations: every type must be
/// readable to its end, and every name in it declared.
struct LuaCATSChecker {
  private(set) var problems: [String] = []
  private(set) var declared: Set<String> = [
    "string", "number", "integer", "boolean", "table", "function", "any", "nil", "true", "false",
    "self",
  ]
  /// `holder` by class, from the line after `@class`.
  private(set) var functions: [String] = []

  private static let tags: Set<String> = [
    "meta", "class", "field", "param", "return", "overload", "operator", "alias",
  ]

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for line in lines { declare(line) }
    var parameters: [String] = []
    for (index, line) in lines.enumerated() {
      let count = problems.count
      read(line, &parameters)
      for place in count..<problems.count { problems[place] = "\(index + 1): \(problems[place])" }
    }
  }

  private mutating func declare(_ line: String) {
    for tag in ["---@class ", "---@alias "] where line.hasPrefix(tag) {
      let name = line.dropFirst(tag.count).prefix { $0 != " " && $0 != ":" }
      if !declared.insert(String(name)).inserted { problems.append("\(name) is declared twice") }
    }
  }

  private mutating func read(_ line: String, _ parameters: inout [String]) {
    guard line.hasPrefix("---") else { return readCode(line, &parameters) }
    if line.hasPrefix("---|") { return readChoice(line) }
    guard line.hasPrefix("---@") else {
      let text = line.dropFirst(3).drop { $0 == " " }
      if text.hasPrefix("@") || text.hasPrefix("|") {
        problems.append("a comment that would be read as an annotation: \(line)")
      }
      return
    }
    let tag = line.dropFirst(4).prefix { $0.isLetter }
    var rest = line.dropFirst(4 + tag.count)[...]
    if let comment = rest.firstRange(of: " # ") { rest = rest[..<comment.lowerBound] }
    rest = rest.drop { $0 == " " }
    guard Self.tags.contains(String(tag)) else { return problems.append("unknown tag \(tag)") }
    switch tag {
    case "meta": break
    case "class":
      if let colon = rest.firstIndex(of: ":") { type(rest[rest.index(after: colon)...], line) }
    case "alias":
      let name = rest.prefix { $0 != " " }
      if name.count < rest.count { type(rest.dropFirst(name.count), line) }
    case "field": field(rest, line)
    case "param":
      let name = rest.prefix { $0 != " " }
      parameters.append(String(name.last == "?" ? name.dropLast() : name))
      type(rest.dropFirst(name.count), line)
    case "return": type(rest.hasSuffix(" ...") ? rest.dropLast(4) : rest, line)
    case "overload":
      if !rest.hasPrefix("fun(") { problems.append("no function: \(line)") }
      type(rest, line)
    default: operation(rest, line)
    }
  }

  private mutating func field(_ rest: Substring, _ line: String) {
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else {
        return problems.append("no end of the key: \(line)")
      }
      type(rest[rest.index(after: rest.startIndex)..<end], line)
      return type(rest[rest.index(after: end)...], line)
    }
    let name = rest.prefix { $0 != " " }
    let bare = name.last == "?" ? name.dropLast() : name
    if bare.isEmpty || !bare.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
      problems.append("no name of a field: \(line)")
    }
    type(rest.dropFirst(name.count), line)
  }

  private mutating func operation(_ rest: Substring, _ line: String) {
    let name = rest.prefix { $0.isLetter }
    if !["len", "call", "eq", "add", "concat"].contains(name) {
      problems.append("unknown operator \(name)")
    }
    guard let colon = rest.lastIndex(of: ":") else {
      return problems.append("no result of an operator: \(line)")
    }
    type(rest[rest.index(after: colon)...], line)
  }

  private mutating func readChoice(_ line: String) {
    guard line.wholeMatch(of: /---\| "[^"]+" # .+/) != nil else {
      return problems.append("no choice: \(line)")
    }
  }

  /// A declaration takes the parameters that were annotated, in their order.
  private mutating func readCode(_ line: String, _ parameters: inout [String]) {
    guard let match = line.firstMatch(of: /^function ([A-Za-z_.:0-9]+)\((.*)\) end$/) else {
      if !parameters.isEmpty { problems.append("parameters of nothing: \(line)") }
      parameters = []
      return
    }
    let names = match.2.split(separator: ", ").map(String.init)
    if names != parameters {
      problems.append("\(match.1) takes \(names), annotated: \(parameters)")
    }
    functions.append(String(match.1))
    parameters = []
  }

  private mutating func type(_ text: Substring, _ line: String) {
    var reader = TypeReader(text, declared)
    if let problem = reader.problem() { problems.append("\(problem): \(line)") }
  }
}

/// The grammar of types: unions, optional ones, lists, functions, tables, literals.
private struct TypeReader {
  private var rest: Substring
  private let declared: Set<String>
  private var failure: String?

  init(_ text: Substring, _ declared: Set<String>) {
    rest = text
    self.declared = declared
  }

  mutating func problem() -> String? {
    union()
    skipSpaces()
    if failure == nil, !rest.isEmpty { failure = "what follows the type: '\(rest)'" }
    return failure
  }

  private mutating func skipSpaces() { rest = rest.drop { $0 == " " } }

  private mutating func take(_ token: String) -> Bool {
    skipSpaces()
    guard rest.hasPrefix(token) else { return false }
    rest = rest.dropFirst(token.count)
    return true
  }

  private mutating func expect(_ token: String) {
    if !take(token), failure == nil { failure = "'\(token)' expected at '\(rest)'" }
  }

  private mutating func word() -> String {
    skipSpaces()
    let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  private mutating func union() {
    repeat { single() } while failure == nil && take("|")
  }

  private mutating func single() {
    if take("(") {
      union()
      expect(")")
    } else if take("{") {
      fields()
    } else if take("\"") {
      rest = rest.drop { $0 != "\"" }
      expect("\"")
    } else if take("fun(") {
      function()
    } else {
      let name = word()
      if take("<") {
        repeat { union() } while failure == nil && take(",")
        expect(">")
      }
      if !declared.contains(name), failure == nil { failure = "'\(name)' is not declared" }
    }
    while failure == nil, take("[]") || take("?") {}
  }

  private mutating func fields() {
    repeat {
      _ = word()
      _ = take("?")
      expect(":")
      union()
    } while failure == nil && take(",")
    expect("}")
  }

  private mutating func function() {
    if !take(")") {
      repeat {
        if take("...") {
          if take(":") { union() }
          continue
        }
        if word().isEmpty, failure == nil { failure = "a parameter without name at '\(rest)'" }
        _ = take("?")
        expect(":")
        union()
      } while failure == nil && take(",")
      expect(")")
    }
    guard failure == nil, take(":") else { return }
    repeat { union() } while failure == nil && take(",")
  }
}
