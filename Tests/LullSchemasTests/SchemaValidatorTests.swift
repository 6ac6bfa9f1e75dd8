import LullCore
import LullSchemas
import Testing

@Suite(.timeLimit(.minutes(20))) struct SchemaValidatorTests {
  private static func json(_ text: String) throws -> JSONElement {
    try JSONDocument(parsing: Array(text.utf8)).root
  }

  /// What does not fit, a line each; or why that cannot be told.
  private static func check(_ schema: String, _ content: String, limit: Int = 20) throws -> [String]
  {
    let (schema, content) = (try json(schema), try json(content))
    do throws(SchemaProblem) {
      let validator = try SchemaValidator(schema)
      return try validator.violations(of: content, limit: limit).map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  @Test(arguments: [
    (#"{"type":"number"}"#, #""12""#, #"the content: must be a number, got "12""#),
    (#"{"type":["string","null"]}"#, "5", "the content: must be a string or null, got 5"),
    (
      #"{"properties":{"items":{"items":{"properties":{"price":{"type":"number"}}}}}}"#,
      #"{"items":[{},{},{},{"price":"12"}]}"#, #"/items/3/price: must be a number, got "12""#
    ),
    (#"{"properties":{"a/b~":{"const":1}}}"#, #"{"a/b~":2}"#, "/a~1b~0: must be 1, got 2"),
    (#"{"enum":["a","b"]}"#, #""c""#, #"the content: must be one of "a", "b", got "c""#),
    (#"{"minimum":3}"#, "2", "the content: must be at least 3, got 2"),
    (#"{"multipleOf":0.01}"#, "0.015", "the content: must be a multiple of 0.01, got 0.015"),
    (
      #"{"minLength":3}"#, #""ab""#,
      #"the content: must have at least 3 characters, got "ab""#
    ),
    (#"{"maxItems":1}"#, "[1,2]", "the content: must have at most 1 element, has 2"),
    (
      #"{"uniqueItems":true}"#, #"[1,{"a":1,"b":2},{"b":2,"a":1.0}]"#,
      "the content: must not have duplicate elements: 1 and 2 are equal"
    ),
    (#"{"required":["id"]}"#, "{}", "the content: must have 'id'"),
    (#"{"additionalProperties":false}"#, #"{"x":1}"#, "/x: must not be present"),
    (#"{"pattern":"^a"}"#, #""b""#, #"the content: must match '^a', got "b""#),
    (
      #"{"items":{"type":"string"}}"#, "[[1,2]]", "/0: must be a string, got an array of 2 elements"
    ),
    (
      #"{"properties":{"password":{"type":"integer"}}}"#, #"{"password":"hunter2"}"#,
      "/password: must be a whole number, got a string"
    ),
  ])
  func `SCH-11 says where, what was expected and what is there`(
    schema: String, content: String, message: String
  ) throws {
    #expect(try SchemaValidatorTests.check(schema, content) == [message])
  }

  @Test func `SCH-11 is in the order of the content and ends at a number of places`() throws {
    let schema = #"{"required":["z"],"items":{"type":"string"},"properties":{"a":{"type":"null"}}}"#
    #expect(
      try SchemaValidatorTests.check(schema, #"{"b":1,"a":2}"#) == [
        "the content: must have 'z'", "/a: must be null, got 2",
      ])
    let many = "[" + Array(repeating: "1", count: 100).joined(separator: ",") + "]"
    #expect(try SchemaValidatorTests.check(schema, many, limit: 7).count == 7)
  }

  @Test(arguments: [
    (
      #"{"anyOf":[{"type":"null"},{"type":"object","required":["a"]}]}"#, "{}",
      "the content: must have 'a'"
    ),
    (
      #"{"oneOf":[{"properties":{"kind":{"const":"cat"},"lives":{"type":"integer"}}},"#
        + #"{"properties":{"kind":{"const":"dog"}}}]}"#, #"{"kind":"cat","lives":"9"}"#,
      #"/lives: must be a whole number, got "9""#
    ),
  ])
  func `SCH-12 of several schemas tells what is wrong by the one that is meant`(
    schema: String, content: String, message: String
  ) throws {
    #expect(try SchemaValidatorTests.check(schema, content) == [message])
  }

  @Test(arguments: [
    ("9007199254740993", "9007199254740992", false),
    ("18446744073709551615", "18446744073709551614", false),
    ("9007199254740993", "9007199254740993", true), ("1e2", "100", true),
    ("9223372036854775807", "9223372036854775808", true),
  ])
  func `SCH-13 integers of 64 bits are compared exactly`(
    least: String, content: String, fits: Bool
  ) throws {
    let found = try SchemaValidatorTests.check("{\"minimum\":\(least)}", content)
    #expect(found.isEmpty == fits, "\(found)")
  }

  @Test(arguments: [
    ("0.1", "0.3", true), ("0.01", "19.99", true), ("0.01", "0.0075", false), ("3", "1e300", false),
    ("0.0001", "1e300", true), ("7", "9007199254740995", true), ("1e20", "1e-5", false),
  ])
  func `SCH-13 multiples are those of the decimals as they are spelled`(
    divisor: String, content: String, fits: Bool
  ) throws {
    let found = try SchemaValidatorTests.check("{\"multipleOf\":\(divisor)}", content)
    #expect(found.isEmpty == fits, "\(found)")
  }

  @Test(arguments: [
    (##"{"$ref":"#"}"##, "the schema refers to itself endlessly"),
    (##"{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"$ref":"#"}}}"##, "endlessly"),
    (
      ##"{"$ref":"https://a.test/b"}"##,
      "refers to another document, 'https://a.test/b': schemas are not fetched"
    ),
    (##"{"$ref":"file:///etc/passwd"}"##, "refers to another document, 'file:///etc/passwd'"),
    (
      ##"{"properties":{"x":{"$ref":"#/$defs/none"}}}"##,
      "/properties/x: the reference '#/$defs/none' has no target"
    ),
    (##"{"$ref":"#nowhere"}"##, "there is no such anchor"),
    (##"{"type":"text"}"##, "there is no type 'text'"),
    (##"{"minLength":"3"}"##, "'minLength' must be a whole number of 0 or more"),
    (##"{"pattern":"("}"##, "the pattern '(' cannot be used: "),
    (##"{"items":[{}]}"##, "'items' cannot be an array in draft 2020-12"),
    (
      ##"{"$schema":"http://json-schema.org/draft-07/schema#"}"##,
      "but only draft 2020-12 is supported"
    ),
    (##"5"##, "a schema is an object, true or false"),
    (##"{"$id":"a#b"}"##, "'$id' must not have a fragment"),
  ])
  func `SCH-14 a schema that cannot be used says why and where`(schema: String, message: String)
    throws
  {
    let found = try SchemaValidatorTests.check(schema, "1")
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test func `SCH-15 content and schemas that are deep, hostile or large end with an error`() throws
  {
    let deep = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
    let found = try SchemaValidatorTests.check(##"{"items":{"$ref":"#"}}"##, deep)
    #expect(found == [] || found[0].contains("nested too deeply"), "\(found)")
    let slow = try SchemaValidatorTests.check(
      #"{"pattern":"^(a+)+$"}"#, "\"" + String(repeating: "a", count: 5000) + "!\"")
    #expect(slow[0].contains("matching the pattern"), "\(slow)")
    var doubling = #"{"$defs":{"d0":{"type":"null"}"#
    for level in 1...60 {
      let below = "{\"$ref\":\"#/$defs/d\(level - 1)\"}"
      doubling += ",\"d\(level)\":{\"anyOf\":[\(below),\(below)]}"
    }
    doubling += ##"},"$ref":"#/$defs/d60"}"##
    let endless = try SchemaValidatorTests.check(doubling, "1")
    #expect(endless[0].contains("too many steps"), "\(endless)")
  }

  @Test
  func `SCH-16 a file's schemas refer to its definitions, which are parsed as they are reached`()
    throws
  {
    let text = ##"""
      {"calls":{
      "users/get":{"responses":{"200":{"$ref":"#/$defs/user"}}}
      },"$defs":{
      "user":{"properties":{"boss":{"$ref":"#/$defs/user"},"tags":{"$ref":"#/$defs/a~1b%20c"}}},
      "a/b c":{"type":"array"},
      "unused":{not JSON}
      }}
      """##
    let file = try SchemaFile(Array(text.utf8), name: "x.json")
    let validator = try SchemaValidator("#/calls/users~1get/responses/200", in: file)
    let content = try SchemaValidatorTests.json(#"{"boss":{"boss":{"tags":1}}}"#)
    #expect(try validator.violations(of: content).map(\.pointer) == ["/boss/boss/tags"])
    #expect(try validator.fits(content) == false)
    #expect { _ = try SchemaValidator("#/$defs/unused", in: file) } throws: {
      "\($0)".hasPrefix("x.json:6: is not JSON")
    }
    #expect { _ = try SchemaValidator("#/$defs/none", in: file) } throws: {
      "\($0)" == "x.json: the reference '#/$defs/none' has no target"
    }
  }

  @Test func `SCH-16 schemas of a file share what they refer to, and a broken one harms no other`()
    throws
  {
    let text = ##"""
      {"calls":{
      "a":{"responses":{"200":{"$ref":"#/$defs/u"},"404":{"$ref":"#/$defs/bad"}}},
      "b":{"responses":{"200":{"$ref":"#/$defs/u"},"5XX":{"items":{"$ref":"#/$defs/bad"}}}}
      },"$defs":{
      "u":{"properties":{"id":{"type":"integer"},"boss":{"$ref":"#/$defs/u"}}},
      "bad":{"pattern":"("}
      }}
      """##
    let file = try SchemaFile(Array(text.utf8), name: "x.json")
    let validators = FileValidators(file)
    let content = try SchemaValidatorTests.json(#"{"boss":{"id":"x"}}"#)
    let pointers = ["a/responses/200", "a/responses/404", "b/responses/200", "b/responses/5XX"]
      .map { "#/calls/\($0)" }
    for _ in 0..<2 {
      for pointer in pointers {
        if pointer.hasSuffix("200") {
          let found = try validators.validator(pointer).violations(of: content)
          #expect(found.map(\.pointer) == ["/boss/id"])
        } else {
          #expect { _ = try validators.validator(pointer) } throws: {
            "\($0)".hasPrefix("x.json: #/$defs/bad: the pattern '(' cannot be used")
          }
        }
      }
    }
    // Told of the first that refers to it.
    #expect(SchemaValidator.problems(at: pointers, in: file).map(\.place) == [1])
  }
}
