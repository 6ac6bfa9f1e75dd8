import Testing

@Suite("lull import openapi", .timeLimit(.minutes(20)))
struct OpenAPIImportTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["import", "openapi"] + words, folder: folder.path).wait()
  }

  @Test func `IMP-10 a document becomes a file of calls, and what cannot be called is told`() throws
  {
    try folder.write("shop.yaml", OpenAPISample.text)
    let ending = try run("shop.yaml", "-o", "apis/shop.lua")
    #expect(ending.output == "apis/shop.lua: 4 calls, 1 left out\n")
    #expect(
      ending.errors
        == "lull: left out: GET /elsewhere: the operation has its own server, https://other.example: import it into another file\n"
    )
    #expect(ending.code == 0)
    #expect(folder.text("apis/shop.lua") == OpenAPISample.file)
    let kept = try #require(folder.text("apis/shop.lua.imported"))
    #expect(kept.hasPrefix(OpenAPISample.file))
    #expect(
      kept.dropFirst(OpenAPISample.file.count).wholeMatch(
        of: /-- Schemas as they were imported: [0-9a-f]{64}\n/) != nil)
    // Once more is the same.
    #expect(try run("shop.yaml").output == "apis/shop.lua: 4 calls, 1 left out\n")
    #expect(folder.text("apis/shop.lua") == OpenAPISample.file)
  }

  @Test func `IMP-11 its schemas stand beside it, an entry a line, in the dialect of 2020-12`()
    throws
  {
    try folder.write("shop.yaml", OpenAPISample.text)
    #expect(try run("shop.yaml").code == 0)
    let lines = (folder.text("apis/shop.schemas.json") ?? "").split(separator: "\n").map(
      String.init)
    #expect(lines.first == #"{"$schema":"https://json-schema.org/draft/2020-12/schema","calls":{"#)
    #expect(
      lines.contains(
        ##""orders/add":{"body":{"$ref":"#/$defs/Order"},"parameters":{"X-Trace":{"type":"string"}}},"##
      ))
    let order =
      #""Order":{"type":"object","required":["item"],"properties":{"item":{"type":"string","description":"What it is"},"#
      + #""count":{"type":["integer","null"],"exclusiveMinimum":0},"tags":{"type":"array","items":{"type":"string"}},"#
      + ##""owner":{"$ref":"#/$defs/Person"},"id":{"type":"string","readOnly":true}}},"##
    #expect(lines.contains(order))
    #expect(
      lines.contains(
        ##""Person":{"type":"object","properties":{"friend":{"$ref":"#/$defs/Person"}}},"##))
    #expect(lines.last == "}}")
  }

  @Test func `IMP-12 documents that are no OpenAPI 3 are refused with their place`() throws {
    for (name, text, problem) in [
      ("a.json", "{\n  \"openapi\": 3,,\n}", "a.json:2:"),
      ("b.yaml", "a: 1\nb: [", "b.yaml:3:1: "),
      (
        "c.json", #"{"swagger":"1.2","paths":{}}"#,
        "the document is Swagger 1.2, but only 2.0 is supported"
      ),
      ("d.json", #"{"openapi":"4.0.0","paths":{}}"#, "the document is OpenAPI 4.0.0"),
      ("e.json", "[]", "not an OpenAPI document"),
      ("f.json", #"{"openapi":"3.0.0"}"#, "the document has no 'paths'"),
      ("g.json", #"{"openapi":"3.0.0","paths":{"/":{"get":{}}}}"#, "--base-url URL"),
      (
        "h.json", #"{"openapi":"3.0.0","servers":[{"url":"https://a.example"}],"paths":{}}"#,
        "no call can be imported"
      ),
    ] as [(String, String, String)] {
      try folder.write(name, text)
      let ending = try run(name, "-o", "apis/x.lua")
      #expect(ending.code == 3 && ending.errors.contains(problem), "\(name) \(ending.errors)")
      #expect(folder.text("apis/x.lua") == nil)
    }
    #expect(try run("none.json").errors.contains("none.json: No such file or directory"))
    #expect(try run("g.json", "-o", "apis/x.lua", "--base-url", "https://a.example/v2").code == 0)
    #expect(folder.text("apis/x.lua")?.contains("base_url = \"https://a.example/v2\"") == true)
    for words in [
      ["g.json", "-o", "x"], ["g.json", "--base-url", "x"], ["g.json", "--only", ""], [""],
    ] {
      #expect(
        try Child(Binaries.lull, ["import", "openapi"] + words, folder: folder.path).wait().code
          == 2)
    }
    #expect(
      try Child(Binaries.lull, ["import", "soap", "x"], folder: folder.path).wait().code == 2)
  }

  @Test func `IMP-13 references lead to files in the document's folder and nowhere else`() throws {
    func document(_ reference: String) -> String {
      """
      {"openapi":"3.1.0","servers":[{"url":"https://a.example"}],
       "paths":{"/ok":{"get":{}},"/x":{"get":{"parameters":[{"$ref":"\(reference)"}]}}}}
      """
    }
    try folder.write("secret.json", #"{"name":"q","in":"query"}"#)
    try folder.write(
      "docs/parts/more.yaml",
      "a b/c: {name: q, in: query, schema: {type: integer}}\nloop: {$ref: '#/loop'}\n")
    _ = try shell("ln -s ../secret.json docs/link.json", folder: folder.path)
    for (reference, problem) in [
      ("../secret.json", "leads outside the document's folder"),
      ("link.json", "leads outside the document's folder"),
      ("/etc/passwd", "leads outside the document's folder"),
      ("file:///etc/passwd", "leads outside its folder"),
      ("https://other.example/x.json", "leads outside its folder"),
      ("parts/none.yaml", "leads to a missing file"),
      ("parts/more.yaml#/loop", "leads to itself"), ("parts/more.yaml#/none", "has no target"),
      ("parts/more.yaml#name", "is not a JSON Pointer"),
      ("%2e%2e/secret.json", "leads outside the document's folder"),
      ("a\\u0000b", "is not a file name"),
    ] {
      try folder.write("docs/x.json", document(reference))
      let ending = try run("docs/x.json", "-o", "apis/\(UInt32.random(in: 0...(.max))).lua")
      #expect(ending.code == 0 && ending.errors.contains(problem), "\(reference) \(ending.errors)")
    }
    try folder.write("docs/x.json", document("parts/more.yaml#/a%20b~1c"))
    let ending = try run("docs/x.json")
    #expect(ending.errors == "")
    #expect(folder.text("apis/x.lua")?.contains(#"params = { q = "integer" }"#) == true)
  }

  @Test func `IMP-14 a file that was not imported stays as it is`() throws {
    try folder.write("shop.yaml", OpenAPISample.text)
    try folder.write("apis/shop.lua", "return 1\n")
    let ending = try run("shop.yaml")
    #expect(ending.code == 3)
    #expect(
      ending.errors
        == "lull: 'apis/shop.lua' was not written by lull import and is left unchanged: name another file with -o, or move this file away\n"
    )
    #expect(folder.text("apis/shop.lua") == "return 1\n")
    #expect(folder.text("apis/shop.schemas.json") == nil)
  }

  @Test func `IMP-15 what was imported in part is imported so again, and edits stay`() throws {
    try folder.write("shop.yaml", OpenAPISample.text)
    #expect(
      try run("shop.yaml", "--only", "orders", "--only", "ph?to").output
        == "apis/shop.lua: 3 calls\n")
    let imported = try #require(folder.text("apis/shop.lua"))
    #expect(imported.contains("-- Only: orders\n-- Only: ph?to\n"))
    try folder.write(
      "apis/shop.lua",
      imported.replacing(
        "page = \"integer\",\n", with: "page = { type = \"integer\", default = 1 },\n"))
    try folder.write(
      "shop.yaml",
      OpenAPISample.text.replacing(
        "tags: {type: array, items: {type: string}}", with: "tags: {type: string}"))
    #expect(try run("shop.yaml").output == "apis/shop.lua: 3 calls\n")
    let merged = try #require(folder.text("apis/shop.lua"))
    #expect(merged.contains("page = { type = \"integer\", default = 1 },\n"))
    #expect(merged.contains("tags = \"string\",\n"))
    try folder.write(
      "shop.yaml",
      OpenAPISample.text.replacing(
        "schema: {type: integer, minimum: 0}", with: "schema: {type: string}"))
    let ending = try run("shop.yaml")
    #expect(ending.code == 1)
    #expect(
      ending.errors.contains(
        "'orders/list.params.page' is changed both here and in the document, which has \"string\"\n"
      ))
    #expect(ending.errors.hasPrefix("apis/shop.lua:21: "))
    #expect(folder.text("apis/shop.lua") == merged)
    #expect(try run("shop.yaml", "--only", "*none").code == 2)
  }

  @Test func `IMP-16 ten thousand hostile operations are imported, and nothing of them runs`()
    throws
  {
    let hostile = [
      "a\\n]] os.exit(7) --", "\\\"}, os.exit(7), {\\\"", "--[[", "x\\u0000y", "\\u202e\\u2066",
      "'; os.exit(7)", "\\\\",
      "${os.exit(7)}", "]==]", "- -", "end", "\\r\\nreturn os.exit(7)", "\\u2028", " ",
      "é\\ud83d\\ude00",
    ]
    var paths: [String] = []
    for number in 0..<10_000 {
      let text = hostile[number % hostile.count]
      paths.append(
        """
        "/p\(number)/{a}":{"get":{"operationId":"\(text)\(number)","summary":"\(text)","tags":["\(text)"],
        "parameters":[{"name":"a","in":"path","description":"\(text)","schema":{"type":"string"}},
        {"name":"\(text)","in":"query","schema":{"enum":["\(text)","x"]}}]}}
        """)
    }
    try folder.write(
      "h.json",
      #"{"openapi":"3.1.0","info":{"title":"]]\n--[[ os.exit(7)"},"servers":[{"url":"https://a.example"}],"paths":{"#
        + paths.joined(separator: ",") + "}}")
    let ending = try run("h.json", "-o", "apis/h.lua")
    #expect(
      ending.code == 0 && ending.output == "apis/h.lua: 10,000 calls\n",
      "\(ending.errors.prefix(500))")
    let count = try Child(
      Binaries.lull,
      ["-e", "local n = 0 for name, call in pairs(lull.api('h').calls) do n = n + 1 end print(n)"],
      folder: folder.path
    ).wait()
    #expect(count.output == "10000\n" && count.errors == "", "\(count.errors.prefix(500))")
    let call = try Child(
      Binaries.lull,
      [
        "-e",
        "for _, call in pairs(lull.api('h').calls) do assert(call:resource{ a = 'x/y' }.url:find('x%%2Fy$')) end print 'fine'",
      ],
      folder: folder.path
    ).wait()
    #expect(call.output == "fine\n", "\(call.errors.prefix(500))")
  }

  @Test func `IMP-28 what JSON Schema has not is left out of the schemas`() throws {
    try folder.write(
      "x.json",
      #"""
      {"openapi":"3.1.0","servers":[{"url":"https://a.example"}],"paths":{"/a":{"get":{"responses":{"200":{"description":"",
      "content":{"application/json":{"schema":{"type":"object","$recursiveAnchor":true,"properties":{
      "a":{"type":"string","pattern":"[\\p{Print}]+"},"b":{"type":"long"},"c":{"type":["double","null"]},"d":{"$recursiveRef":"#","minLength":-1,"enum":"x"},
      "e":{"type":"string","pattern":"^[a-z]+$"}},
      "patternProperties":{"[":{"type":"null"},"^x":{"type":"null"}}}}}}}}}}}
      """#)
    let ending = try run("x.json", "-o", "apis/x.lua")
    #expect(ending.code == 0)
    for told in [
      "lull: left out of the schemas: 2 patterns that are not regular expressions of ECMA-262, such as '[\\p{Print}]+'\n",
      "lull: left out of the schemas: 2 types that are not in JSON, such as 'long'\n",
      "lull: left out of the schemas: 3 keywords, or invalid values of keywords, such as '$recursiveRef'\n",
    ] {
      #expect(ending.errors.contains(told), "\(told)\n\(ending.errors)")
    }
    let schemas = folder.text("apis/x.schemas.json") ?? ""
    #expect(
      schemas.contains(
        ##""properties":{"a":{"type":"string"},"b":{},"c":{"type":["null"]},"d":{},"e":{"type":"string","pattern":"^[a-z]+$"}},"patternProperties":{"^x":{"type":"null"}}"##
      ), "\(schemas)")
    let checked = try Child(Binaries.lull, ["check", "apis/x.lua"], folder: folder.path).wait()
    #expect(checked.code == 0 && checked.output == "", "\(checked.output)")
  }

  @Test
  func `IMP-25 a document of a URL is fetched, and nothing that lets somebody in is written down`()
    throws
  {
    let server = try FormServer { request, _ in
      switch request.line {
      case "GET /docs/openapi.yaml?key=s3cret":
        (
          200,
          """
          openapi: 3.0.0
          servers: [{url: ../v2}]
          paths:
            /a: {get: {parameters: [{$ref: 'more.yaml#/q'}], responses: {}}}
          """
        )
      case "GET /docs/more.yaml": (200, "q: {name: q, in: query, schema: {type: boolean}}")
      default: (404, "")
      }
    }
    defer { server.stop() }
    let ending = try run("\(server.url)/docs/openapi.yaml?key=s3cret", "-o", "apis/x.lua")
    #expect(ending.errors == "" && ending.code == 0)
    let text = try #require(folder.text("apis/x.lua"))
    #expect(
      text.hasPrefix(
        "-- Imported by: lull import openapi \(server.url)/docs/openapi.yaml -o apis/x.lua\n"))
    #expect(text.contains("base_url = \"\(server.url)/v2\""))
    #expect(text.contains("params = { q = \"boolean\" }"))
    #expect(!text.contains("s3cret"))
    let missing = try run("\(server.url)/none.yaml", "-o", "apis/y.lua")
    #expect(missing.code == 3 && missing.errors.contains("404"), "\(missing.errors)")
    let away = try run("http://127.0.0.1:1/x.yaml", "-o", "apis/y.lua")
    #expect(away.code == 3 && folder.text("apis/y.lua") == nil)
  }

  @Test func `MCK-29 a body that must come, of fields that need not, is told of in its entry`()
    throws
  {
    try folder.write(
      "shop.yaml",
      """
      openapi: 3.1.0
      servers: [{url: 'https://shop.example'}]
      paths:
        /a:
          post:
            operationId: must
            requestBody: {required: true, content: {application/json: {schema: &s {type: object, properties: {x: {type: string}}}}}}
          put:
            operationId: may
            requestBody: {content: {application/json: {schema: *s}}}
        /b:
          post:
            operationId: form
            requestBody: {$ref: '#/components/requestBodies/form'}
          put:
            operationId: field
            requestBody:
              required: true
              content: {application/x-www-form-urlencoded: {schema: {type: object, required: [x], properties: {x: {type: string}}}}}
      components:
        requestBodies:
          form: {required: true, content: {application/x-www-form-urlencoded: {schema: *s}}}
      """)
    let ending = try run("shop.yaml")
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = (folder.text("apis/shop.schemas.json") ?? "").split(separator: "\n")
    let required = lines.filter { $0.contains(#""body_required":true"#) }
    // A form without fields is empty, and no body is empty too.
    #expect(required.map { $0.prefix { $0 != ":" } } == ["\"must\""], "\(lines)")
  }
}
