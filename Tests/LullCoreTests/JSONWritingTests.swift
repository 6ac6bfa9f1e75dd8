import Testing

@testable import LullCore

/// Documents and values as JSON texts.
@Suite(.timeLimit(.minutes(20)))
struct JSONWritingTests: JSONSuite {
  @Test(arguments: [
    ("[2,\"be\"]", "[2,\"be\"]"),
    (" [ 1 , -2.50 , { \"a\" : [ ] , \"b\" : { } } ] ", #"[1,-2.5,{"a":[],"b":{}}]"#),
    (
      #""\"\\\/\b\f\n\r\t\u001f\u0000\u007f\u00e9\ud83d\ude00\u2028""#,
      "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u001f\\u0000\u{7F}é😀\u{2028}\""
    ),
    ("[1e5,1.0,0.1,1e23,5e-324,-0.0]", "[100000.0,1.0,0.1,1e+23,5e-324,-0.0]"),
    ("[9223372036854775807,-9223372036854775808]", "[9223372036854775807,-9223372036854775808]"),
    ("[true,false,null]", "[true,false,null]"),
  ])
  func `JSN-13 REQ-10 writing is compact and escapes only what must be`(
    text: String, written: String
  ) throws {
    let root = try parse(text)
    #expect(encoded(root) == written)
    #expect(try root.plainValue.encode() == Array(written.utf8))
    #expect(try parse(written) == root)
  }

  @Test func `writing appends to what is there`() throws {
    var output = Array("x=".utf8)
    try parse("[1]").encode(into: &output)
    try parse("2").encode(into: &output)
    #expect(output == Array("x=[1]2".utf8))
  }

  @Test func `pretty text has a line for each value, two spaces for each level`() throws {
    let root = try parse(#"{"a":[1,{"b":[]}],"c":{}}"#)
    let expected = """
      {
        "a": [
          1,
          {
            "b": []
          }
        ],
        "c": {}
      }
      """
    #expect(encoded(root, pretty: true) == expected)
    #expect(try root.plainValue.encode(pretty: true) == Array(expected.utf8))
  }

  @Test func `REQ-10 plain values can be written down as literals, and are written as JSON`() throws
  {
    let value: JSONValue = ["b": [1, 2.5, "x", true, .null], "a": [:], "b": [], "c": ["d": -1]]
    #expect(try value.encode() == Array(#"{"b":[],"a":{},"c":{"d":-1}}"#.utf8))
    #expect(value["c"]?["d"] == -1)
    // Repeated keys, and keys that only look repeated.
    let repeated: JSONValue = ["é": 1, "e\u{301}": 2, "a": 3, "é": 4]
    #expect(try repeated.encode() == Array("{\"é\":4,\"e\u{301}\":2,\"a\":3}".utf8))
    #expect(repeated["é"] == 4)
    #expect(repeated == ["a": 3, "e\u{301}": 2, "é": 4])
    #expect(repeated != ["a": 3, "é": 2, "e\u{301}": 4])
    #expect(value["b"]?[0] == nil)
    #expect(try parse(#"{"c":{"d":-1.0},"a":{},"b":[]}"#).plainValue == value)
  }

  @Test func `REQ-13 DYN-02 a number JSON does not have is refused with its path`() {
    for number in [Double.nan, .infinity, -.infinity] {
      let value = JSONValue.object([
        .init("a/b", .array([.int(1), .object([.init("~", .double(number))])]))
      ])
      #expect(throws: JSONError("JSON cannot represent the number \(number)", path: "/a~1b/1/~0")) {
        try value.encode()
      }
    }
  }
}
