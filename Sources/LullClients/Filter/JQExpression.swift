/// Recognizes an expression in the language jq and translates it to Lua.
struct JQExpression {
  private let text: String

  init(_ text: String) { self.text = JQExpression.trimmed(text[...]) }

  /// Returns a suggestion on one line. nil if the text does not look like jq.
  ///
  /// - Parameter isWrong: Whether the text is not valid Lua.
  func hint(isWrong: Bool) -> String? {
    if let written = countedFromZero { return "elements are counted from 1: write \(written)" }
    if let written = renamedFunction {
      return "the function has another name in Lull: write \(written)"
    }
    if let written = otherLanguage { return "x is the response body: write \(written)" }
    if ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(text) {
      return "-f takes an expression for the response: use --form to send a form"
    }
    if let word = bareWord {
      let written = JQExpression.words[word].map { $0.replacing("?", with: "x") } ?? "x.\(word)"
      return "x is the response body: write \(written)"
    }
    guard isWrong || text.contains("|") else { return nil }
    if let written = translated, written != text { return "that is jq syntax: write \(written)" }
    let looksLikeIt =
      text.hasPrefix(".") || text.contains("(.") || text.contains("| ") || text.contains("[]")
      || text.contains(": .")
    guard isWrong else { return nil }
    if !looksLikeIt, ["!=", "&&", "||"].contains(where: { text.contains($0) }) {
      return "expressions are Lua: in place of !=, &&, || and ! write ~=, and, or, not"
    }
    guard looksLikeIt else { return nil }
    return "that looks like jq: expressions are Lua over x, where .a.b is x.a.b, .[0] is x[1], "
      + ".[] | .name is map(x, \"name\"), and select is filter"
  }

  /// The text if it consists only of a name. Such a Lua expression is either a function or nil.
  private var bareWord: String? {
    guard JQExpression.isName(text), !["x", "nil", "true", "false"].contains(text) else {
      return nil
    }
    return text
  }

  /// The translation of an index that counts from 0, as in `x[0]`, which is nil in Lua. Indices
  /// inside a function are not translated, because the function may have its own tables.
  private var countedFromZero: String? {
    guard text.contains("x[0]"), JQExpression.isPath(text) else { return nil }
    return text.replacing("[0]", with: "[1]")
  }

  /// The translation of a function that has another name in Lull, such as `length(x)`.
  private var renamedFunction: String? {
    guard let open = text.firstIndex(of: "("), text.hasSuffix(")"), !text.contains("(.") else {
      return nil
    }
    let name = String(text[..<open])
    guard !FunctionReader.known.contains(name), let form = JQExpression.words[name] else {
      return nil
    }
    let inside = JQExpression.trimmed(text[text.index(after: open)...].dropLast())
    return JQExpression.isPath(inside) ? form.replacing("?", with: inside) : nil
  }

  /// The translation of a path in another language: `$.id` in JSONPath, `body.id` in Restish, or
  /// `[0]`.
  private var otherLanguage: String? {
    let begins = ["$.", "$[", "body.", "body["].first { text.hasPrefix($0) }
    guard let begins else {
      let isIndex =
        text.hasPrefix("[") && text.hasSuffix("]") && Int(text.dropFirst().dropLast()) != nil
      return isIndex ? JQExpression("." + text).translated : nil
    }
    let rest = text.dropFirst(begins.count - 1)
    return JQExpression(rest.hasPrefix("[") ? "." + rest : String(rest)).translated
  }

  /// Functions of jq that are applied to the input without arguments.
  private static let words = [
    "keys": "keys(?)", "length": "count(?)", "reverse": "reverse(?)", "unique": "unique(?)",
    "flatten": "flatten(?)", "first": "first(?)", "last": "last(?)", "add": "sum(?)",
    "min": "min(?)", "max": "max(?)", "sort": "sort_by(?)", "to_entries": "entries(?)",
    "values": "values(?)", "entries": "entries(?)", "count": "count(?)", "sum": "sum(?)",
    "average": "average(?)", "join": "join(?)", "map": #"map(?, "name")"#,
    "filter": #"filter(?, "name")"#, "sort_by": #"sort_by(?, "name")"#,
    "pick": #"pick(?, "name")"#, "group_by": #"group_by(?, "name")"#,
    "count_by": #"count_by(?, "name")"#,
  ]
  private static let byField = [
    "map": "map", "sort_by": "sort_by", "group_by": "group_by", "unique_by": "unique",
    "min_by": "min", "max_by": "max",
  ]

  // MARK: Translating

  /// The Lua translation. nil if the translation is not known.
  private var translated: String? {
    var code = "x"
    var isStream = false
    var stages = JQExpression.parts(of: text, at: "|")
    if stages.count > 1, let first = stages.first, first.isEmpty || JQExpression.isPath(first) {
      // The text is a path in Lua syntax, followed by a jq pipe.
      if !first.isEmpty { code = first }
      stages.removeFirst()
    }
    for stage in stages {
      guard let next = JQExpression.apply(stage, to: code, &isStream) else { return nil }
      code = next
    }
    return code
  }

  private static func apply(_ stage: String, to code: String, _ isStream: inout Bool) -> String? {
    if stage.hasPrefix(".") {
      return stage.contains("..") ? nil : path(stage, from: code, &isStream)
    }
    if let form = words[stage] {
      guard isStream else { return form.replacing("?", with: code) }
      return "map(\(code), \(form.prefix { $0 != "(" }))"
    }
    if stage.hasPrefix("{"), stage.hasSuffix("}") {
      let names = parts(of: String(stage.dropFirst().dropLast()), at: ",")
      guard !names.isEmpty, names.allSatisfy(isName) else { return nil }
      return "pick(\(code), \(names.map { "\"\($0)\"" }.joined(separator: ", ")))"
    }
    guard let open = stage.firstIndex(of: "("), stage.hasSuffix(")") else { return nil }
    let name = String(stage[..<open])
    let inside = trimmed(stage[stage.index(after: open)...].dropLast())
    switch name {
    case "select":
      guard isStream, let condition = condition(inside) else { return nil }
      return "filter(\(code), \(condition))"
    case "map" where inside.hasPrefix("select(") && inside.hasSuffix(")"):
      guard !isStream, let condition = condition(String(inside.dropFirst(7).dropLast())) else {
        return nil
      }
      return "filter(\(code), \(condition))"
    case "join" where !isStream && inside.hasPrefix("\""): return "join(\(code), \(inside))"
    default:
      guard !isStream, let function = byField[name], let field = field(inside) else { return nil }
      return field.isEmpty && function != "map"
        ? "\(function)(\(code))" : field.isEmpty ? nil : "\(function)(\(code), \"\(field)\")"
    }
  }

  /// Translates a path such as `.a.b[0]`, `.[]` or `.items[].name`.
  private static func path(_ stage: String, from code: String, _ isStream: inout Bool) -> String? {
    guard let steps = steps(of: stage) else { return nil }
    var code = code
    var field: [String] = []
    func takeField() {
      if !field.isEmpty { code = "map(\(code), \"\(field.joined(separator: "."))\")" }
      field = []
    }
    for step in steps {
      switch step {
      case .each:
        if isStream {
          takeField()
          code = "flatten(\(code))"
        }
        isStream = true
      case .name(let name) where isStream: field.append(name)
      case .index(let index) where isStream:
        guard index >= 0 else { return nil }
        field.append("\(index + 1)")
      case .name(let name): code += isName(name) ? ".\(name)" : "[\"\(name)\"]"
      case .index(let index):
        guard index >= -1 else { return nil }
        code = index < 0 ? "last(\(code))" : "\(code)[\(index + 1)]"
      }
    }
    takeField()
    return code
  }

  private enum Step {
    case name(String)
    case index(Int)
    case each
  }

  private static func steps(of path: String) -> [Step]? {
    var steps: [Step] = []
    var rest = path[...]
    while let first = rest.first {
      switch first {
      case ".", "?": rest = rest.dropFirst()
      case "[":
        guard let close = rest.firstIndex(of: "]") else { return nil }
        let inside = rest[rest.index(after: rest.startIndex)..<close]
        rest = rest[rest.index(after: close)...]
        if inside.isEmpty {
          steps.append(.each)
        } else if let index = Int(inside) {
          steps.append(.index(index))
        } else if let name = quoted(String(inside)) {
          steps.append(.name(name))
        } else {
          return nil
        }
      case "\"":
        guard let close = rest.dropFirst().firstIndex(of: "\"") else { return nil }
        steps.append(.name(String(rest[rest.index(after: rest.startIndex)..<close])))
        rest = rest[rest.index(after: close)...]
      default:
        let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        guard !name.isEmpty else { return nil }
        steps.append(.name(String(name)))
        rest = rest[name.endIndex...]
      }
    }
    return steps
  }

  /// Returns a path such as `.a.b` as a field name. nil if the text is not such a path.
  private static func field(_ path: String) -> String? {
    guard path.hasPrefix("."), let steps = steps(of: path) else { return nil }
    var names: [String] = []
    for step in steps {
      switch step {
      case .name(let name): names.append(name)
      case .index(let index) where index >= 0: names.append("\(index + 1)")
      default: return nil
      }
    }
    return names.joined(separator: ".")
  }

  /// Translates `.a`, `.a == 1` and similar conditions to a Lua function or a field name.
  private static func condition(_ text: String) -> String? {
    let operators = [
      ("==", "=="), ("!=", "~="), (">=", ">="), ("<=", "<="), (">", ">"), ("<", "<"),
    ]
    for (theirs, ours) in operators {
      guard let range = text.firstRange(of: theirs) else { continue }
      let value = trimmed(text[range.upperBound...])
      guard let field = field(trimmed(text[..<range.lowerBound])), !field.isEmpty,
        quoted(value) != nil || Double(value) != nil || ["true", "false"].contains(value)
      else { return nil }
      return "function(v) return v.\(field) \(ours) \(value) end"
    }
    return field(text).flatMap { $0.isEmpty ? nil : "\"\($0)\"" }
  }

  // MARK: Texts

  private static func quoted(_ text: String) -> String? {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
    let inside = text.dropFirst().dropLast()
    return inside.contains { $0 == "\"" || $0 == "\\" } ? nil : String(inside)
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        || byte == 95
    }
  }

  /// Returns whether a text is a path such as `x` or `x.a[1]`.
  private static func isPath(_ text: String) -> Bool {
    let rest = text.dropFirst()
    guard text.first == "x", rest.isEmpty || rest.first == "." || rest.first == "[" else {
      return false
    }
    return rest.allSatisfy { $0.isLetter || $0.isNumber || "._[]\"".contains($0) }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }

  /// Splits a text at separators that are outside of quotes and brackets.
  private static func parts(of text: String, at separator: Character) -> [String] {
    var parts: [String] = []
    var part = ""
    var depth = 0
    var isQuoted = false
    for character in text {
      if character == "\"" { isQuoted.toggle() }
      if !isQuoted {
        if "([{".contains(character) { depth += 1 }
        if ")]}".contains(character) { depth -= 1 }
        if character == separator, depth == 0 {
          parts.append(trimmed(part[...]))
          part = ""
          continue
        }
      }
      part.append(character)
    }
    return parts + [trimmed(part[...])]
  }
}
