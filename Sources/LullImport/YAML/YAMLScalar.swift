/// Converts plain scalars to JSON by the core schema of YAML 1.2. For example, `yes` and dates are
/// strings.
enum YAMLScalar {
  enum Kind {
    case null
    case bool(Bool)
    /// A number as JSON text.
    case number([UInt8])
    case string
  }

  static func kind(_ text: UnsafeBufferPointer<UInt8>) -> Kind {
    guard let first = text.first else { return .null }
    // For most strings, the first character shows that they are not another type.
    switch first {
    case UInt8(ascii: "~"): return text.count == 1 ? .null : .string
    case UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
      UInt8(ascii: "f"), UInt8(ascii: "F"):
      guard text.count <= 5 else { return .string }
      switch String(decoding: text, as: UTF8.self) {
      case "null", "Null", "NULL": return .null
      case "true", "True", "TRUE": return .bool(true)
      case "false", "False", "FALSE": return .bool(false)
      default: return .string
      }
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      return number(Array(text)).map { .number($0) } ?? .string
    default: return .string
    }
  }

  static func number(_ text: [UInt8]) -> [UInt8]? {
    if text.count > 2, text[0] == UInt8(ascii: "0"),
      text[1] == UInt8(ascii: "x") || text[1] == UInt8(ascii: "o")
    {
      let digits = String(decoding: text[2...], as: UTF8.self)
      guard !digits.hasPrefix("+"), !digits.hasPrefix("-") else { return nil }
      return Int(digits, radix: text[1] == UInt8(ascii: "x") ? 16 : 8).map {
        Array(String($0).utf8)
      }
    }
    var place = 0
    var result: [UInt8] = []
    if text[place] == UInt8(ascii: "-") || text[place] == UInt8(ascii: "+") {
      if text[place] == UInt8(ascii: "-") { result.append(text[place]) }
      place += 1
    }
    func digits() -> ArraySlice<UInt8> {
      let start = place
      while place < text.count, (0x30...0x39).contains(text[place]) { place += 1 }
      return text[start..<place]
    }
    let whole = digits()
    var isWhole = true
    // JSON does not allow leading zeros.
    let plain = whole.drop { $0 == 0x30 }
    result += plain.isEmpty ? [0x30] : Array(plain)
    if place < text.count, text[place] == UInt8(ascii: ".") {
      isWhole = false
      place += 1
      let fraction = digits()
      guard !whole.isEmpty || !fraction.isEmpty else { return nil }
      result.append(UInt8(ascii: "."))
      result += fraction.isEmpty ? [0x30] : Array(fraction)
    } else if whole.isEmpty {
      return nil
    }
    if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      place += 1
      result.append(UInt8(ascii: "e"))
      if place < text.count, text[place] == UInt8(ascii: "-") || text[place] == UInt8(ascii: "+") {
        result.append(text[place])
        place += 1
      }
      let exponent = digits()
      guard !exponent.isEmpty else { return nil }
      result += exponent
    }
    guard place == text.count else { return nil }
    // An integer that does not fit into 64 bits becomes a floating-point number.
    if isWhole, whole.count > 18, Int(String(decoding: result, as: UTF8.self)) == nil {
      result += Array("e0".utf8)
    }
    // A number such as 1e999, which a double can't represent, becomes a string.
    guard Double(String(decoding: result, as: UTF8.self))?.isFinite == true else { return nil }
    return result
  }
}
