import LullCore
import Testing

/// Whether two contents hold the same, as a watch asks.
@Suite(.timeLimit(.minutes(20)))
struct ContentSamenessTests {
  private func json(_ text: String) throws -> Content {
    .json(try JSONDocument(parsing: Array(text.utf8)))
  }

  private func isSame(_ a: Content, _ b: Content) -> Bool {
    a.holdsSame(as: b) { a, b in a.id % 10 == b.id % 10 }
  }

  @Test(arguments: [
    ("null", "null"), ("true", "true"), ("1", "1.0"), ("9007199254740992", "9007199254740992.0"),
    ("-9223372036854775808", "-9223372036854775808.0"), ("0", "-0.0"), ("1.5", "15e-1"),
    (#""aé""#, #""a\u00e9""#),
    ("[1,[2]]", " [ 1 , [ 2 ] ] "), (#"{"a":1,"b":[{}]}"#, #"{"b":[{}],"a":1}"#),
    (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("{}", "{}"),
  ])
  func `JSON is the same by its values`(a: String, b: String) throws {
    #expect(isSame(try json(a), try json(b)))
    #expect(isSame(try json(b), try json(a)))
  }

  @Test(arguments: [
    ("null", "false"), ("0", "false"), ("1", "2"), (#""1""#, "1"), ("[]", "{}"), ("[1]", "[1,2]"),
    ("[1,2]", "[2,1]"), (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"b":1}"#),
    (#"{"a":1}"#, #"{"a":1,"b":null}"#), (#""a""#, #""A""#),
    // Neither is rounded to the other, nor are texts that look the same.
    ("9007199254740993", "9007199254740992.0"), ("[9007199254740993]", "[9007199254740992.0]"),
    ("9007199254740993", "9007199254740992"), ("9223372036854775807", "9223372036854775808.0"),
    (#"{"a":-9007199254740993}"#, #"{"a":-9007199254740992.0}"#),
    (#""\u00e9""#, #""e\u0301""#), (#"{"\u00e9":1}"#, #"{"e\u0301":1}"#),
  ])
  func `JSON differs by its values`(a: String, b: String) throws {
    #expect(!isSame(try json(a), try json(b)))
    #expect(!isSame(try json(b), try json(a)))
    let elements = (
      try JSONDocument(parsing: Array(a.utf8)).root, try JSONDocument(parsing: Array(b.utf8)).root
    )
    #expect(elements.0 != elements.1)
    #expect(elements.0.plainValue != elements.1.plainValue)
  }

  @Test func `text and bytes differ by kind and byte by byte`() {
    #expect(isSame(.text("é"), .text("é")))
    #expect(!isSame(.text("\u{e9}"), .text("e\u{301}")))
    #expect(isSame(.bytes([1, 2]), .bytes([1, 2])))
    #expect(!isSame(.bytes([1]), .bytes([1, 2])))
    #expect(!isSame(.text("a"), .bytes([97])))
  }

  @Test func `POLL-01 models are the same if they say that they are equal`() {
    struct Plain: Sendable {}
    #expect(isSame(.value(1), .value(1)))
    #expect(!isSame(.value(1), .value(2)))
    #expect(!isSame(.value(1), .value("1")))
    #expect(!isSame(.value(Plain()), .value(Plain())))
  }

  @Test func `of values of a script their host tells`() {
    func foreign(_ id: Int64) -> Content { .foreign(ForeignContent(id: id, typeName: "table")) }
    #expect(isSame(foreign(1), foreign(1)))
    #expect(isSame(foreign(1), foreign(11)))
    #expect(!isSame(foreign(1), foreign(2)))
    #expect(!foreign(1).holdsSame(as: foreign(1 + 10)) { _, _ in false })
    #expect(foreign(1).holdsSame(as: foreign(1)) { _, _ in false })
  }
}
