import LullCore
import LullSchemas
import Testing

@Suite(.timeLimit(.minutes(20))) struct TypeFileTests {
  private static func file(
    _ schemas: String, api: String = "shop", calls: [TypedCall] = [], notes: [String] = []
  ) throws -> AnnotationReader {
    try AnnotationReader(try text(schemas, api: api, calls: calls, notes: notes))
  }

  private static func text(
    _ schemas: String, api: String = "shop", calls: [TypedCall] = [], notes: [String] = []
  ) throws -> String {
    try TypeFile(
      api: api, calls: calls, schemas: try SchemaFile(Array(schemas.utf8), name: "x"), notes: notes
    ).text
  }

  /// The type of a field `f` with that schema.
  private static func type(_ schema: String, _ others: String = "") throws -> String? {
    let reader = try file(
      #"{"$defs":{"t":{"type":"object","properties":{"f":\#(schema)},"required":["f"]}\#(others)}}"#
    )
    return reader.classes["shop.T"]?["f"]
  }

  @Test(arguments: [
    (#"{"type":"string"}"#, "string"), (#"{"type":"integer","format":"int64"}"#, "integer"),
    (#"{"type":["number","null"]}"#, "number|shop.Null"), (#"{}"#, "any"), ("true", "any"),
    (#"{"type":"array","items":{"type":"string"}}"#, "string[]"), (#"{"type":"array"}"#, "any[]"),
    (#"{"type":"array","items":{"type":["string","integer"]}}"#, "(string|integer)[]"),
    (#"{"type":"array","prefixItems":[{"type":"string"}],"items":false}"#, "string[]"),
    (#"{"enum":["a","b-c",1,true,null]}"#, #""a"|"b-c"|1|true|shop.Null"#),
    (#"{"const":"x"}"#, #""x""#), (#"{"type":"string","enum":["a\nb","c"]}"#, "string"),
    (#"{"type":"object","additionalProperties":{"type":"integer"}}"#, "table<string, integer>"),
    (#"{"type":"object"}"#, "table"), (#"{"type":"object","additionalProperties":false}"#, "table"),
    (#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "string|shop.Null"),
    (
      #"{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
      "string|string[]"
    ),
    (#"{"allOf":[{"type":["string","null"]},{"type":"string","maxLength":3}]}"#, "string"),
    (##"{"$ref":"#/$defs/u"}"##, "shop.U"),
    (##"{"$ref":"#/$defs/s","description":"x"}"##, "string"),
    (##"{"$ref":"#/$defs/gone"}"##, "any"), (##"{"$ref":"other.json"}"##, "any"),
    (##"{"$ref":"#/$defs/u/properties/id"}"##, "integer"), (##"{"$ref":"#/$defs/loop"}"##, "any"),
    (##"{"anyOf":[{"$ref":"#/$defs/u"},{"type":"null"}]}"##, "shop.U|shop.Null"),
    (##"{"type":["object","null"],"properties":{"x":{"type":"string"}}}"##, "shop.TF|shop.Null"),
    (##"{"type":"array","items":{"type":"object","properties":{"x":{}}}}"##, "shop.TF[]"),
    (##"{"$ref":"#/$defs/list"}"##, "any[]"), (##"{"$ref":"#/$defs/a%2Bb+c"}"##, "integer"),
    (##"{"$ref":"#named"}"##, "boolean"), (##"{"$ref":"https://a.example/x"}"##, "shop.X"),
    (
      #"{"patternProperties":{"^x_":{"type":"integer"},"^y_":{"type":"number"}},"additionalProperties":{"type":"boolean"}}"#,
      "table<string, integer|number|boolean>"
    ),
    (
      #"{"patternProperties":{"^x_":{"enum":["a"]}},"additionalProperties":{"enum":["a","b"]}}"#,
      #"table<string, "a"|"b">"#
    ),
    (
      #"{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}"#,
      "(string|integer)[]"
    ), ("false", "nil"),
    (#"{"type":"string","oneOf":[{"format":"ipv4"},{"format":"ipv6"}]}"#, "string"),
    (#"{"allOf":[{"type":["number","null"]},{"type":["integer","null"]}]}"#, "shop.Null|integer"),
    (
      ##"{"$id":"https://a.example/own","allOf":[{"$ref":"#/$defs/u"}],"$defs":{"u":{"type":"boolean"}}}"##,
      "boolean"
    ),
  ])
  func `SHP-07 a schema becomes the type that says most of it`(schema: String, type: String) throws
  {
    let others =
      ##","u":{"type":"object","properties":{"id":{"type":"integer"},"u":{"$ref":"#/$defs/u"}}},"s":{"type":"string"},"loop":{"allOf":[{"$ref":"#/$defs/loop"}]},"list":{"type":"array","items":{"$ref":"#/$defs/list"}},"a+b+c":{"type":"integer"},"other":{"$anchor":"named","type":"boolean"},"x":{"$id":"https://a.example/x","type":"object","properties":{"y":{"$ref":"#/$defs/u"}},"$defs":{"u":{"type":"null"}}}"##
    #expect(try TypeFileTests.type(schema, others) == type)
  }

  @Test func `SHP-07 what allOf adds is of the class, and what one branch has is optional`() throws
  {
    let reader = try TypeFileTests.file(
      ##"{"$defs":{"pet":{"allOf":[{"$ref":"#/$defs/named"},{"properties":{"legs":{"type":"integer"}},"required":["legs"]}],"oneOf":[{"properties":{"barks":{"type":"boolean"}}},{"properties":{"meows":{"type":"boolean"}}}],"additionalProperties":{"type":"string"}},"named":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"##
    )
    #expect(
      reader.classes["shop.Pet"] == [
        "name": "string", "legs": "integer", "barks?": "boolean", "meows?": "boolean",
        "[string]": "string",
      ])
  }

  @Test func `SHP-07 schemas that lead to themselves through pointers end`() throws {
    let reader = try TypeFileTests.file(
      ##"{"$defs":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"$ref":"#/$defs/a/properties/b"}}}}}}}"##
    )
    #expect(reader.classes.count < 8)
  }

  @Test func `SHP-07 schemas that fan out without end stay small`() throws {
    var definitions = (0..<40).map { number in
      let next = "\(number + 1)"
      return
        ##""t\##(number)":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/t\##(next)"}},{"type":"object","additionalProperties":{"$ref":"#/$defs/t\##(next)"}}]}"##
    }
    definitions += (0..<40).map { number in
      let next = "#/$defs/p\(number + 1)"
      return
        ##""p\##(number)":{"anyOf":[{"anyOf":[{"$ref":"\##(next)/anyOf/0"}]},{"$ref":"\##(next)"}]}"##
    }
    let text = try TypeFileTests.text("{\"$defs\":{\(definitions.joined(separator: ","))}}")
    #expect(text.utf8.count < 10_000)
  }

  @Test func `SHP-17 what a call says itself counts before the file, with its own definitions`()
    throws
  {
    func root(_ text: String) throws -> OwnSchema {
      .document(try JSONDocument(parsing: Array(text.utf8)).root)
    }
    let schemas =
      ##"{"calls":{"one":{"responses":{"200":{"type":"string"}}},"two":{"responses":{"200":{"$ref":"#/$defs/u"}}}},"$defs":{"u":{"type":"object","properties":{"id":{"type":"integer"}}}}}"##
    let calls = ["one", "two", "three", "four"].map {
      TypedCall(name: $0, method: "GET", path: "/" + $0)
    }
    let own: [String: OwnSchema] = [
      "one": try root(
        ##"{"type":"array","items":{"$ref":"#/$defs/u"},"$defs":{"u":{"type":"object","properties":{"up":{"$ref":"#/$defs/u"},"all":{"$ref":"#"}}}}}"##
      ), "three": .definition("u"), "four": try root("true"),
    ]
    let file = try SchemaFile(Array(schemas.utf8), name: "x")
    let text = try TypeFile(api: "shop", calls: calls, schemas: file, own: own).text
    let reader = try AnnotationReader(text)
    #expect(reader.classes["shop.OneEntity"]?["content"] == "shop.U2[]")
    #expect(reader.classes["shop.U2"] == ["up?": "shop.U2", "all?": "shop.U2[]"])
    #expect(reader.classes["shop.TwoEntity"]?["content"] == "shop.U")
    #expect(reader.classes["shop.U"] == ["id?": "integer"])
    #expect(reader.classes["shop.ThreeEntity"]?["content"] == "shop.U")
    #expect(reader.classes["shop.FourEntity"] == nil)
    let problem = #expect(throws: SchemaProblem.self) {
      try TypeFile(api: "shop", calls: calls, schemas: file, own: ["one": .definition("none")])
    }
    #expect(problem?.message == "call 'one' names the schema 'none', which is not defined")
  }

  @Test func `SHP-08 names and texts of others stay names and texts`() throws {
    let hostile = [
      "\n---@class lull.Evil\nlocal x = os.exit()", "\r\nos.exit()", "]] os.exit() --[[",
      "@class X",
      "| \"x\"", "\"]\nfoo", "end", "private", "x\u{2028}y", "\u{202E}abc", "a\"b", "a'b\"c", "a\\",
      "", " ", "[string]", "---@field x any", "-- luacheck: ignore", "\0", "x\u{7F}", "é", "1", "-",
      "function lull.api(name) os.exit() end",
    ]
    for text in hostile {
      let name = String(decoding: try JSONValue.string(text).encode(), as: UTF8.self)
      let schemas = #"""
        {"calls":{\#(name):{"responses":{"200":{"$ref":"#/$defs/x"}}}},
        "$defs":{\#(name):{"type":"object","description":\#(name),"properties":{\#(name):{"enum":[\#(name)],"description":\#(name)}}},
        "x":{"type":"object","title":\#(name),"properties":{"y":{"const":\#(name)},\#(name):{}},"required":[\#(name)]}}}
        """#
      let call = TypedCall(
        name: text, method: "GET", path: text, description: text,
        parameters: [
          .init(name: text, type: nil, isRequired: true, description: text),
          .init(
            name: "kind", type: TypedCall.Parameter.type(ofWords: [text, "b"]), isRequired: false),
        ])
      let file = try TypeFileTests.text(schemas, api: text, calls: [call], notes: [text])
      do {
        let reader = try AnnotationReader(file)
        #expect(!reader.classes.keys.contains { $0.hasPrefix("lull.") })
      } catch {
        Issue.record("\(text.debugDescription): \(error)\n\(file)")
      }
    }
  }

  @Test func `SHP-08 odd names of calls and parameters are written in quotes`() throws {
    let reader = try TypeFileTests.file(
      #"{"calls":{"repos/get":{"responses":{"200":{"type":"string"}},"parameters":{"since":{"type":"integer"}}}}}"#,
      api: "my-api",
      calls: [
        TypedCall(
          name: "repos/get", method: "GET", path: "/x",
          parameters: [
            .init(name: "x-trace", type: "string", isRequired: false),
            .init(name: "end", type: "string", isRequired: true),
            .init(name: "since", type: nil, isRequired: false),
          ]),
        TypedCall(name: "Repos Get", method: "GET", path: "/y"),
      ])
    #expect(
      reader.classes["my_api.Calls"]
        == ["repos/get": "my_api.ReposGetCall", "Repos Get": "my_api.ReposGetCall2"])
    #expect(
      reader.classes["my_api.ReposGetParams"]
        == ["x-trace": "string|nil", "end": "string", "since?": "integer"])
    #expect(
      reader.overloads["my_api.ReposGetCall"]
        == "fun(params: my_api.ReposGetParams): my_api.ReposGetRequest")
    #expect(reader.overloads["my_api.ReposGetCall2"] == "fun(): lull.Request")
    #expect(reader.classes["my_api.ReposGetEntity"] == ["content": "string"])
    #expect(reader.classes["my_api.API"] == ["calls": "my_api.Calls"])
  }
}
