/// Bodies that mean the same to everybody, in one spelling: JSON without spaces and with characters in
/// place of their escapes, numbers as they are written; forms in parts with names in lower case.
struct SpelledBody: Equatable {
  let text: String

  /// - Parameter body: with escapes as answers have them.
  init(_ body: String, isJSON: Bool) {
    guard isJSON else {
      text =
        body.replacing("Content-Disposition:", with: "content-disposition:")
        .replacing("Content-Type:", with: "content-type:")
      return
    }
    var result = ""
    var rest = SpelledBody.unescaped(body)[...]
    var isString = false
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": isString.toggle()
      case " " where !isString, "\n" where !isString, "\t" where !isString: continue
      case "\\" where isString:
        let kind = rest.popFirst() ?? " "
        result += kind == "u" ? SpelledBody.character(&rest) : "\\\(kind)"
        continue
      default: break
      }
      result.unicodeScalars.append(scalar)
    }
    text = result
  }

  private static func unescaped(_ body: String) -> [Unicode.Scalar] {
    var bytes: [UInt8] = []
    var rest = Array(body.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
      bytes.append(UInt8(digits, radix: 16) ?? 0)
      rest = rest.dropFirst(3)
    }
    return Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
  }

  /// What stands behind `\u`, together with the second half of a pair; control characters keep an escape.
  private static func character(_ rest: inout ArraySlice<Unicode.Scalar>) -> String {
    func unit(_ rest: ArraySlice<Unicode.Scalar>) -> UInt32 {
      UInt32(String(String.UnicodeScalarView(rest.prefix(4))), radix: 16) ?? 0
    }
    var code = unit(rest)
    rest = rest.dropFirst(4)
    if (0xD800..<0xDC00).contains(code), rest.prefix(2).elementsEqual(["\\", "u"]) {
      code = 0x10000 + (code - 0xD800) << 10 + (unit(rest.dropFirst(2)) - 0xDC00)
      rest = rest.dropFirst(6)
    }
    guard let scalar = Unicode.Scalar(code), code >= 32 else {
      return "\\u" + String(code + 0x10000, radix: 16).dropFirst()
    }
    return scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
  }
}
