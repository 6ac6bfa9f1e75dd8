import LullCore
import Testing

/// Bytes that need not be text, and what people see of them. (BYT-07)
@Suite(.timeLimit(.minutes(20)))
struct ByteStringTests {
  @Test(
    arguments: [
      ([], ""), ([0x61, 0xC3, 0xA9], "aé"), ([0x63, 0xE9], "c\\xE9"), ([0xFF, 0x0A], "\\xFF\n"),
      ([0xE2, 0x82], "\\xE2\\x82"), ([0xE2, 0x82, 0xAC, 0xE2], "€\\xE2"),
      ([0xC0, 0x80], "\\xC0\\x80"), ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
      ([0xF0, 0x9F, 0x98, 0x80, 0x80], "😀\\x80"), ([0x05, 0xFE], "\u{5}\\xFE"),
    ] as [([UInt8], String)])
  func `are spelled out where they are no text`(bytes: [UInt8], text: String) {
    #expect(String(escaping: bytes) == text)
    #expect(ByteString(bytes).description == text)
    #expect((ByteString(bytes).text == nil) == text.contains("\\"))
    #expect(Array(ByteString(bytes).bytes) == bytes)
  }

  @Test func `different ones stay different`() {
    #expect(String(escaping: [0xFE]) != String(escaping: [0xFF]))
    #expect(ByteString([0xFE]) != ByteString([0xFF]))
    #expect(ByteString("é") == ByteString([0xC3, 0xA9]))
  }

  @Test(
    arguments: [
      ([0x61, 0xE2, 0x82], "a"), ([0x61, 0xE2], "a"), ([0xF0, 0x9F, 0x98], ""),
      ([0x61, 0xC3, 0xA9], "aé"), ([0x61, 0xE9, 0x62], "a\\xE9b"), ([0x82, 0x82], "\\x82\\x82"),
      ([0x80, 0x80, 0x80, 0x80], "\\x80\\x80\\x80\\x80"), ([], ""),
    ] as [([UInt8], String)])
  func `a character that was cut is left out`(bytes: [UInt8], text: String) {
    #expect(String(escapingCut: bytes) == text)
  }

  @Test func `a C string is copied to its end`() {
    let text: [CChar] = [0x63, CChar(bitPattern: 0xE9), 0, 0x64]
    text.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { return }
      #expect(ByteString(cString: start).bytes == [0x63, 0xE9])
      #expect(String(escapingCString: start) == "c\\xE9")
    }
  }
}
