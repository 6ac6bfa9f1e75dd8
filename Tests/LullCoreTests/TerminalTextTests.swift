import LullCore
import LullSystem
import Testing

@Suite("Text for terminals", .timeLimit(.minutes(20)))
struct TerminalTextTests {
  @Test(arguments: [
    ("plain\ttext\n", "plain\ttext\n"), ("line\r\nline", "line\r\nline"),
    ("a\rb\r", "a\\x0Db\\x0D"),
    ("\u{0}\u{7}\u{8}\u{1B}[31m\u{7F}", "\\x00\\x07\\x08\\x1B[31m\\x7F"),
    ("a\u{9B}31m\u{85}\u{90}", "a\\u{9B}31m\\u{85}\\u{90}"), ("\u{A0}äß€𝄞", "\u{A0}äß€𝄞"),
    ("x\u{202E}y\u{2066}z\u{2069}", "x\\u{202E}y\\u{2066}z\\u{2069}"),
    ("\u{10FFFD}e[31m", "\u{10FFFD}e[31m"), ("", ""),
  ])
  func `shows control characters`(text: String, shown: String) {
    #expect(TerminalText.visible(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
  }

  /// Such as C1 in eight bits, overlong forms, surrogates and what is cut off.
  @Test(
    arguments: [
      ([0x61, 0x9B, 0x33, 0x31, 0x6D], "a\\x9B31m"), ([0xC0, 0x9B], "\\xC0\\x9B"),
      ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"), ([0xE2, 0x82], "\\xE2\\x82"), ([0xFF], "\\xFF"),
      ([0xC2, 0x9B], "\\u{9B}"), ([0xC2], "\\xC2"), ([0xF0, 0x9F, 0x41], "\\xF0\\x9FA"),
    ] as [([UInt8], String)])
  func `shows what is no text`(bytes: [UInt8], shown: String) {
    #expect(String(decoding: TerminalText.visible(bytes), as: UTF8.self) == shown)
  }

  @Test(arguments: [1, 2, 3, 5, 1000]) func `is the same piece by piece`(size: Int) {
    let bytes = Array("ä\r\nb\r\u{9B}c\u{202E}𝄞\u{1B}".utf8) + [0xE2, 0x82]
    var filter = TerminalText()
    var shown: [UInt8] = []
    for place in stride(from: 0, to: bytes.count, by: size) {
      shown += filter.visible(bytes[place..<min(place + size, bytes.count)])
    }
    shown += filter.end()
    #expect(shown == TerminalText.visible(bytes))
    #expect(filter.end() == [])
  }

  /// Of a text in colours only the colours are sequences.
  @Test func `lets our own colours pass`() {
    #expect(
      TerminalText.visible("a" + TerminalText.painted("\u{1B}[2Jx", "1;31") + "b")
        == "a\u{1B}[1;31m\\x1B[2Jx\u{1B}[0mb")
    #expect(TerminalText.visible(TerminalText.clearedLine) == "\r\u{1B}[K")
  }
}
