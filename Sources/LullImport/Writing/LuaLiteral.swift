import LullCore
import LullHost

/// A value as it stands in Lua source. Only `code` is written as it is, and only what this target says
/// itself becomes that.
indirect enum LuaLiteral {
  case text(String)
  case code(String)
  case list([LuaLiteral])
  case table([(key: String, value: LuaLiteral)])
  /// A call of a function with one table or more.
  case call(String, [LuaLiteral])

  static func bool(_ value: Bool) -> LuaLiteral { .code(value ? "true" : "false") }

  /// nil where Lua has no literal for it.
  init?(_ json: JSONValue) {
    switch json {
    case .null: return nil
    case .bool(let value): self = .bool(value)
    // The smallest one is no literal of Lua's: it would be read as a negated float.
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

  /// In quotes, on one line, and showing what is in it: whatever the text is, it is nothing but a string.
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

  /// What an editor does not show as it is, or turns words around with.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
      0xFE00...0xFE0F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }

  /// As a key of a table: quoted only where it is no name.
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
    return isMadeOfLetters && !LineToken.keywords.contains(text)
  }
}
