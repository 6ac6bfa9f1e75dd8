import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct JSONRecognitionTests {
  private func recognised(_ bytes: [UInt8]) -> JSONRecognition {
    bytes.withUnsafeBufferPointer { JSONRecognition($0) }
  }

  private func text(_ bytes: [UInt8]) -> String? {
    guard case .document(let document) = recognised(bytes) else { return nil }
    var text: [UInt8] = []
    document.root.encode(into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `JSN-101 JSON is recognised in its encodings, with a byte-order mark too`() {
    let json = "{\"a\":\"é\"}"
    let utf16 = json.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    for bytes in [Array(json.utf8), Array("\u{FEFF} \(json)".utf8), utf16, [0xFE, 0xFF] + utf16] {
      #expect(text(bytes) == json, "\(bytes)")
    }
    #expect(text(Array("{\"a\":1}\n{\"a\":2}\n".utf8)) == "[{\"a\":1},{\"a\":2}]")
  }

  @Test(arguments: [
    ("{\"a\":1", 6), ("{\"a", 1), ("{\"a\"", 4), ("{} x", 3), ("{\"a\":1} x", 8), ("[] x", 3),
    ("[1,2,", 5), ("[1", 2), ("[[1],[2]", 8), ("[tru", 4), ("[{\"a\":1},", 9), ("[\"a\", b]", 6),
    ("\u{FEFF}[1,", 6), ("{\"a\":1}\n{\"a\":", 13),
  ])
  func `JSN-103 cut and malformed JSON is known by its first tokens`(_ text: String, _ place: Int) {
    guard case .malformed(let error) = recognised(Array(text.utf8)) else {
      Issue.record("\(text) is other text")
      return
    }
    #expect(!error.message.isEmpty)
    // A parser may put the place of a cut before the end.
    #expect(error.offset.map { $0 <= place } ?? false, "\(text): \(error)")
  }

  @Test(arguments: [
    "", "x", "{", "[", "[INFO] started", "[2026-01-31 10:00] started", "[1234] started",
    "[    0.000000] Linux", "[\"main\"] started", "[\"main\n\", 1", "{INFO} started", "{a: 1}",
    "{'a': 1}", "[[a]] x", "[true story] x", "[1] x\n[2] y\n", "{\"a\" b}",
  ])
  func `JSN-103 other text that begins with a bracket is not taken for JSON`(_ text: String) {
    guard case .other = recognised(Array(text.utf8)) else {
      Issue.record("\(text) is taken for JSON")
      return
    }
  }
}
