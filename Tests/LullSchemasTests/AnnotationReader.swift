/// Reads annotations strictly: whatever it does not know is a problem, so that nothing of anybody's texts can
/// stand for one.
struct AnnotationReader {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private static let known: Set<String> = [
    "any", "nil", "string", "number", "integer", "boolean", "table", "lightuserdata", "true",
    "false",
  ]

  /// Fields with their types, by class.
  private(set) var classes: [String: [String: String]] = [:]
  private(set) var aliases: [String: String] = [:]
  /// Calls of classes.
  private(set) var overloads: [String: String] = [:]
  private var used: Set<String> = []
  private var current = ""

  init(_ text: String) throws {
    // By bytes: to Swift a carriage return and a line feed are one character.
    for (number, bytes) in text.utf8.split(separator: 10, omittingEmptySubsequences: false)
      .enumerated()
    {
      let line = String(decoding: bytes, as: UTF8.self)
      do {
        try read(line)
      } catch {
        throw Problem(description: "line \(number + 1): \(error): \(line)")
      }
    }
    let missing = used.filter { name in
      !AnnotationReader.known.contains(name) && classes[name] == nil && aliases[name] == nil
        && !name.hasPrefix("lull.")
    }
    guard missing.isEmpty else { throw Problem(description: "not defined: \(missing.sorted())") }
  }

  private mutating func read(_ line: String) throws {
    guard !line.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw Problem(description: "a control character")
    }
    if ["", "---@meta _", "local lull = {}", "function lull.api(name) end"].contains(line) {
      return
    }
    guard line.hasPrefix("--") else { throw Problem(description: "this is code") }
    guard line.hasPrefix("---@") else {
      let text = line.drop { $0 == "-" || $0 == " " }
      guard !text.hasPrefix("@"), !text.hasPrefix("|"), !line.hasPrefix("--[") else {
        throw Problem(description: "a comment that is taken for something else")
      }
      return
    }
    var words = Words(line.dropFirst(4))
    switch words.word() {
    case "class":
      current = words.name()
      guard classes[current] == nil else { throw Problem(description: "a second \(current)") }
      classes[current] = [:]
      if words.take(":") { used.insert(words.name()) }
    case "field": try readField(&words)
    case "alias":
      let name = words.name()
      aliases[name] = try type(&words)
    case "overload": overloads[current] = try type(&words)
    case "param":
      _ = words.name()
      _ = try type(&words)
    case "return": _ = try type(&words)
    case let word: throw Problem(description: "unknown @\(word)")
    }
    guard words.isAtEnd || words.take("#") else {
      throw Problem(description: "something behind: \(words.rest)")
    }
  }

  private mutating func readField(_ words: inout Words) throws {
    var name: String
    if words.take("[") {
      name = words.string() ?? "[\(words.name())]"
      guard words.take("]") else { throw Problem(description: "no ']'") }
    } else {
      name = words.name()
      guard !name.isEmpty, !["private", "end", "public"].contains(name) else {
        throw Problem(description: "no name of a field")
      }
      if words.take("?") { name += "?" }
    }
    guard classes[current]?[name] == nil else { throw Problem(description: "a second \(name)") }
    let type = try type(&words)
    classes[current]?[name] = type
  }

  // MARK: Types

  private mutating func type(_ words: inout Words) throws -> String {
    var text = try single(&words)
    while words.take("|") { text += "|" + (try single(&words)) }
    return text
  }

  private mutating func single(_ words: inout Words) throws -> String {
    var text: String
    if words.take("(") {
      text = "(\(try type(&words)))"
      guard words.take(")") else { throw Problem(description: "no ')'") }
    } else if let string = words.string() {
      text = "\"\(string)\""
    } else {
      text = words.name()
      guard !text.isEmpty else { throw Problem(description: "no type at: \(words.rest)") }
      if text == "fun" {
        text += try function(&words)
      } else if Int(text) == nil {
        used.insert(text)
        if words.take("<") {
          text += "<\(try type(&words))"
          while words.take(",") { text += ", \(try type(&words))" }
          guard words.take(">") else { throw Problem(description: "no '>'") }
          text += ">"
        }
      }
    }
    while true {
      if words.take("?") {
        text += "?"
      } else if words.take("[]") {
        text += "[]"
      } else {
        return text
      }
    }
  }

  private mutating func function(_ words: inout Words) throws -> String {
    guard words.take("(") else { throw Problem(description: "no '('") }
    var text = "("
    while !words.take(")") {
      text += words.name() + (words.take("?") ? "?" : "")
      guard words.take(":") else { throw Problem(description: "no ':'") }
      text += ": " + (try type(&words))
      if words.take(",") { text += ", " }
    }
    text += ")"
    guard words.take(":") else { return text }
    text += ": " + (try type(&words))
    while words.take(",") { text += ", " + (try type(&words)) }
    return text
  }

  /// A line taken apart from its beginning.
  private struct Words {
    private(set) var rest: Substring

    init(_ text: Substring) { rest = text }

    var isAtEnd: Bool { rest.allSatisfy { $0 == " " } }

    mutating func word() -> String {
      let word = rest.prefix { $0.isLetter }
      rest = rest[word.endIndex...].drop { $0 == " " }
      return String(word)
    }

    mutating func name() -> String {
      rest = rest.drop { $0 == " " }
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
      rest = rest[name.endIndex...]
      return String(name)
    }

    mutating func take(_ text: String) -> Bool {
      let start = rest.drop { $0 == " " }
      guard start.hasPrefix(text) else { return false }
      rest = start.dropFirst(text.count)
      return true
    }

    mutating func string() -> String? {
      let start = rest.drop { $0 == " " }
      guard let quote = start.first, quote == "\"" || quote == "'" else { return nil }
      let text = start.dropFirst().prefix { $0 != quote }
      guard text.endIndex < start.endIndex, !text.contains("\\") else { return nil }
      rest = start[start.index(after: text.endIndex)...]
      return String(text)
    }
  }
}
