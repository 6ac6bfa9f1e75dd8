import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct JSONLinesTests {
  private func document(_ text: String) throws(JSONError) -> JSONDocument {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
      try JSONLines.document(bytes)
    }
  }

  @Test func `JSN-20 lines are elements, and come out as lines again`() throws {
    for (text, count, again) in [
      ("", 0, ""), ("\n \r\n\t", 0, ""), ("1", 1, "1\n"),
      ("{\"a\": \"\\n,[\"}\r\n[]\n", 2, "{\"a\":\"\\n,[\"}\n[]\n"),
      ("\u{FEFF}null\n\ntrue", 2, "null\ntrue\n"),
    ] {
      let document = try document(text)
      #expect(document.root.count == count)
      #expect(document.hasLines)
      #expect(JSONLines.text(document) == again)
    }
  }

  /// Lines of a few tokens are taken if each is JSON by itself, and not otherwise.
  @Test func `JSN-21 a line is one value`() throws {
    let tokens = ["1", ",", "[", "]", "{", "}", "\"a\"", "\"", ":", "\n", "\n", " ", "\\"]
    var state: UInt64 = 3
    var taken = 0
    for _ in 0..<30_000 {
      var text = ""
      for _ in 0..<(state >> 61) + 1 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += tokens[Int(state >> 33) % tokens.count]
      }
      let lines = text.split(separator: "\n").filter { !$0.allSatisfy { $0 == " " } }
      let areJSON = lines.allSatisfy { (try? JSONDocument(parsing: Array($0.utf8))) != nil }
      let found = try? document(text)
      #expect((found != nil) == areJSON, "\(text)")
      if let found {
        taken += 1
        #expect(found.root.count == lines.count)
      }
    }
    #expect(taken > 1000)
  }

  private func ofOneType(_ text: String) throws(JSONError) -> JSONDocument {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
      try JSONLines.documentOrLines(bytes)
    }
  }

  @Test(arguments: [
    ("[1]\n[2]\n", "[[1],[2]]"), ("{\n\"a\": 1\n}\n{\n\"a\": 2\n}", "[{\"a\":1},{\"a\":2}]"),
    ("{\"a\":\"}\\\"\"} \r\n\n {}", "[{\"a\":\"}\\\"\"},{}]"), ("{}\n[2]\n", "[{},[2]]"),
    ("\u{FEFF}[]\n[]", "[[],[]]"),
  ])
  func `JSN-92 objects or lists on lines of their own are a list`(
    _ text: String, _ expected: String
  ) throws {
    let document = try ofOneType(text)
    var found: [UInt8] = []
    document.root.encode(into: &found)
    #expect(String(decoding: found, as: UTF8.self) == expected)
    #expect(document.hasLines)
  }

  @Test(arguments: [
    ("[1] [2]", 4), ("1\n2", 2), ("[1]\n{}", 4), ("{}{}", 2), ("{}\n{\"a\":}", 8), ("[1]]", 3),
  ])
  func `JSN-92 other values after each other are malformed`(_ text: String, _ offset: Int) {
    do throws(JSONError) {
      _ = try ofOneType(text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.offset == offset, "\(text)")
    }
  }

  @Test func `JSN-21 the place is that in the whole`() {
    for (text, offset) in [("1\n2 x", 4), ("1\n\n{\"a\":}", 8), ("\u{FEFF}x", 3)] {
      do throws(JSONError) {
        _ = try document(text)
        Issue.record("\(text) was taken")
      } catch {
        #expect(error.offset == offset, "\(text)")
      }
    }
  }
}
