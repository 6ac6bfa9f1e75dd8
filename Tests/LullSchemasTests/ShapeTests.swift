import LullCore
import LullSchemas
import Testing

@Suite(.timeLimit(.minutes(20))) struct ShapeTests {
  static func shapes(_ samples: [String], of call: String = "users") throws -> TrafficShapes {
    var shapes = TrafficShapes()
    for sample in samples {
      let document = try JSONDocument(parsing: Array(sample.utf8))
      shapes.add(document.root, to: .response("200"), of: call)
    }
    return shapes
  }

  static func text(_ samples: String..., of call: String = "users") throws -> String {
    String(decoding: try shapes(samples, of: call).schemas(in: [call]).encoded(), as: UTF8.self)
  }

  private static func schemas(_ samples: String..., of call: String = "users") throws -> JSONElement
  {
    try JSONDocument(
      parsing: try shapes(samples, of: call).schemas(in: [call]).encoded()
    ).root
  }

  private static func plain(_ element: JSONElement?) -> String {
    var bytes: [UInt8] = []
    element?.encode(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `SHP-01 samples make one shape: kinds united, numbers one, null beside others`() throws
  {
    let schemas = try ShapeTests.schemas(
      #"{"a":1,"b":null,"c":[1,2.5],"d":"x","e":null,"f":[],"g":true}"#,
      #"{"a":1.5,"b":"x","c":[],"d":7,"e":null,"f":[],"g":{"h":1}}"#)
    let user = schemas["$defs"]?["users"]?["properties"]
    #expect(ShapeTests.plain(user?["a"]) == #"{"type":"number"}"#)
    #expect(ShapeTests.plain(user?["b"]) == #"{"type":["string","null"]}"#)
    #expect(ShapeTests.plain(user?["c"]) == #"{"type":"array","items":{"type":"number"}}"#)
    #expect(ShapeTests.plain(user?["d"]) == #"{"type":["integer","string"]}"#)
    #expect(ShapeTests.plain(user?["e"]) == #"{"$comment":"always null"}"#)
    #expect(ShapeTests.plain(user?["f"]) == #"{"type":"array"}"#)
    #expect(
      ShapeTests.plain(user?["g"]) == ##"{"anyOf":[{"$ref":"#/$defs/g"},{"type":"boolean"}]}"##)
  }

  @Test func `SHP-02 a field that was missing once is optional; of one sample nobody knows`() throws
  {
    let several = try ShapeTests.schemas(#"[{"id":1,"nick":"x"},{"id":2},{"id":3}]"#)
    #expect(ShapeTests.plain(several["$defs"]?["user"]?["required"]) == #"["id"]"#)
    #expect(
      ShapeTests.plain(several[pointer: "/calls/users/responses/200"])
        == ##"{"$comment":"seen in 1 sample","type":"array","items":{"$ref":"#/$defs/user"}}"##)
    let one = try ShapeTests.shapes([#"{"id":1,"nick":"x"}"#])
    #expect(one.calls(withOneSampleAmong: ["users"]) == ["users"])
    let two = try ShapeTests.shapes([#"{"id":1,"nick":"x"}"#, #"{"id":1}"#])
    #expect(two.calls(withOneSampleAmong: ["users"]) == [])
    #expect(two.count(of: "users") == 2)
  }

  @Test(arguments: [
    // Numbers, dates, ids, addresses, tokens.
    [#"{"all":{"1":{"n":1},"2":{"n":2}}}"#],
    [#"{"all":{"2026-11-26":1,"2026-11-27":2}}"#],
    [#"{"all":{"48x48":"u","24x24":"v"}}"#],
    [#"{"all":{"9b2c1f34-0c4e-4b52-9a51-2f0c3f5e7a10":1}}"#],
    [#"{"all":{"ann@example.com":1,"ben@example.com":1}}"#],
    [#"{"all":{"user_1842":1,"user_1843":2}}"#],
    [#"{"all":{"AKIA5OSFODNN7EXAMPL3":1}}"#],
    [#"{"all":{"a b c":1,"d e f":2}}"#],
    [#"{"all":{"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz":1}}"#],
    // Others each time.
    [#"{"all":{"ann":1,"ben":2}}"#, #"{"all":{"cyd":3}}"#, #"{"all":{"dee":3}}"#],
    [#"{"all":{"ann":{"a":1,"b":2}}}"#, #"{"all":{"ben":{"a":1,"b":2}}}"#],
    // Many records of one kind.
    [
      #"{"all":{"ann":{"a":1,"b":2},"ben":{"a":1,"b":2},"cyd":{"a":1,"b":2},"dee":{"a":1,"b":2},"eve":{"a":1,"b":2}}}"#
    ],
  ])
  func `SHP-03 what has data for keys is a map`(samples: [String]) throws {
    let text = String(
      decoding: try ShapeTests.shapes(samples).schemas(in: ["users"]).encoded(), as: UTF8.self)
    #expect(text.contains(#""all":{"type":"object","additionalProperties":"#))
    for key in ["abcdef", "ann", "2026", "48", "9b2c", "1842", "AKIA", "a b"] {
      #expect(!text.contains(key))
    }
  }

  @Test(arguments: [
    [#"{"all":{"home":{"a":1,"b":2},"work":{"a":1,"b":2}}}"#],
    [#"{"all":{"line1":"x","line2":"y","sha256":"z","address2":"u"}}"#],
    [#"{"all":{"secret_scanning_push_protection_enabled_for_new_repositories":true,"x":1}}"#],
    [#"{"all":{"first":"x","last":"y"}}"#, #"{"all":{"first":"x"}}"#],
    [
      #"{"all":{"a":"x","b":"y","c":"z","d":"u"}}"#, #"{"all":{"a":"x","b":"y","c":"z","d":"u"}}"#,
      #"{"all":{"a":"x","b":"y","c":"z","d":"u"}}"#,
    ],
  ])
  func `SHP-03 what has names for keys is a record`(samples: [String]) throws {
    let text = String(
      decoding: try ShapeTests.shapes(samples).schemas(in: ["users"]).encoded(), as: UTF8.self)
    #expect(text.contains(##""all":{"$ref":"#/$defs/all"}"##))
    #expect(!text.contains("additionalProperties"))
  }

  @Test func `SHP-03 keys that are data beside fields are apart from these`() throws {
    let text = try ShapeTests.text(#"{"total":2,"next":"x","x-1842":{"id":1},"x-1843":{"id":2}}"#)
    #expect(text.contains(##""additionalProperties":{"$ref":"#/$defs/user"}"##))
    #expect(text.contains(#""required":["total","next"]"#))
    #expect(!text.contains("184"))
  }

  @Test func `SHP-04 neither values nor keys of maps are in what is written`() throws {
    let secrets = [
      "hunter2-hunter2", "sk_live_4eC39HqLyjWDarjtT1zdp7dc", "eyJhbGciOiJIUzI1NiJ9.e30.abc",
      "ann@example.com", "4111111111111111", "2026-11-26T12:00:00Z",
    ]
    var samples: [String] = []
    for secret in secrets {
      samples.append(
        #"{"state":"\#(secret)","list":["\#(secret)"],"by_key":{"\#(secret)":{"\#(secret)":"\#(secret)"}},"n":4111111111111111}"#
      )
    }
    let text = String(
      decoding: try ShapeTests.shapes(samples).schemas(in: ["users"]).encoded(), as: UTF8.self)
    for secret in secrets { #expect(!text.contains(secret)) }
    let types = try TypeFile(
      api: "shop", calls: [TypedCall(name: "users", method: "GET", path: "/users")],
      schemas: SchemaFile(Array(text.utf8), name: "x"))
    for secret in secrets { #expect(!types.text.contains(secret)) }
    #expect(text.contains("by_key"))
  }

  @Test func `SHP-05 records that are alike are one, and a tree refers to itself`() throws {
    let schemas = try ShapeTests.schemas(
      #"{"owner":{"id":1,"name":"a","age":3},"editor":{"id":1,"name":"b","age":4},"readers":[{"id":1,"name":"c","age":5}]}"#,
      of: "page")
    #expect(schemas["$defs"]?.pairs.map(\.key) == ["page", "owner"])
    let tree = try ShapeTests.schemas(
      #"{"name":"a","children":[{"name":"b","children":[{"name":"c","children":[]}]}]}"#, of: "tree"
    )
    #expect(tree["$defs"]?.pairs.map(\.key) == ["tree", "child"])
    #expect(
      ShapeTests.plain(tree[pointer: "/$defs/child/properties/children"])
        == ##"{"type":"array","items":{"$ref":"#/$defs/child"}}"##)
    // Nearly the same under one name is one, something else gets another.
    let names = try ShapeTests.schemas(
      #"{"a":{"user":{"id":1,"name":"x","age":1}},"b":{"user":{"id":1,"name":"x"}},"c":{"user":{"url":"x"}}}"#,
      of: "all")
    #expect(names["$defs"]?.pairs.map(\.key) == ["all", "a", "user", "b", "c", "c_user"])
    #expect(
      ShapeTests.plain(names[pointer: "/$defs/user/required"]) == #"["id","name"]"#)
  }

  @Test
  func `SHP-06 fields stand as they were first seen, and the same samples make the same bytes`()
    throws
  {
    let samples = [#"{"zeta":1,"alpha":{"b":1,"a":2}}"#, #"{"alpha":{"c":1},"mid":2,"zeta":1}"#]
    let text = String(
      decoding: try ShapeTests.shapes(samples).schemas(in: ["users"]).encoded(), as: UTF8.self)
    #expect(text.contains(#""properties":{"zeta":"#) && text.contains(#""mid":{"type""#))
    for _ in 0..<5 {
      let again = try ShapeTests.shapes(samples).schemas(in: ["users"]).encoded()
      #expect(String(decoding: again, as: UTF8.self) == text)
    }
    let file = try SchemaFile(Array(text.utf8), name: "x")
    #expect(file.calls == ["users"] && file.problems().isEmpty)
    #expect(InferredSchemas.isInferred(Array(text.utf8)))
    let former = text.replacing(
      "inferred by lull types; the next run overwrites this file",
      with: "seen by lull types; written anew by it")
    #expect(former != text && InferredSchemas.isInferred(Array(former.utf8)))
    #expect(!InferredSchemas.isInferred(Array(#"{"calls":{}}"#.utf8)))
  }

  @Test func `SHP-06 what is deep or wide ends in anything`() throws {
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    #expect(try ShapeTests.text(deep).contains(#""items":{}"#))
    let wide = (0..<5000).map {
      "\"\(String($0, radix: 26).map { $0.isNumber ? "q" : $0 }.map(String.init).joined())k\($0 % 7)\":1"
    }
    #expect(try ShapeTests.text("{\(wide.joined(separator: ","))}").utf8.count < 100_000)
  }
}
