import LullCore
import LullHost
import LullLuaSource

/// Formats literals: on one line if they fit, otherwise with one entry on each line.
struct LuaLayout {
  /// The maximum length of a line, unless it contains a longer string.
  private let width = 100
  /// The maximum line length that luacheck accepts.
  private let widest = 116

  /// Formats a literal.
  ///
  /// - Parameters:
  ///   - indent: The indentation of the current line.
  ///   - column: The column where the literal begins.
  ///   - behind: The number of columns that will follow the literal.
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

  /// Formats a literal on one line of at most `room` columns. `nil` if the literal does not fit.
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

  /// Joins the arguments of a call. A single table needs no parentheses.
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

  /// Splits a string that is too long for a line into several lines. Each line ends with `\z`,
  /// which skips the line break and the spaces after it.
  private func long(_ text: String, indent: Int, column: Int) -> String {
    let whole = LuaLiteral.quoted(text)
    guard whole.count + column > widest else { return whole }
    let spaces = String(repeating: " ", count: indent + 2)
    var result = ""
    var used = column + 1
    var piece = "\""
    for scalar in text.unicodeScalars {
      let next = LuaLiteral.quoted(String(scalar)).dropFirst().dropLast()
      // A space directly after `\z` would be skipped too.
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

/// A value in Lua source. Only `code` is written without quotes, and it never contains text of the
/// imported source.
indirect enum LuaLiteral {
  case text(String)
  case code(String)
  case list([LuaLiteral])
  case table([(key: String, value: LuaLiteral)])
  /// A call of a function, with literals as its arguments.
  case call(String, [LuaLiteral])

  static func bool(_ value: Bool) -> LuaLiteral { .code(value ? "true" : "false") }

  /// Creates the literal for a JSON value. `nil` if Lua has no literal for the value.
  init?(_ json: JSONValue) {
    switch json {
    case .null: return nil
    case .bool(let value): self = .bool(value)
    // Lua has no literal for the smallest integer: it would be read as a negated float.
    case .int(let value): self = .code(value == .min ? "math.mininteger" : String(value))
    case .double(let value):
      guard value.isFinite else { return nil }
      self = .code(String(value))
    case .string(let text): self = .text(text)
    case .array(let elements): self = .list(elements.compactMap { LuaLiteral($0) })
    case .object(let members):
      self = .table(
        members.compactMap { member in LuaLiteral(member.value).map { (member.key, $0) } })
    }
  }

  // MARK: Texts

  /// Quotes a text as a string literal on one line. Hidden characters are escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    result.reserveCapacity(text.utf8.count + 2)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where isHidden(scalar):
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Returns whether editors do not show a character, or whether it changes the direction of text.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
      0xFE00...0xFE0F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }

  /// Returns a text as the key of a table, with quotes and brackets unless it is a name.
  static func key(_ text: String) -> String {
    isName(text) ? text : "[" + quoted(text) + "]"
  }

  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    let isMadeOfLetters = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isMadeOfLetters && !LuaToken.keywords.contains(text)
  }
}
