import LullCore
import LullLuaSource

/// A value for display, already shortened to the limits. It does not depend on Lua or JSON.
package indirect enum ShownValue: Equatable, Sendable {
  case atom(String, Style)
  /// A list with its first elements, and the number of elements that are omitted.
  case list([ShownValue], more: Rest)
  case map([Field], more: Rest)
  /// A title, with a value that is shown on the lines below the title.
  case titled(String, ShownValue)

  package struct Field: Equatable, Sendable {
    package let key: String
    package let value: ShownValue

    package init(key: String, value: ShownValue) {
      self.key = key
      self.value = value
    }
  }

  /// The type of a value that has no elements. It determines the colour.
  package enum Style: Sendable {
    case string
    case number
    /// One of the words nil, null, true and false.
    case word
    case object
    /// A placeholder for omitted parts.
    case faint
  }

  /// The number of omitted elements or fields.
  package enum Rest: Equatable, Sendable {
    case none
    case count(Int)
    /// Some elements were omitted, but they were not counted.
    case unknown

    var text: String? {
      switch self {
      case .none: nil
      case .count(let count): "… \(count) more"
      case .unknown: "… more"
      }
    }
  }

  /// The limits on how much of a value is shown.
  package struct Limits: Sendable {
    package var depth = 4
    /// The maximum number of elements or fields of one table.
    package var elements = 40
    /// The maximum number of characters of a string inside a table. The limit for a string at the
    /// top level is `topString`.
    package var string = 120
    package var topString = 4000
    /// Whether the script's `__tostring` functions may be called.
    package var mayCall = true

    package init() {}
  }

  var isAtom: Bool {
    if case .atom = self { return true }
    return false
  }

  static let cycle = ShownValue.atom("<cycle>", .faint)

  /// Returns a string in quotes, cut off after `limit` characters. Invalid text is escaped as in
  /// Lua.
  static func string(_ text: String, limit: Int) -> ShownValue {
    string(bytes: text.utf8, limit: limit)
  }

  /// Returns a string in quotes from bytes that need not be UTF-8.
  static func string(bytes: some Collection<UInt8>, limit: Int) -> ShownValue {
    var quoted = "\""
    var count = 0
    var rest = bytes[...]
    while let byte = rest.first {
      guard count < limit else { return .atom(quoted + "\"…", .string) }
      count += 1
      let length = max(1, UTF8Validation.length(startingWith: byte))
      let sequence = rest.prefix(length)
      if let text = String(validating: sequence, as: UTF8.self),
        let scalar = text.unicodeScalars.first
      {
        append(scalar, to: &quoted)
        rest = rest.dropFirst(length)
      } else {
        quoted += escape(byte)
        rest = rest.dropFirst()
      }
    }
    return .atom(quoted + "\"", .string)
  }

  private static func append(_ scalar: Unicode.Scalar, to quoted: inout String) {
    switch scalar {
    case "\"": quoted += "\\\""
    case "\\": quoted += "\\\\"
    case "\n": quoted += "\\n"
    case "\r": quoted += "\\r"
    case "\t": quoted += "\\t"
    case "\u{200C}", "\u{200D}": quoted.unicodeScalars.append(scalar)
    default:
      switch scalar.properties.generalCategory {
      case .control where scalar.value < 128: quoted += escape(UInt8(scalar.value))
      // A terminal would interpret these characters, or hide adjacent text.
      case .control, .format, .lineSeparator, .paragraphSeparator:
        quoted += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns the escape of a byte, such as `\xFF`.
  private static func escape(_ byte: UInt8) -> String {
    (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16, uppercase: true)
  }

  /// Returns whether a table key can be written without brackets.
  static func isName(_ key: String) -> Bool {
    guard let first = key.utf8.first, !LuaToken.keywords.contains(key), key.utf8.count <= 60 else {
      return false
    }
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
      && key.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
  }
}
