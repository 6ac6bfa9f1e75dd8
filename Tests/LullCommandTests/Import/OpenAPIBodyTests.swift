import LullTesting
import Testing

@Suite("Bodies, types and enumerations of OpenAPI", .timeLimit(.minutes(20)))
struct OpenAPIBodyTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func importing(
    _ paths: String, schemas: String = "", version: String = "3.0.3",
    server: String = "https://t.example"
  ) throws -> (ending: Child.Ending, text: String) {
    try folder.write(
      "s.json",
      """
      {"openapi":"\(version)","info":{"title":"S","version":"1"},"servers":[{"url":"\(server)"}],
       "paths":{\(paths)},"components":{"schemas":{\(schemas)}}}
      """)
    return try folder.importing(["openapi", "s.json"], as: "x")
  }

  private func json(_ schema: String) -> String {
    #"{"content":{"application/json":{"schema":\#(schema)}}}"#
  }

  @Test func `IMP-120 a required body without required fields is sent`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    let schema = #"{"type":"object","properties":{"a":{"type":"integer"}}}"#
    func operation(_ name: String, _ type: String, required: Bool) -> String {
      """
      "/\(name)":{"post":{"operationId":"\(name)","responses":{},
        "requestBody":{"required":\(required),"content":{"\(type)":{"schema":\(schema)}}}}}
      """
    }
    let (ending, text) = try importing(
      [
        operation("json", "application/json", required: true),
        operation("form", "application/x-www-form-urlencoded", required: true),
        operation("free", "application/json", required: false),
      ].joined(separator: ","), server: "http://127.0.0.1:\(server.port)")
    #expect(ending.errors == "", "\(ending)")
    #expect(text.ranges(of: "body_required = true").count == 2, "\(text)")
    let sent: [(name: String, body: String, type: String?)] = [
      ("json", "{}", "application/json"), ("form", "", "application/x-www-form-urlencoded"),
      ("free", "", nil),
    ]
    for (name, body, type) in sent {
      #expect(try folder.runLull(["call", "x", name]).code == 0)
      #expect(server.requests.last?.body == Array(body.utf8), "\(name)")
      let head = server.requests.last?.head.lowercased() ?? ""
      #expect(head.contains("content-type: \(type ?? "")") == (type != nil), "\(name) \(head)")
    }
    let exported = try folder.runLull(["export", "x", "--openapi"])
    #expect(exported.output.ranges(of: "\"required\": true").count == 2, "\(exported)")
  }

  @Test func `IMP-121 each type of body has a call, or is listed`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    let file = #"{"type":"object","properties":{"image":{"type":"string","format":"binary"}}}"#
    let link = #"{"type":"object","properties":{"url":{"type":"string"}}}"#
    let (ending, text) = try importing(
      """
      "/x":{"post":{"operationId":"x","responses":{},"requestBody":{"content":{
        "application/json":{"schema":\(link)},"multipart/form-data":{"schema":\(file)},"application/xml":{},
        "text/json":{"schema":\(link)},"application/json; charset=utf-8":{"schema":\(link)}}}}},
      "/y":{"put":{"operationId":"y","responses":{},"requestBody":{"content":{
        "application/json":{"schema":{"$ref":"#/components/schemas/F"}},
        "multipart/form-data":{"schema":{"$ref":"#/components/schemas/F"}}}}}}
      """, schemas: #""F":\#(file)"#, server: "http://127.0.0.1:\(server.port)")
    #expect(
      ending.errors
        == "lull: body types left out, because a call sends one type of body: application/xml (x); application/json (y)\n",
      "\(ending.errors)")
    try folder.write("f.png", "PNG")
    for (words, type) in [
      (["x", "--url", "u"], "application/json"),
      (["x_multipart", "--image", "f.png"], "multipart/form-data"),
      (["y", "--image", "f.png"], "multipart/form-data"),
    ] {
      let call = try folder.runLull(["call", "x"] + words)
      #expect(call.code == 0, "\(call)\n\(text)")
      let head = server.requests.last?.head.lowercased() ?? ""
      #expect(head.contains("content-type: \(type)"), "\(words) \(head)")
    }
  }

  @Test func `IMP-122 a call accepts the types that are documented, JSON first`() throws {
    func operation(_ name: String, _ success: String, _ error: String = "") -> String {
      func content(_ types: String) -> String {
        types.split(separator: " ").map { "\"\($0)\":{}" }.joined(separator: ",")
      }
      return """
        "/\(name)":{"get":{"operationId":"\(name)","responses":{"200":{"description":"","content":{\(content(success))}},
          "default":{"description":"","content":{\(content(error))}}}}}
        """
    }
    let (_, text) = try importing(
      [
        operation("a", "application/xml application/json", "application/problem+json"),
        operation("b", "text/csv;charset=utf-8", "application/json"),
        operation("c", "application/vnd.x+json"), operation("d", "application/json"),
        operation("e", "*/*"), operation("f", ""),
      ].joined(separator: ","))
    let accepted = text.split(separator: "\n").compactMap { line -> String? in
      guard let mark = line.firstRange(of: "Accept = \"") else { return nil }
      return String(line.suffix(from: mark.upperBound).prefix { $0 != "\"" })
    }
    #expect(
      accepted == [
        "application/json, application/xml;q=0.9, application/problem+json;q=0.8",
        "text/csv, application/json;q=0.8", "application/vnd.x+json",
      ], "\(text)")
    let (_, shared) = try importing(
      [operation("a", "application/xml"), operation("b", "application/xml")].joined(separator: ","))
    #expect(shared.contains(#"headers = { Accept = "application/xml" }"#), "\(shared)")
    #expect(shared.ranges(of: "Accept").count == 1, "\(shared)")
  }

  @Test func `IMP-123 nullable of OpenAPI 3.1 is a type or null, and reported`() throws {
    let schema =
      ##"{"type":"object","properties":{"a":{"type":"string","nullable":true},"##
      + ##""b":{"$ref":"#/components/schemas/B","nullable":true},"##
      + ##""c":{"type":["integer"],"nullable":true},"d":{"type":"string","nullable":false}}}"##
    let (ending, _) = try importing(
      "\"/a\":{\"get\":{\"operationId\":\"a\",\"responses\":{\"200\":\(json(schema))}}}",
      schemas: #""B":{"type":"integer"}"#, version: "3.1.0")
    #expect(
      ending.errors.contains("lull: 3 schemas have 'nullable', which OpenAPI 3.1 does not define"),
      "\(ending.errors)")
    let schemas = folder.text("apis/x.schemas.json") ?? ""
    #expect(
      schemas.contains(
        ##""a":{"type":["string","null"]},"b":{"anyOf":[{"$ref":"#/$defs/B"},{"type":"null"}]},"c":{"anyOf":[{"type":["integer"]},{"type":"null"}]},"d":{"type":"string"}"##
      ), "\(schemas)")
  }

  @Test func `IMP-13 IMP-124 schemas that refer to themselves or to nothing are reported`() throws {
    let (ending, _) = try importing(
      """
      "/a":{"get":{"operationId":"a","responses":{"200":\(json(##"{"$ref":"#/components/schemas/A"}"##))}}},
      "/b":{"get":{"operationId":"b","responses":{"200":\(json(##"{"items":{"$ref":"#/components/schemas/None"}}"##))}}},
      "/d":{"get":{"operationId":"d","responses":{"200":\(json(##"{"$ref":"#/components/schemas/Dog"}"##))}}}
      """,
      schemas: ##""A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"},"##
        + ##""Pet":{"oneOf":[{"$ref":"#/components/schemas/Dog"}]},"##
        + ##""Dog":{"allOf":[{"$ref":"#/components/schemas/Pet"}]}"##)
    for told in [
      "leads to itself: any value is accepted in its place",
      "the $ref '#/components/schemas/None' has no target: any value is accepted in its place",
      "refers to itself by 'allOf', 'anyOf' or 'oneOf': 'Dog', 'Pet'",
    ] {
      #expect(ending.errors.contains(told), "\(ending.errors)")
    }
  }

  @Test func `IMP-125 an integer parameter with an enum accepts only its values`() throws {
    let (ending, text) = try importing(
      """
      "/a":{"post":{"operationId":"a","responses":{},"parameters":[
        {"name":"n","in":"query","schema":{"type":"integer","enum":[1,2,2]}},
        {"name":"l","in":"query","schema":{"type":"array","items":{"$ref":"#/components/schemas/N"}}},
        {"name":"one","in":"query","required":true,"schema":{"type":"integer","enum":[7]}}],
        "requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"m":{"oneOf":[
          {"type":"integer","const":3},{"type":"integer","const":4}]}}}}}}}}
      """, schemas: #""N":{"type":"integer","enum":[-1,0]}"#)
    #expect(ending.errors == "", "\(ending)")
    for part in [
      "n = { type = { 1, 2 }, place = \"query\" }", "type = { -1, 0 }, list = true",
      "type = { 7 }, place = \"query\", default = 7", "m = { 3, 4 }",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    let call = try folder.runLull(["call", "x", "a", "--n", "5"])
    #expect(call.code == 2 && call.errors.contains("'--n' must be 1 or 2, got '5'"), "\(call)")
  }
}
