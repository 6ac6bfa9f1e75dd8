import LullTestSupport

@testable import LullHost

/// Expressions of Lua for types written as LuaCATS does.
extension RandomScript {
  mutating func value(ofType type: String, named name: String = "") -> String {
    // Now and then something else than what is asked for.
    if random.chance(14) { return anything() }
    var alternatives = Self.split(type, at: "|")
    if alternatives.count > 1 { alternatives = [random.pick(alternatives) ?? type] }
    let type = Self.trimmed(alternatives.first ?? type)
    if type.hasSuffix("?") {
      return random.chance(3) ? "nil" : value(ofType: String(type.dropLast()), named: name)
    }
    if type.hasSuffix("[]") {
      var element = String(type.dropLast(2))
      if element.hasPrefix("("), element.hasSuffix(")") {
        element = String(element.dropFirst().dropLast())
      }
      let values = (0..<random.below(4)).map { _ in value(ofType: element, named: name) }
      return "{ \(values.joined(separator: ", ")) }"
    }
    if type.hasPrefix("fun(") { return function(type) }
    if type.hasPrefix("table<") { return table(type) }
    if type.hasPrefix("{") { return inlineTable(type) }
    if type.hasPrefix("\"") { return type }
    switch type {
    case "string": return string(named: name)
    case "number": return number()
    case "integer": return integer()
    case "boolean": return random.chance(2) ? "true" : "false"
    case "any": return anything()
    case "nil": return "nil"
    case "table":
      return random.pick(["{}", "{ 1, 2 }", "{ a = { b = 1 } }", "cyclic", "hostile"]) ?? "{}"
    default: return named(type)
    }
  }

  /// A value of a type the description names: an object, a table of options, a word, an alias.
  private mutating func named(_ type: String) -> String {
    guard let owner = APIDescription.whole.owner(type), depth < 5 else { return picked(type) }
    switch owner.kind {
    case .object: return picked(owner.name)
    case .module: return "lull"
    case .words: return quoted(random.pick(owner.entries)?.name ?? "")
    case .alias(let text): return value(ofType: text)
    case .table:
      depth += 1
      defer { depth -= 1 }
      var fields: [String] = []
      for entry in owner.entries where random.chance(max(2, owner.entries.count / 3)) {
        let key = entry.name.hasPrefix("<") ? "model" : entry.name
        fields.append("[\(quoted(key))] = \(value(ofType: entry.type, named: key))")
      }
      // What most of them cannot do without.
      for entry in owner.entries
      where !entry.type.hasSuffix("?") && entry.type.contains("fun(") && !random.chance(8) {
        fields.append("[\(quoted(entry.name))] = \(value(ofType: entry.type))")
      }
      if random.chance(30) { fields.append("unknown = 1") }
      return "{ \(fields.joined(separator: ", ")) }"
    }
  }

  private mutating func table(_ type: String) -> String {
    let inside = type.dropFirst("table<".count).dropLast()
    let parts = Self.split(String(inside), at: ",").map(Self.trimmed)
    guard parts.count == 2 else { return "{}" }
    let pairs = (0..<random.below(4)).map { _ in
      "[\(value(ofType: parts[0], named: "header")) or 1] = \(value(ofType: parts[1]))"
    }
    return "{ \(pairs.joined(separator: ", ")) }"
  }

  private mutating func inlineTable(_ type: String) -> String {
    var fields: [String] = []
    for part in Self.split(String(type.dropFirst().dropLast()), at: ",") where random.chance(2) {
      guard let colon = part.firstIndex(of: ":") else { continue }
      let name = Self.trimmed(String(part[..<colon])).filter { $0 != "?" }
      let type = Self.trimmed(String(part[part.index(after: colon)...]))
      fields.append("[\(quoted(name))] = \(value(ofType: type))")
    }
    return "{ \(fields.joined(separator: ", ")) }"
  }

  /// A function with random statements, which returns what the type says, or does not.
  private mutating func function(_ type: String) -> String {
    guard depth < 4 else { return "function(...) return ... end" }
    depth += 1
    defer { depth -= 1 }
    var statements = (0..<random.below(3)).map { _ in statement() }
    if random.chance(8) { statements.append(#"error("raised")"#) }
    if random.chance(16) { statements.append("error({ code = 1 })") }
    if random.chance(16) { statements.append("error(\(picked("RequestError")))") }
    if random.chance(6) { statements.append("lull.sleep(\(random.chance(2) ? "0" : "0.01"))") }
    if random.chance(20) { statements.append("coroutine.yield(\(anything()))") }
    let returned = returnedTypes(of: type).map { value(ofType: $0) }
    let result = random.chance(6) ? anything() : returned.joined(separator: ", ")
    return "fn(function(...) \(statements.joined(separator: " ")) return \(result) end)"
  }

  private func returnedTypes(of type: String) -> [String] {
    guard let signature = APISignature(String(type.dropFirst("fun".count))) else { return [] }
    return signature.returns
  }

  // MARK: Plain values

  mutating func string(named name: String) -> String {
    let known: [String]
    switch name {
    case "method", "methods": known = ["GET", "POST", "PUT", "HEAD", "get", "X Y", ""]
    case "pattern": known = ["/**", "/*", "/1", "https://api.test/**", "[", "", "**"]
    case "header", "headers", "name": known = ["X-A", "etag", "Content-Type", "", "a b", "q"]
    case "content_type", "content_types": known = ["application/json", "text/*", "*/*", "", "/"]
    case "encoding", "charset": known = ["utf-8", "latin1", "utf-16", "nope"]
    case "json", "text": known = [#"{"a": [1, null]}"#, "hello", "[", "{}"]
    case "order": known = ["raw_data", "parsing", "model", "cleanup", "mine"]
    default: known = ["/1", "/2", "/deep/er?q=1", "../x", "http://other.test/y", "", "//", "#"]
    }
    switch random.below(16) {
    case 0: return "long"
    case 1: return #""\xff\xfe""#
    case 2: return #""\0""#
    default: return quoted(random.pick(known) ?? "")
    }
  }

  private mutating func number() -> String {
    random.pick([
      "0", "1", "0.01", "0.5", "3", "-1", "0/0", "1/0", "-1/0", "-0.0", "1e300", "math.maxinteger",
      "30",
    ]) ?? "0"
  }

  private mutating func integer() -> String {
    random.pick([
      "0", "1", "2", "8", "-1", "200", "404", "math.maxinteger", "math.mininteger", "2.5",
    ])
      ?? "0"
  }

  /// Any value at all.
  mutating func anything() -> String {
    switch random.below(10) {
    case 0: return number()
    case 1: return string(named: "")
    case 2:
      return random.pick(["nil", "true", "false", "lull.null", "{}", "lull.array{}"]) ?? "nil"
    case 3:
      return random.pick([
        "cyclic", "hostile", "io.stdout", "tostring", "coroutine.running()", "lull.null", "api",
        "error",
        "setmetatable({}, { __index = api })", "{ 1, { 2 }, x = lull.null }", "coroutine.yield",
      ]) ?? "nil"
    case 4: return function("fun(): any")
    default: return picked(random.pick(Self.kinds) ?? "Resource")
    }
  }

  mutating func picked(_ kind: String) -> String { "pick(\(quoted(kind)), \(random.below(8)))" }

  // MARK: Text

  func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first == " " { text = text.dropFirst() }
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }

  /// The parts between separators that are inside no brackets.
  static func split(_ text: String, at separator: Character) -> [String] {
    var parts = [""]
    var level = 0
    for character in text {
      if "(<{[".contains(character) { level += 1 }
      if ")>}]".contains(character) { level -= 1 }
      // A function's result takes all that follows.
      if character == separator, level == 0, !parts[parts.count - 1].hasPrefix("fun(") {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}
