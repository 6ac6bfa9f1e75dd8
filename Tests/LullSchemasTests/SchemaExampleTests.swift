import LullCore
import LullSchemas
import Testing

@Suite(.timeLimit(.minutes(20))) struct SchemaExampleTests {
  private static func example(_ schema: String) throws -> String? {
    let root = try JSONDocument(parsing: Array(schema.utf8)).root
    guard let value = try SchemaExample.value(of: root) else { return nil }
    return String(decoding: try value.encode(), as: UTF8.self)
  }

  @Test(arguments: [
    (#"{"type":"string"}"#, #""string""#), (#"{"type":"string","minLength":8}"#, #""stringxx""#),
    (#"{"type":"string","maxLength":2}"#, #""ng""#), (#"{"type":"string","maxLength":0}"#, #""""#),
    (#"{"type":"string","format":"ipv4"}"#, #""192.0.2.1""#),
    (#"{"type":"string","pattern":"^[A-Z]{2}-\\d{3,}$"}"#, #""AA-000""#),
    (#"{"type":"string","pattern":"^(cat|dog)s?$","minLength":4}"#, #""cats""#),
    (#"{"type":"integer","minimum":3.5}"#, "4"), (#"{"type":"integer","maximum":-3}"#, "-3"),
    (#"{"type":"number","exclusiveMinimum":1,"multipleOf":0.5}"#, "1.5"),
    (#"{"enum":["b","a"]}"#, #""b""#), (#"{"const":null}"#, "null"),
    (#"{"type":["null","array"]}"#, "[]"),
    (#"{"type":"integer","default":7,"examples":[9]}"#, "9"),
    (#"{"type":"integer","maximum":5,"examples":[9]}"#, "0"),
    (#"{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}"#, "[0,1,2]"),
    (#"{"prefixItems":[{"const":1},{"const":"x"}]}"#, #"[1,"x"]"#),
    (
      #"{"oneOf":[{"type":"object","required":["a"],"properties":{"a":false}},{"type":"boolean"}]}"#,
      "true"
    ),
    (
      #"{"allOf":[{"required":["a"]},{"properties":{"a":{"type":"boolean"},"b":{"type":"null"}}}]}"#,
      #"{"a":true,"b":null}"#
    ),
    (
      ##"{"properties":{"next":{"$ref":"#"},"n":{"const":1}},"required":["n"],"type":"object"}"##,
      #"{"next":{"next":{"next":{"next":{"n":1},"n":1},"n":1},"n":1},"n":1}"#
    ),
    (#"{"type":"object","additionalProperties":{"type":"integer"},"required":["x"]}"#, #"{"x":0}"#),
    (#"{"contains":{"const":5},"minContains":2}"#, "[5,5]"), ("true", "{}"),
  ])
  func `SCH-32 is what the schema says, else the least that fits, the same each time`(
    schema: String, expected: String
  ) throws {
    #expect(try SchemaExampleTests.example(schema) == expected)
    #expect(try SchemaExampleTests.example(schema) == expected)
  }

  @Test(arguments: [
    "false", ##"{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}"##,
    #"{"type":"integer","minimum":5,"maximum":4}"#, #"{"type":"string","pattern":"(?=a)b"}"#,
    #"{"not":{}}"#,
  ])
  func `SCH-32 is nothing where nothing is found that fits`(schema: String) throws {
    #expect(try SchemaExampleTests.example(schema) == nil)
  }
}
