import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct UTF8ValidationTests {
  private func isValid(_ bytes: some Sequence<UInt8>) -> Bool {
    Array(bytes).withUnsafeBufferPointer { UTF8Validation.isValid($0) }
  }

  @Test(arguments: [
    "", "a", "\0", "ascii only, longer than one word", "é", "日本語", "😀", "\u{7F}\u{80}",
    "\u{7FF}\u{800}", "\u{D7FF}\u{E000}", "\u{FFFF}\u{10000}", "\u{10FFFF}", "\u{FEFF}x",
  ])
  func `well-formed text is valid wherever it stands`(text: String) {
    for shift in Array(0..<20) + Array(60..<80) {
      let padding = String(repeating: "x", count: shift)
      #expect(isValid((padding + text).utf8))
      #expect(isValid((padding + text + padding).utf8))
    }
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xD8], [0xE0, 0x9F, 0xBF],
      [0xE3, 0x81], [0xE3, 0x28, 0x81], [0xE3, 0x81, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x28],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ] as [[UInt8]])
  func `ill-formed bytes are invalid wherever they stand`(bytes: [UInt8]) {
    for shift in Array(0..<20) + Array(60..<80) {
      let padding = [UInt8](repeating: 0x78, count: shift)
      #expect(!isValid(padding + bytes))
      #expect(!isValid(padding + bytes + padding))
    }
  }

  @Test func `the answer is the standard library's for every two bytes and what may follow`() {
    let tails: [[UInt8]] = [[], [0x80], [0x80, 0x80], [0xBF, 0x41], [0x41]]
    var differences: [[UInt8]] = []
    for first in UInt8(0x7F)...0xFF {
      for second in UInt8.min...UInt8.max {
        for tail in tails {
          let bytes = [first, second] + tail
          if isValid(bytes) != (String(validating: bytes, as: UTF8.self) != nil) {
            differences.append(bytes)
          }
        }
      }
    }
    #expect(differences.isEmpty)
  }
}
