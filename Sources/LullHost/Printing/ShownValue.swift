/// A value as it is to be shown: what limits leave of it, in a form without Lua or JSON.
package indirect enum ShownValue: Equatable, Sendable {
  case atom(String, Style)
  /// The first elements, and how many there are besides.
  case list([ShownValue], more: Rest)
  case map([Field], more: Rest)
  /// A heading and what stands below it.
  case titled(String, ShownValue)

  package struct Field: Equatable, Sendable {
    package let key: String
    package let value: ShownValue

    package init(key: String, value: ShownValue) {
      self.key = key
      self.value = value
    }
  }

  /// What an atom is, for its colour.
  package enum Style: Sendable {
    case string
    case number
    /// nil, null, true, false
    case word
    case object
    /// What stands for something left out.
    case faint
  }

  /// What was left out.
  package enum Rest: Equatable, Sendable {
    case none
    case count(Int)
    /// Nobody has counted them.
    case unknown

    var text: String? {
      switch self {
      case .none: nil
      case .count(let count): "… \(count) more"
      case .unknown: "… more"
      }
    }
  }

  /// How much is shown.
  package struct Limits: Sendable {
    package var depth = 4
    /// Elements or fields of one table.
    package var elements = 40
    /// Characters of a string inside a table; at the top it is `topString`.
    package var string = 120
    package var topString = 4000
    /// Entries of a table that are looked at, to sort and count them.
    package var looks = 1000

    package init() {}
  }

  var isAtom: Bool {
    if case .atom = self { return true }
    return false
  }

  static let cycle = ShownValue.atom("<cycle>", .faint)

  /// A string in quotes, control characters escaped, cut off at so many characters.
  static func string(_ text: String, limit: Int) -> ShownValue {
    var quoted = "\""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == limit {
        return .atom(quoted + "\"…", .string)
      }
      count += 1
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      default:
        if scalar.value < 32 || (127..<160).contains(scalar.value) {
          let digits = String(scalar.value, radix: 16)
          quoted += "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
        } else {
          quoted.unicodeScalars.append(scalar)
        }
      }
    }
    return .atom(quoted + "\"", .string)
  }

  /// Whether a key can be written without brackets.
  static func isName(_ key: String) -> Bool {
    guard let first = key.utf8.first, !LineToken.keywords.contains(key), key.utf8.count <= 60 else {
      return false
    }
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
      && key.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
  }
}
