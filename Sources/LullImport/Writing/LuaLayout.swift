/// How literals are laid out: on one line where they fit, else an entry a line.
struct LuaLayout {
  /// A line has no more columns, but for texts that are longer themselves.
  private let width = 100
  /// What luacheck bears.
  private let widest = 116

  /// The text of a value that begins at `column` of a line indented by `indent`; `behind` more columns follow it.
  func text(_ literal: LuaLiteral, indent: Int, column: Int, behind: Int = 1) -> String {
    if let line = line(literal, room: width - column - behind) { return line }
    switch literal {
    case .text(let text): return long(text, indent: indent, column: column + behind)
    case .code(let code): return code
    case .list(let elements): return list(elements, indent)
    case .table(let fields): return table(fields, indent)
    case .call(let name, let arguments):
      return call(name, arguments, indent: indent, column: column, behind: behind)
    }
  }

  /// On one line of at most `room` columns; nil if that is not enough.
  private func line(_ literal: LuaLiteral, room: Int) -> String? {
    guard room > 0 else { return nil }
    var text = ""
    switch literal {
    case .text(let string):
      guard string.utf8.count <= 4 * room else { return nil }
      text = LuaLiteral.quoted(string)
    case .code(let code): text = code
    case .list(let elements):
      guard !elements.isEmpty else { return "{}" }
      var parts: [String] = []
      var left = room - 4
      for element in elements {
        guard let part = line(element, room: left) else { return nil }
        left -= part.count + 2
        parts.append(part)
      }
      text = "{ " + parts.joined(separator: ", ") + " }"
    case .table(let fields):
      guard !fields.isEmpty else { return "{}" }
      var parts: [String] = []
      var left = room - 4
      for (key, value) in fields {
        let key = LuaLiteral.key(key)
        guard let part = line(value, room: left - key.count - 3) else { return nil }
        left -= part.count + key.count + 5
        parts.append("\(key) = \(part)")
      }
      text = "{ " + parts.joined(separator: ", ") + " }"
    case .call(let name, let arguments):
      let parts = arguments.compactMap { line($0, room: room) }
      guard parts.count == arguments.count else { return nil }
      text = name + joined(parts, of: arguments)
    }
    return text.count <= room ? text : nil
  }

  /// One table needs no parentheses.
  private func joined(_ parts: [String], of arguments: [LuaLiteral]) -> String {
    if arguments.count == 1, case .table = arguments[0] { return parts[0] }
    return "(" + parts.joined(separator: ", ") + ")"
  }

  private func list(_ elements: [LuaLiteral], _ indent: Int) -> String {
    let spaces = String(repeating: " ", count: indent + 2)
    var lines: [String] = []
    var current = ""
    for element in elements {
      let part = text(element, indent: indent + 2, column: indent + 2)
      let isShort = !part.contains("\n")
      if !current.isEmpty, isShort, current.count + part.count + 2 <= width {
        current += " " + part + ","
      } else {
        if !current.isEmpty { lines.append(current) }
        current = spaces + part + ","
      }
    }
    if !current.isEmpty { lines.append(current) }
    return "{\n" + lines.joined(separator: "\n") + "\n" + String(repeating: " ", count: indent)
      + "}"
  }

  private func table(_ fields: [(key: String, value: LuaLiteral)], _ indent: Int) -> String {
    let spaces = String(repeating: " ", count: indent + 2)
    var result = "{\n"
    for (key, value) in fields {
      var start = spaces + LuaLiteral.key(key) + " = "
      if start.count > widest - 10 { start = spaces + longKey(key, indent + 2) + " = " }
      result += start + text(value, indent: indent + 2, column: start.count) + ",\n"
    }
    return result + String(repeating: " ", count: indent) + "}"
  }

  private func call(
    _ name: String, _ arguments: [LuaLiteral], indent: Int, column: Int, behind: Int
  ) -> String {
    let parts = arguments.map { argument in
      text(argument, indent: indent, column: column + name.count + 1, behind: behind + 1)
    }
    return name + joined(parts, of: arguments)
  }

  private func longKey(_ key: String, _ indent: Int) -> String {
    "[" + long(key, indent: indent, column: indent + 4) + "]"
  }

  /// A text of more than a line, in pieces: `\z` skips the line break and the spaces behind it.
  private func long(_ text: String, indent: Int, column: Int) -> String {
    let whole = LuaLiteral.quoted(text)
    guard whole.count + column > widest else { return whole }
    let spaces = String(repeating: " ", count: indent + 2)
    var result = ""
    var used = column + 1
    var piece = "\""
    for scalar in text.unicodeScalars {
      let next = LuaLiteral.quoted(String(scalar)).dropFirst().dropLast()
      // What is behind `\z` must not be a space, which would be skipped too.
      if used + next.count > width, scalar.value > 0x20, next.first != "\\" {
        result += piece + "\\z\n" + spaces
        piece = ""
        used = spaces.count
      }
      piece += next
      used += next.count
    }
    return result + piece + "\""
  }
}
