import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct JSONValueConvertingTests {
  @Test func `REQ-12 plain Swift values of every kind become JSON`() throws {
    let missing: String? = nil
    let present: Int? = 3
    let value: [String: Any] = [
      "null": missing as Any, "optional": present as Any, "bool": true, "int": 1, "small": Int8(-2),
      "wide": UInt64(7), "double": 1.5, "float": Float(0.1), "text": "x", "part": "xyz".dropFirst(),
      "array": [1, "two", [Any]()] as [Any], "object": ["a": ["b": 1]],
      "json": JSONValue.array([1, .null]),
    ]
    let expected: JSONValue = [
      "null": .null, "optional": 3, "bool": true, "int": 1, "small": -2, "wide": 7, "double": 1.5,
      "float": 0.1, "text": "x", "part": "yz", "array": [1, "two", []], "object": ["a": ["b": 1]],
      "json": [1, .null],
    ]
    #expect(try JSONValue(converting: value) == expected)
  }

  @Test func `what was read as JSON converts back to itself`() throws {
    let document = try JSONDocument(parsing: Array(#"{"a":[1,null]}"#.utf8))
    #expect(try JSONValue(converting: document) == ["a": [1, .null]])
    #expect(try JSONValue(converting: ["x": document.root]) == ["x": ["a": [1, .null]]])
  }

  struct Refused: CustomTestStringConvertible, Sendable {
    let value: @Sendable () -> Any
    let message: String

    var testDescription: String { message }
  }

  static let refused = [
    Refused(
      value: { ["a": [1, Double.nan]] }, message: "JSON cannot represent the number nan at /a/1"),
    Refused(value: { [Float.infinity] }, message: "JSON cannot represent the number inf at /0"),
    Refused(
      value: { ["~/": { 1 }] as [String: Any] }, message: "JSON cannot represent () -> Int at /~0~1"
    ),
    Refused(value: { UInt64.max }, message: "18446744073709551615 does not fit 64 signed bits"),
    Refused(value: { [1: "x"] }, message: "JSON cannot represent Dictionary<Int, String>"),
  ]

  @Test(arguments: refused)
  func `REQ-13 DYN-02 what is no JSON is refused, with its place`(row: Refused) {
    let error = #expect(throws: JSONError.self) { try JSONValue(converting: row.value()) }
    #expect(error?.description == row.message)
  }

  @Test func `a value reads as what it is, and as nothing else`() {
    let values: [JSONValue] = [.null, true, 1, 1.5, "x", [1], ["a": 1]]
    #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
    #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil, nil])
    #expect(values.map(\.int) == [nil, nil, 1, nil, nil, nil, nil])
    #expect(values.map(\.double) == [nil, nil, 1, 1.5, nil, nil, nil])
    #expect(values.map(\.string) == [nil, nil, nil, nil, "x", nil, nil])
    #expect(values.map(\.array) == [nil, nil, nil, nil, nil, [1], nil])
    #expect(values.map(\.dictionary) == [nil, nil, nil, nil, nil, nil, ["a": 1]])
    #expect(JSONValue.object([.init("a", 1), .init("a", 2)]).dictionary == ["a": 2], "JSN-13")
  }
}
