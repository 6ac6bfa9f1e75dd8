import LullCore

/// An escaped character in a string of JSON or a program, or in HTML text: `\/`, `\u002F` (two of
/// these for a surrogate pair); `\x2F`, `\u{2F}`, `\x{2F}`; `&#47;`, `&#x2F;`, `&amp;`.
struct WrittenEscape {
  let bytes: [UInt8]
  /// The length of the escape in bytes.
  let length: Int

  init?(_ text: [UInt8], at index: Int) {
    switch text[index] {
    case UInt8(ascii: "\\"): self.init(json: text, at: index)
    case UInt8(ascii: "&"): self.init(html: text, at: index)
    default: return nil
    }
  }

  private init?(json text: [UInt8], at index: Int) {
    guard index + 1 < text.count else { return nil }
    let plain: UInt8
    switch text[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = text[index + 1]
    case UInt8(ascii: "b"): plain = 8
    case UInt8(ascii: "t"): plain = 9
    case UInt8(ascii: "n"): plain = 10
    case UInt8(ascii: "f"): plain = 12
    case UInt8(ascii: "r"): plain = 13
    case UInt8(ascii: "u"), UInt8(ascii: "x"):
      if let (bytes, length) = WrittenEscape.program(text, at: index) {
        (self.bytes, self.length) = (bytes, length)
        return
      }
      guard let high = WrittenEscape.unit(text, at: index) else { return nil }
      let low = WrittenEscape.unit(text, at: index + 6)
      if let low, (0xD800..<0xDC00).contains(high), (0xDC00..<0xE000).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
      {
        (bytes, length) = (Array(String(Character(scalar)).utf8), 12)
        return
      }
      guard let scalar = Unicode.Scalar(high) else { return nil }
      (bytes, length) = (Array(String(Character(scalar)).utf8), 6)
      return
    default: return nil
    }
    (bytes, length) = ([plain], 2)
  }

  /// Decodes `\x2F`, which is a byte, or `\u{2F}` or `\x{2F}`, which are characters.
  private static func program(_ text: [UInt8], at index: Int) -> (bytes: [UInt8], length: Int)? {
    guard index + 3 < text.count else { return nil }
    if text[index + 2] == UInt8(ascii: "{") {
      guard
        let end = text[index...].prefix(WrittenEscape.longest).firstIndex(of: UInt8(ascii: "}")),
        let value = UInt32(String(decoding: text[(index + 3)..<end], as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(value)
      else { return nil }
      return (Array(String(Character(scalar)).utf8), end + 1 - index)
    }
    guard text[index + 1] == UInt8(ascii: "x"), let high = Hexadecimal.value(text[index + 2]),
      let low = Hexadecimal.value(text[index + 3])
    else { return nil }
    return ([high << 4 | low], 4)
  }

  private static func unit(_ text: [UInt8], at index: Int) -> UInt32? {
    guard index + 5 < text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u")
    else { return nil }
    return UInt32(String(decoding: text[index + 2...index + 5], as: UTF8.self), radix: 16)
  }

  /// The maximum length of an escape with braces or a semicolon. The longest escape is
  /// `&#x10FFFF;`. The maximum leaves room for some leading zeros.
  private static let longest = 16

  /// The named entities of markup characters.
  private static let named: [String: UInt8] = [
    "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"),
    "quot": UInt8(ascii: "\""), "apos": UInt8(ascii: "'"), "sol": UInt8(ascii: "/"),
    "plus": UInt8(ascii: "+"), "equals": UInt8(ascii: "="), "colon": UInt8(ascii: ":"),
    "percnt": UInt8(ascii: "%"), "num": UInt8(ascii: "#"), "commat": UInt8(ascii: "@"),
  ]

  private init?(html text: [UInt8], at index: Int) {
    guard
      let end = text[index...].prefix(WrittenEscape.longest).firstIndex(of: UInt8(ascii: ";"))
    else { return nil }
    let name = String(decoding: text[(index + 1)..<end], as: UTF8.self)
    length = end + 1 - index
    if let plain = WrittenEscape.named[name] {
      bytes = [plain]
      return
    }
    guard name.first == "#" else { return nil }
    let digits = name.dropFirst()
    let value =
      digits.first?.lowercased() == "x"
      ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    guard let value, let scalar = Unicode.Scalar(value) else { return nil }
    bytes = Array(String(Character(scalar)).utf8)
  }
}
