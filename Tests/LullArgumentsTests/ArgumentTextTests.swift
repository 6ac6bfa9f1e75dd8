import LullArguments
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ArgumentTextTests {
  @Test(arguments: [
    [], Array("plain".utf8), Array("żółw 🐢".utf8), [0xFF], [0x61, 0xFE, 0, 0xC3],
    [0xED, 0xA0, 0x80], Array(0...255),
  ])
  func `bytes come back as they were`(bytes: [UInt8]) {
    #expect(ArgumentText.encode(ArgumentText.decode(bytes)) == bytes)
  }

  @Test func `numbers are those that people type`() {
    #expect(ArgumentText.integer("-7") == -7)
    #expect(ArgumentText.integer("7.0") == nil)
    #expect(ArgumentText.number("1e3") == 1000)
    for text in ["nan", "inf", "0x1p3", "1e999", "", " 1"] {
      #expect(ArgumentText.number(text) == nil, "\(text)")
    }
    #expect(ArgumentText.boolean("yes") == true)
    #expect(ArgumentText.boolean("0") == false)
    #expect(ArgumentText.boolean("on") == nil)
  }

  @Test func `JSN-111 an integer beyond 64 bits has its digits as JSON writes them`() {
    let digits = "12345678901234567890"
    #expect(ArgumentText.largeInteger(digits) == digits)
    #expect(ArgumentText.largeInteger("+00" + digits) == digits)
    #expect(ArgumentText.largeInteger("-" + digits) == "-" + digits)
    // Beyond doubles, too. (JSN-160)
    let huge = String(repeating: "9", count: 400)
    #expect(ArgumentText.largeInteger(huge) == huge)
    let others = [
      "", "-", "+-" + digits, "9223372036854775807", "-9223372036854775808", digits + ".0",
    ]
    for text in others {
      #expect(ArgumentText.largeInteger(text) == nil, "\(text)")
    }
  }

  @Test func `words are listed as a sentence has them`() {
    #expect(WordList.text([]) == "")
    #expect(WordList.text(["a"]) == "a")
    #expect(WordList.text(["a", "b", "c"]) == "a, b or c")
  }
}
