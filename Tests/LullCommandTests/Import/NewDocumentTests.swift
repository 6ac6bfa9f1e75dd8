import LullCore
import LullTesting
import Testing

@Suite("Documents of Swagger 2.0 and OpenAPI 3.2", .timeLimit(.minutes(20)))
struct NewDocumentTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private static func swagger(_ port: UInt16) -> String {
    """
    {"swagger":"2.0","info":{"title":"Pets","version":"1"},"host":"127.0.0.1:\(port)","basePath":"/v2","schemes":["http"],
     "paths":{
      "/pets/{ids}":{"get":{"operationId":"pets","parameters":[
        {"name":"ids","in":"path","required":true,"type":"array","items":{"type":"integer"}},
        {"name":"csv","in":"query","type":"array","items":{"type":"string"}},
        {"name":"multi","in":"query","type":"array","collectionFormat":"multi","items":{"type":"string"}},
        {"name":"ssv","in":"query","type":"array","collectionFormat":"ssv","items":{"type":"string"}},
        {"name":"pipes","in":"query","type":"array","collectionFormat":"pipes","items":{"type":"string"}},
        {"name":"tsv","in":"query","type":"array","collectionFormat":"tsv","items":{"type":"string"}}]}},
      "/photos":{"post":{"operationId":"photo","parameters":[
        {"name":"photo","in":"formData","type":"file","required":true},{"name":"note","in":"formData","type":"string"}]}},
      "/form":{"post":{"operationId":"form","parameters":[
        {"name":"name","in":"formData","type":"string","required":true},
        {"name":"sizes","in":"formData","type":"array","items":{"type":"integer"}}]}},
      "/body":{"put":{"operationId":"body","parameters":[{"name":"pet","in":"body","schema":{"$ref":"#/definitions/Pet"}},
        {"name":"Authorization","in":"header","type":"string","required":true}]}}},
     "definitions":{"Pet":{"type":"object","properties":{"name":{"type":"string"},"owner":{"type":"string","x-nullable":true}}}}}
    """
  }

  @Test
  func `IMP-155 IMP-156 IMP-158 requests of a Swagger document are sent as it describes them`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write("pets.json", NewDocumentTests.swagger(server.port))
    let (ending, text) = try folder.importing(["openapi", "pets.json"], as: "pets")
    #expect(ending.output == "apis/pets.lua: 4 calls\n", "\(ending)")
    #expect(
      ending.errors
        == "lull: the separators of these lists cannot be imported: pass the joined text as the value: "
        + "'tsv' of GET /pets/{ids}\n")
    try folder.write("p.png", "PNG")
    func call(_ words: String...) throws -> EchoServer.Request {
      let ending = try Child(
        Binaries.lull, ["call", "pets"] + words,
        environment: ["PETS_AUTHORIZATION_KEY": "Key k", "PETS_KEY": "Key k"],
        folder: folder.path
      ).wait()
      #expect(ending.code == 0, "\(ending)\n\(text)")
      return try #require(server.requests.last)
    }
    let list = try call(
      "pets", "--ids", "1", "--ids", "2", "--csv", "a", "--csv", "b", "--multi", "a", "--multi",
      "b",
      "--ssv", "a", "--ssv", "b", "--pipes", "a", "--pipes", "b", "--tsv", "a\tb")
    #expect(
      list.line
        == "GET /v2/pets/1,2?csv=a,b&multi=a&multi=b&ssv=a%20b&pipes=a%7Cb&tsv=a%09b")
    let form = try call("form", "--name", "Ann", "--sizes", "1", "--sizes", "2")
    #expect(form.body == Array("name=Ann&sizes=1,2".utf8))
    let photo = try call("photo", "--photo", "p.png", "--note", "n")
    let parts = String(decoding: photo.body, as: UTF8.self)
    #expect(photo.head.lowercased().contains("content-type: multipart/form-data"))
    #expect(parts.contains("filename=\"p.png\"") && parts.contains("PNG"), "\(parts)")
    let body = try call("body", "--owner", "Bo")
    #expect(body.body == Array(#"{"owner":"Bo"}"#.utf8))
    #expect(body.head.lowercased().contains("authorization: key k"), "\(body.head)")
  }

  @Test func `IMP-154 a Swagger document comes from a file, a pipe or without its kind`() throws {
    let text = NewDocumentTests.swagger(81)
    try folder.write("pets.json", text)
    #expect(
      try lull("import", "pets.json", folder: folder.path).output == "apis/pets.lua: 4 calls\n")
    let first = try #require(folder.text("apis/pets.lua"))
    // Once more is the same.
    #expect(try lull("import", "pets.json", folder: folder.path).code == 0)
    #expect(folder.text("apis/pets.lua") == first)
    let piped = try Child(
      Binaries.lull, ["import", "openapi", "-", "-o", "apis/piped.lua"], folder: folder.path,
      input: .text(text)
    ).wait()
    #expect(piped.output == "apis/piped.lua: 4 calls\n", "\(piped)")
    let only = try lull(
      "import", "openapi", "pets.json", "-o", "apis/only.lua", "--only", "/form", "--base-url",
      "https://b.example/v3", folder: folder.path)
    #expect(only.output == "apis/only.lua: 1 call\n" && only.errors == "", "\(only)")
    #expect(folder.text("apis/only.lua")?.contains("https://b.example/v3") == true)
    for (text, problem) in [
      ("", "pets.json"), (#"{"swagger":"2.0","paths":{}"#, "pets.json:1:"),
      (
        #"{"swagger":"2.0","host":"a.example","schemes":["https"],"paths":{}}"#,
        "no call can be imported"
      ),
      (#"{"swagger":"2.0","paths":{"/a":{"get":{}}}}"#, "--base-url URL"),
    ] {
      try folder.write("pets.json", text)
      let ending = try lull(
        "import", "openapi", "pets.json", "-o", "apis/no.lua", folder: folder.path)
      #expect(ending.code == 3 && ending.errors.contains(problem), "\(ending)")
      #expect(folder.text("apis/no.lua") == nil)
    }
  }

  @Test func `IMP-159 a Swagger document in a file refers to files in its folder`() throws {
    try folder.write(
      "docs/pets.yaml",
      """
      swagger: '2.0'
      host: a.example
      schemes: [https]
      paths:
        /a: {$ref: 'parts/a b.yaml#/item'}
        /b: {get: {parameters: [{$ref: '../secret.yaml#/q'}]}}
      definitions: {Pet: {type: object, properties: {id: {type: integer}}}}
      """)
    try folder.write("secret.yaml", "q: {name: q, in: query, type: string}")
    try folder.write(
      "docs/parts/a b.yaml",
      """
      item: {get: {operationId: a, responses: {'200': {description: x, schema: {$ref: '#/Box'}}, default: {description: x, schema: {type: array, items: {$ref: '#/Box'}}}}}}
      Box: {type: object, properties: {pet: {$ref: '../pets.yaml#/definitions/Pet'}}}
      """)
    let (ending, _) = try folder.importing(["openapi", "docs/pets.yaml"], as: "pets")
    #expect(ending.output == "apis/pets.lua: 1 call, 1 left out\n", "\(ending)")
    #expect(ending.errors.contains("leads outside the document's folder"), "\(ending)")
    let schemas = folder.text("apis/pets.schemas.json") ?? ""
    #expect(
      schemas.contains(
        ##""responses":{"200":{"$ref":"#/$defs/Box"},"default":{"type":"array","items":{"$ref":"#/$defs/Box"}}}"##
      ), "\(schemas)")
    #expect(
      schemas.contains(##""Box":{"type":"object","properties":{"pet":{"$ref":"#/$defs/Pet"}}}"##))
  }

  @Test func `IMP-161 the schema of rows is for types and mocks`() throws {
    let server = try EchoServer { _, _ in
      EchoServer.Answer(
        headers: ["Content-Type: application/x-ndjson"], body: "{\"id\":1}\n{\"id\":2}\n")
    }
    defer { server.stop() }
    func content(_ type: String, _ rest: String = "") -> String {
      "responses: {'200': {content: {\(type): {itemSchema: {$ref: '#/components/schemas/Row'}\(rest)}}}}"
    }
    try folder.write(
      "rows.yaml",
      """
      openapi: 3.2.0
      servers: [{url: 'http://127.0.0.1:\(server.port)'}]
      paths:
        /data: {get: {operationId: data, \(content("application/jsonl", ", examples: {a: {dataValue: [{id: 7}, {id: 8}]}}"))}}
        /rows: {get: {operationId: rows, \(content("application/x-ndjson"))}}
        /seq: {get: {operationId: seq, \(content("application/json-seq"))}}
        /text: {get: {operationId: text, \(content("application/jsonl", ", examples: {a: {dataValue: [1], serializedValue: \"{}\\n\"}}"))}}
        /vendor: {get: {operationId: vendor, \(content("application/vnd.rows"))}}
      components: {schemas: {Row: {type: object, required: [id], properties: {id: {type: integer, minimum: 5}}}}}
      """)
    #expect(try folder.importing(["openapi", "rows.yaml"], as: "rows").ending.errors == "")
    let call = try lull("call", "rows", "rows", "-o", "ndjson", folder: folder.path)
    #expect(call.output == "{\"id\":1}\n{\"id\":2}\n", "\(call)")
    let stream = try lull("call", "rows", "rows", "--stream", folder: folder.path)
    #expect(stream.output == "{\"id\":1}\n{\"id\":2}\n", "\(stream)")
    #expect(try lull("types", "rows", folder: folder.path).code == 0)
    let types = folder.text("apis/types/rows.lua") ?? ""
    #expect(types.contains("rows.Row[]"), "\(types)")
    let mock = try MockProcess(of: "rows", in: folder)
    for (name, body) in [
      ("data", "{\"id\":7}\n{\"id\":8}\n"), ("text", "{}\n"), ("rows", "{\"id\":5}\n"),
      ("seq", "\u{1E}{\"id\":5}\n"), ("vendor", "{\"id\":5}\n"),
    ] {
      #expect(try mock.body("/\(name)") == body, "\(name)")
    }
  }

  @Test func `IMP-164 a whole query is sent as the document describes it, and mocked`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "q.yaml",
      """
      openapi: 3.2.0
      servers: [{url: 'http://127.0.0.1:\(server.port)'}]
      paths:
        /find: {get: {operationId: find, parameters: [{name: selector, in: querystring, content: {application/json: {}}}]}}
        /form:
          get:
            operationId: form
            parameters:
              - name: all
                in: querystring
                content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}, b: {type: array, items: {type: integer}}}}}}
      """)
    let (ending, text) = try folder.importing(["openapi", "q.yaml"], as: "q")
    #expect(
      ending.errors == "lull: the whole query of these calls is one required text: find\n",
      "\(ending)")
    let find = try lull(
      "call", "q", "find", "--selector", #"{"a":[1,"x&y"]}"#, folder: folder.path)
    #expect(find.code == 0, "\(find)\n\(text)")
    #expect(server.requests.last?.line == "GET /find?%7B%22a%22%3A%5B1%2C%22x%26y%22%5D%7D")
    #expect(try lull("call", "q", "find", folder: folder.path).code == 2)
    let form = try lull(
      "call", "q", "form", "--a", "x y", "--b", "1", "--b", "2", folder: folder.path)
    #expect(form.code == 0, "\(form)")
    #expect(server.requests.last?.line == "GET /form?a=x%20y&b=1&b=2")
  }

  @Test func `IMP-165 in files, the folder of the document stands for the folder of its URI`()
    throws
  {
    try folder.write("docs/parts/q.yaml", "q: {name: parts, in: query}")
    try folder.write("docs/q.yaml", "q: {name: docs, in: query}")
    try folder.write("q.yaml", "q: {name: outside, in: query}")
    for (number, (own, reference, key)) in [
      ("https://b.example/x/openapi", "parts/q.yaml#/q", "params = { parts ="),
      ("https://b.example/x/openapi", "https://b.example/x/q.yaml#/q", "params = { docs ="),
      ("https://b.example/x/openapi", "openapi#/components/parameters/own", "params = { own ="),
      ("parts/openapi", "q.yaml#/q", "params = { parts ="),
      ("parts/openapi", "../q.yaml#/q", "params = { docs ="),
      ("parts/openapi", "openapi#/components/parameters/own", "params = { own ="),
      ("parts/openapi", "../../q.yaml#/q", "leads outside the document's folder"),
      ("https://b.example/x/openapi", "../q.yaml#/q", "which is not below the document's $self"),
      (
        "https://b.example/x/openapi", "https://c.example/q.yaml#/q",
        "which is not below the document's $self"
      ),
      ("https://b.example/x/openapi", "..%2Fq.yaml#/q", "leads outside the document's folder"),
    ].enumerated() {
      try folder.write(
        "docs/x.yaml",
        """
        openapi: 3.2.0
        $self: \(own)
        servers: [{url: 'https://a.example'}]
        paths: {/a: {get: {parameters: [{$ref: '\(reference)'}]}}, /b: {get: {}}}
        components: {parameters: {own: {name: own, in: query}}}
        """)
      let (ending, text) = try folder.importing(["openapi", "docs/x.yaml"], as: "x\(number)")
      #expect((text + ending.errors).contains(key), "\(own) \(reference) \(ending)\n\(text)")
    }
  }

  @Test func `EXT-12 what OpenAPI 3.2 describes is exported, and comes back`() throws {
    try folder.write(
      "apis/new.lua",
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "https://a.example" , auth = lull.auth.oauth2_device{
        device_url = "https://l.example/device", token_url = "https://l.example/token", client_id = "me", scope = "r w" } },
        schemas = "new.schemas.json", calls = {
          events = { path = "/events", headers = { Accept = "text/event-stream" } },
          find = { path = "/find?{selector}", params = { selector = "string" } },
          rows = { path = "/rows", headers = { Accept = "application/jsonl" } },
        } }
      """)
    try folder.write(
      "apis/new.schemas.json",
      ##"""
      {"$schema":"https://json-schema.org/draft/2020-12/schema","calls":{
      "rows":{"responses":{"200":{"$ref":"#/$defs/Rows"}}}
      },"$defs":{
      "Rows":{"type":"array","items":{"$ref":"#/$defs/Row"}},
      "Row":{"type":"object","properties":{"id":{"type":"integer"}}}
      }}
      """##)
    let ending = try lull("export", "new", "--openapi", folder: folder.path)
    #expect(ending.code == 0 && ending.errors == "", "\(ending)")
    let root = try JSONDocument(parsing: Array(ending.output.utf8)).root
    func text(_ pointer: String) -> String? {
      root[pointer: pointer].map { element in
        var bytes: [UInt8] = []
        element.encode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    #expect(text("/openapi") == #""3.2.0""#)
    #expect(
      text("/components/securitySchemes/oauth2")
        == #"{"type":"oauth2","flows":{"deviceAuthorization":{"deviceAuthorizationUrl":"https://l.example/device","tokenUrl":"https://l.example/token","scopes":{"r":"","w":""}}}}"#
    )
    #expect(
      text("/paths/~1find/get/parameters")
        == #"[{"name":"selector","in":"querystring","required":true,"content":{"text/plain":{"schema":{"type":"string"}}}}]"#
    )
    #expect(
      text("/paths/~1rows/get/responses/200/content")
        == ##"{"application/jsonl":{"itemSchema":{"$ref":"#/components/schemas/Row"}}}"##)
    #expect(text("/paths/~1events/get/responses/200/content") == #"{"text/event-stream":{}}"#)
    try folder.write("new.json", ending.output)
    let (back, file) = try folder.importing(["openapi", "new.json"], as: "back")
    #expect(back.errors == "lull: the whole query of these calls is one required text: find\n")
    for part in [
      #"find = { path = "/find?{selector}", params = { selector = "string" } }"#,
      #"events = { path = "/events", headers = { Accept = "text/event-stream" } }"#,
      #"rows = { path = "/rows", headers = { Accept = "application/jsonl" } }"#,
      #"device_url = "https://l.example/device""#,
    ] {
      #expect(file.contains(part), "\(part)\n\(file)")
    }
    let schemas = folder.text("apis/back.schemas.json") ?? ""
    #expect(
      schemas.contains(
        ##""rows":{"responses":{"200":{"type":"array","items":{"$ref":"#/$defs/Row"}}}"##),
      "\(schemas)")
  }
}
