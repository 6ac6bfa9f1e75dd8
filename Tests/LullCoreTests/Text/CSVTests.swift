import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct CSVTests {
  private func rows(_ text: String, delimiter: UInt8 = UInt8(ascii: ",")) throws -> [[String]] {
    var text = text
    let parser = try text.withUTF8 { text throws(CSVParser.Problem) in
      try CSVParser(text, delimiter: delimiter)
    }
    return (0..<parser.rowCount).map { row in
      parser.fields(ofRow: row).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test(
    arguments: [
      ("", []), ("\n\r\n\r", []), ("\u{FEFF}", []), ("a", [["a"]]), ("a,b\r\n", [["a", "b"]]),
      (",", [["", ""]]), ("\"\"", [[""]]), ("a\rb\nc\r\n", [["a"], ["b"], ["c"]]),
      ("\"a\r\n\"\"b\",\"\"", [["a\r\n\"b", ""]]), ("a\"b,c\"", [["a\"b", "c\""]]),
      (" \"a\"", [[" \"a\""]]), ("a\u{FEFF}", [["a\u{FEFF}"]]),
    ] as [(String, [[String]])])
  func `ENC-23 it is read by RFC 4180`(text: String, expected: [[String]]) throws {
    #expect(try rows(text) == expected)
  }

  @Test func `ENC-24 what is wrong has its line`() {
    #expect(throws: CSVParser.Problem.self) { try rows("\"") }
    #expect(throws: CSVParser.Problem.self) { try rows("\"a\" ,b") }
    do {
      _ = try rows("a\r\n\"b\rc\nd\r\ne\" ")
      Issue.record("it was read")
    } catch {
      #expect((error as? CSVParser.Problem)?.line == 5)
    }
  }

  @Test func `ENC-20 ENC-23 what is written is read again, whatever the delimiter`() throws {
    let parts = ["", "a", ",", ";", "\"", "\n", "\r", "\r\n", "\t", "ä", " "]
    var state: UInt64 = 11
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    for delimiter in ",;\t|".utf8 {
      for lineEnd in ["\r\n", "\n"] {
        for _ in 0..<200 {
          let given = (0...random(3)).map { _ in
            (0...random(3)).map { _ in
              (0..<random(4)).map { _ in parts[random(parts.count)] }.joined()
            }
          }
          var writer = CSVWriter(delimiter: delimiter, lineEnd: lineEnd)
          for row in given { writer.write(row.map(\.utf8)) }
          #expect(
            try rows(String(decoding: writer.output, as: UTF8.self), delimiter: delimiter) == given)
        }
      }
    }
  }
}
