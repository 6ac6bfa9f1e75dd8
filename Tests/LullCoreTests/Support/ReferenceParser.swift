@testable import LullCore

/// A parser of its own making to compare with: slow, small, and strict in UTF-8.
struct ReferenceParser {
  private let bytes: [UInt8]
  private var at = 0
  private var depth = 0

  static func parse(_ bytes: [UInt8]) -> JSONValue? {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    var parser = ReferenceParser(bytes: bytes)
    guard let value = parser.value() else { return nil }
    parser.skipSpace()
    return parser.at == bytes.count ? value : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { at += 1 }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes[at...].starts(with: wanted) else { return false }
    at += wanted.count
    return true
  }

  private mutating func value() -> JSONValue? {
    skipSpace()
    if take("null") { return .null }
    if take("true") { return .bool(true) }
    if take("false") { return .bool(false) }
    if take("\"") { return string().map(JSONValue.string) }
    if take("[") { return array() }
    if take("{") { return object() }
    return number()
  }

  private mutating func array() -> JSONValue? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 1000 else { return nil }
    var values: [JSONValue] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      guard let value = value() else { return nil }
      values.append(value)
      skipSpace()
      if take("]") { return .array(values) }
      guard take(",") else { return nil }
    }
  }

  private mutating func object() -> JSONValue? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= 1000 else { return nil }
    var members: [JSONValue.Member] = []
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      guard take("\""), let key = string() else { return nil }
      skipSpace()
      guard take(":"), let value = value() else { return nil }
      members.append(.init(key, value))
      skipSpace()
      if take("}") { return .object(members) }
      guard take(",") else { return nil }
    }
  }

  private mutating func digits() -> Int {
    let start = at
    while let byte = next, byte >= 48, byte <= 57 { at += 1 }
    return at - start
  }

  private mutating func number() -> JSONValue? {
    let start = at
    _ = take("-")
    if !take("0") { guard digits() > 0 else { return nil } }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard digits() > 0 else { return nil }
    }
    if take("e") || take("E") {
      isInteger = false
      _ = take("+") || take("-")
      guard digits() > 0 else { return nil }
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if isInteger, let int = Int(text) { return .int(int) }
    guard let double = Double(text) else { return nil }
    return .double(double)
  }

  private mutating func string() -> String? {
    var units: [UInt8] = []
    while let byte = next {
      at += 1
      if byte == 34 { return String(decoding: units, as: UTF8.self) }
      if byte < 0x20 { return nil }
      guard byte == 92 else {
        units.append(byte)
        continue
      }
      guard let kind = next else { return nil }
      at += 1
      switch kind {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(kind)
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "t"): units.append(9)
      case UInt8(ascii: "u"):
        guard var code = hexadecimal() else { return nil }
        if code >= 0xD800, code < 0xDC00 {
          guard take("\\u"), let low = hexadecimal(), low >= 0xDC00, low < 0xE000 else {
            return nil
          }
          code = 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { return nil }
        units += Array(String(scalar).utf8)
      default: return nil
      }
    }
    return nil
  }

  private mutating func hexadecimal() -> UInt32? {
    guard bytes.count - at >= 4 else { return nil }
    let digits = bytes[at..<(at + 4)]
    at += 4
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }) else {
      return nil
    }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
