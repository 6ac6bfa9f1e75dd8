import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("\u{FF}", "w78="),
  ])
  func `ENC-06 it is that of RFC 4648`(_ text: String, _ expected: String) throws {
    #expect(Base64.encode(Array(text.utf8)) == Array(expected.utf8))
    #expect(try Base64.decode(Array(expected.utf8)) == Array(text.utf8))
  }

  @Test func `ENC-06 every length of bytes comes back in each form`() throws {
    for length in 0..<70 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) }
      for alphabet in [Base64.Alphabet.standard, .url] {
        for isPadded in [true, false] {
          let text = Base64.encode(bytes, alphabet: alphabet, isPadded: isPadded)
          #expect(try Base64.decode(text) == bytes)
        }
      }
    }
  }

  /// Each text of at most four letters is refused, or is what the bytes it stands for are written as.
  @Test func `ENC-07 no two texts without white space are the same bytes in the same form`() {
    let letters = Array("AQg/+=".utf8)
    var texts: [[UInt8]] = [[]]
    for _ in 0..<4 { texts += texts.flatMap { text in letters.map { text + [$0] } } }
    for text in Set(texts) {
      guard let bytes = try? Base64.decode(text) else { continue }
      let isPadded = text.contains(UInt8(ascii: "="))
      #expect(Base64.encode(bytes, isPadded: isPadded) == text)
    }
  }
}
