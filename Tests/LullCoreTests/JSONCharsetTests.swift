import Testing

@testable import LullCore

/// Texts in UTF-16 and UTF-32, and marks of byte order.
@Suite(.timeLimit(.minutes(20)))
struct JSONCharsetTests: JSONSuite {
  private func wide(_ text: String, unit: Int, bigEndian: Bool, mark: Bool) -> [UInt8] {
    let text = mark ? "\u{FEFF}" + text : text
    let units = unit == 2 ? text.utf16.map(UInt32.init) : text.unicodeScalars.map(\.value)
    return units.flatMap { value -> [UInt8] in
      let bytes = (0..<unit).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return bigEndian ? bytes.reversed() : bytes
    }
  }

  @Test(arguments: [
    "1", "12", "[]", "{}", "\"é\"", "\"日\"", "\"😀\"", "[\"Aé日😀\\ud83d\\ude00\"]", "null ",
    "{\"日\":[1,2.5,123456789012345678901234567890]}", "\"日本語日本語\"", "\n1",
  ])
  func `JSN-15 UTF-16 and UTF-32 of either order are read, with or without a mark`(text: String)
    throws
  {
    let expected = try parse(text)
    for unit in [2, 4] {
      for bigEndian in [true, false] {
        for mark in [true, false] {
          let bytes = wide(text, unit: unit, bigEndian: bigEndian, mark: mark)
          let document = try JSONDocument(parsing: bytes)
          #expect(document.root == expected, "\(unit) \(bigEndian) \(mark)")
        }
      }
    }
  }

  @Test func `JSN-15 a long text is transcoded whole`() throws {
    let element = "{\"日本\":\"é😀 \\n\",\"n\":12345}"
    let text = "[" + Array(repeating: element, count: 3000).joined(separator: ",") + "]"
    let expected = try parse(text)
    for unit in [2, 4] {
      let bytes = wide(text, unit: unit, bigEndian: false, mark: true)
      #expect(try JSONDocument(parsing: bytes).root == expected)
    }
  }

  @Test func `JSN-15 a UTF-8 mark is skipped`() throws {
    #expect(try parse("\u{FEFF}[1]")[0]?.int == 1)
    #expect(try parse("\u{FEFF}\"\u{FEFF}\"").string == "\u{FEFF}")
  }

  @Test(
    arguments: [
      ([0xFE, 0xFF], "unexpected end of the text", nil),
      ([0xFE, 0xFF, 0x00], "invalid UTF-16", 2),
      ([0x00, 0x31, 0x00], "invalid UTF-16", 2),
      ([0x00, 0x22, 0xD8, 0x00, 0x00, 0x22], "invalid UTF-16", 2),
      ([0x00, 0x22, 0xDC, 0x00, 0x00, 0x22], "invalid UTF-16", 2),
      ([0x00, 0x22, 0xD8, 0x00], "invalid UTF-16", 2),
      ([0x22, 0x00, 0x00, 0xD8, 0x22, 0x00], "invalid UTF-16", 2),
      ([0xFF, 0xFE, 0, 0], "unexpected end of the text", nil),
      ([0, 0, 0, 0x31, 0, 0], "invalid UTF-32", 4),
      ([0, 0, 0, 0x22, 0, 0, 0xD8, 0, 0, 0, 0, 0x22], "invalid UTF-32", 4),
      ([0, 0, 0, 0x22, 0, 0x11, 0, 0, 0, 0, 0, 0x22], "invalid UTF-32", 4),
      ([0x31, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], "invalid UTF-32", 4),
      ([0, 0], "invalid UTF-32", 0),
      ([0], "invalid UTF-16", 0),
      ([0x31, 0, 0x00, 0x00, 0x00], "invalid UTF-32", 4),
    ] as [([UInt8], String, Int?)])
  func `JSN-15 broken UTF-16 and UTF-32 are malformed`(
    bytes: [UInt8], message: String, offset: Int?
  ) {
    #expect(failure(bytes) == JSONError(message, offset: offset))
  }
}
