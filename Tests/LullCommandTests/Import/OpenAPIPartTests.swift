import LullTesting
import Testing

@Suite("Parts of OpenAPI that one would not think of", .timeLimit(.minutes(20)))
struct OpenAPIPartTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func document(_ paths: String, _ components: String, server: String = "https://t.example")
    -> String
  {
    """
    {"openapi":"3.0.3","info":{"title":"S","version":"1"},"servers":[{"url":"\(server)"}],
     "paths":{\(paths)},"components":{\(components)}}
    """
  }

  @Test func `IMP-36 cookies that let somebody in stand beside those of the call`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "s.json",
      document(
        """
        "/one":{"get":{"operationId":"one","security":[{"sid":[]}],"responses":{},
          "parameters":[{"name":"lang","in":"cookie","schema":{"type":"string"}}]}},
        "/two":{"get":{"operationId":"two","security":[{"sid":[],"tid":[]}],"responses":{},
          "parameters":[{"name":"lang","in":"cookie","schema":{"type":"string"}}]}}
        """,
        """
        "securitySchemes":{"sid":{"type":"apiKey","in":"cookie","name":"sid"},
         "tid":{"type":"apiKey","in":"cookie","name":"tid"}}
        """, server: "http://127.0.0.1:\(server.port)"))
    let (ending, text) = try folder.importing(["openapi", "s.json"], as: "x")
    #expect(ending.code == 0, "\(ending)")
    let environment = ["X_KEY": "a", "X_SID_KEY": "a", "X_TID_KEY": "b"]
    for (words, cookie) in [
      (["one"], "sid=a"), (["one", "--lang", "de"], "lang=de; sid=a"), (["two"], "sid=a; tid=b"),
      (["two", "--lang", "de"], "lang=de; sid=a; tid=b"),
      (["one", "-H", "Cookie: sid=own"], "sid=own"),
      (["two", "-H", "Cookie: tid=own"], "tid=own; sid=a"),
    ] {
      let call = try Child(
        Binaries.lull, ["call", "x"] + words, environment: environment, folder: folder.path
      ).wait()
      #expect(call.code == 0, "\(call)\n\(text)")
      let lines = (server.requests.last?.head ?? "").split(separator: "\r\n").filter {
        $0.lowercased().hasPrefix("cookie:")
      }
      #expect(lines.map { $0.dropFirst(8) } == [cookie[...]], "\(words) \(lines)")
    }
  }

  @Test func `IMP-36 whose name nobody sees counts as there, and what is exported has all of them`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "apis/w.lua",
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "http://127.0.0.1:\(server.port)",
        auth = lull.auth.header("Cookie", lull.secret{ env = "W" }) }, calls = { a = { path = "/a" } } }
      """)
    for (words, cookie) in [([], "sid=admin"), (["-H", "Cookie: sid=guest"], "sid=guest")] {
      let call = try Child(
        Binaries.lull, ["call", "w", "a"] + words, environment: ["W": "sid=admin"],
        folder: folder.path
      ).wait()
      #expect(call.code == 0, "\(call)")
      #expect(server.requests.last?.head.lowercased().contains("cookie: \(cookie)\r\n") == true)
    }
    try folder.write(
      "apis/v.lua",
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "https://a.example", auth = lull.auth.header("Cookie",
        "csrf=" .. lull.secret{ env = "C" } .. "; session=" .. lull.secret{ env = "S" }) }, calls = { a = { path = "/a" } } }
      """)
    let document = try lull("export", "v", "--openapi", folder: folder.path)
    for name in ["csrf", "session"] {
      #expect(document.output.contains("\"name\": \"\(name)\""), "\(document)")
    }
  }

  @Test func `IMP-37 what is only written is in no answer, and need not be`() throws {
    try folder.write(
      "s.json",
      document(
        ##""/u":{"get":{"operationId":"u","responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/User"}}}}}}}"##,
        """
        "schemas":{"User":{"type":"object","required":["id","password"],"properties":{"id":{"type":"integer"},
         "password":{"type":"string","writeOnly":true}}}}
        """))
    #expect(try folder.importing(["openapi", "s.json"], as: "x").ending.code == 0)
    try folder.write(
      "t_test.lua",
      """
      local test = require "lull.test"
      test("an answer", function(t)
        local api = t:api("x")
        api.service:configure{ validate = "fail" }
        t.network:on("GET", "/u", { json = { id = 1 } })
        t.expect(api.calls.u{}):to_succeed()
        t.network:on("GET", "/u", { json = { password = "x" } })
        t.expect(api.calls.u{}):to_fail_with{ kind = "validation" }
      end)
      """)
    let test = try lull("test", "t_test.lua", folder: folder.path)
    #expect(test.code == 0, "\(test)")
    #expect(try lull("types", "x", folder: folder.path).code == 0)
    let types = folder.text("apis/types/x.lua") ?? ""
    #expect(types.contains("---@field id integer\n---@field password? string\n"), "\(types)")
  }

  @Test func `IMP-38 what is said of all other answers is not said of one that is declared`() throws
  {
    try folder.write(
      "s.json",
      document(
        """
        "/u":{"delete":{"operationId":"u","responses":{"204":{"description":""},"default":{"description":"","content":
          {"application/json":{"schema":{"type":"object","properties":{"problem":{"type":"string"}}}}}}}}}
        """, ""))
    #expect(try folder.importing(["openapi", "s.json"], as: "x").ending.code == 0)
    #expect(folder.text("apis/x.schemas.json")?.contains(#""204":true,"default":{"#) == true)
    #expect(try lull("types", "x", folder: folder.path).code == 0)
    let types = folder.text("apis/types/x.lua") ?? ""
    #expect(!types.contains("content x."), "\(types)")
    #expect(try lull("check", "apis/x.lua", folder: folder.path).code == 0)
  }

  @Test func `IMP-39 PAR-19 lists of objects are written in brackets, or told to have no form`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    let items =
      #"{"type":"array","items":{"type":"object","properties":{"price":{"type":"string"}}}}"#
    try folder.write(
      "s.json",
      document(
        """
        "/s":{"post":{"operationId":"s","responses":{},"requestBody":{"content":{"application/x-www-form-urlencoded":{
          "schema":{"type":"object","properties":{"line_items":\(items),"other":\(items)}},
          "encoding":{"line_items":{"style":"deepObject","explode":true}}}}}},
        "get":{"operationId":"g","responses":{},"parameters":[{"name":"filter","in":"query","style":"deepObject","schema":\(items)}]}}
        """, "", server: "http://127.0.0.1:\(server.port)"))
    let (ending, text) = try folder.importing(["openapi", "s.json"], as: "x")
    #expect(
      ending.errors
        == "lull: 1 parameter has lists or objects as elements, which cannot be encoded outside a JSON body: "
        + "pass the encoded text as the value, for example for 'other' of 's'\n",
      "\(ending)")
    #expect(text.contains(#"line_items = { type = "json", style = "deepObject" }"#), "\(text)")
    let value = #"[{"price":"p 1","tags":["a","b"]},{"price":null}]"#
    #expect(try lull("call", "x", "s", "--line-items", value, folder: folder.path).code == 0)
    #expect(
      String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
        == "line_items%5B0%5D%5Bprice%5D=p%201&line_items%5B0%5D%5Btags%5D%5B%5D=a&line_items%5B0%5D%5Btags%5D%5B%5D=b&line_items%5B1%5D%5Bprice%5D="
    )
    let script = try lull(
      "-e", "lull.api('x').calls.g{ filter = { { price = 'x&y' } } }:await()", folder: folder.path)
    #expect(script.code == 0, "\(script)")
    #expect(server.requests.last?.line == "GET /s?filter%5B0%5D%5Bprice%5D=x%26y")
    // And comes out as it went in.
    let document = try lull("export", "x", "--openapi", folder: folder.path)
    #expect(document.output.contains(#""style": "deepObject""#), "\(document)")
    let bad = try lull("call", "x", "s", "--line-items", "[1", folder: folder.path)
    #expect(bad.code == 2, "\(bad)")
  }

  @Test func `IMP-39 PAR-19 objects with lists or objects in them are written in brackets too`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "s.json",
      document(
        """
        "/s":{"post":{"operationId":"s","responses":{},"requestBody":{"content":{"application/x-www-form-urlencoded":{
          "schema":{"type":"object","properties":{
            "shipping":{"anyOf":[{"$ref":"#/components/schemas/shipping"},{"enum":[""],"type":"string"}]},
            "options":{"allOf":[{"$ref":"#/components/schemas/plain"},{"properties":{"tags":{"type":"array","items":{"type":"string"}}}}]},
            "map":{"type":"object","additionalProperties":{"type":"object"}},
            "metadata":{"anyOf":[{"type":"object","additionalProperties":{"type":"string"}},{"enum":[""],"type":"string"}]}}},
          "encoding":{"shipping":{"style":"deepObject"},"options":{"style":"deepObject"},"map":{"style":"deepObject"},
            "metadata":{"style":"deepObject"}}}}}}}
        """,
        #"""
        "schemas":{"plain":{"type":"object","properties":{"name":{"type":"string"}}},
          "shipping":{"type":"object","properties":{"name":{"type":"string"},"address":{"$ref":"#/components/schemas/plain"}}}}
        """#, server: "http://127.0.0.1:\(server.port)"))
    let (ending, text) = try folder.importing(["openapi", "s.json"], as: "x")
    #expect(ending.errors == "", "\(ending)")
    for name in ["shipping", "options", "map"] {
      #expect(text.contains(#"\#(name) = { type = "json", style = "deepObject" }"#), "\(text)")
    }
    #expect(text.contains(#"metadata = { type = "object", style = "deepObject" }"#), "\(text)")
    let words = [
      "call", "x", "s", "--shipping", #"{"name":"Ann","address":{"name":"Home"}}"#, "--options",
      #"{"tags":["a"]}"#, "--metadata", "k=v", "--map", #""""#,
    ]
    let call = try folder.runLull(words)
    #expect(call.code == 0, "\(call)")
    #expect(
      String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
        == "shipping%5Bname%5D=Ann&shipping%5Baddress%5D%5Bname%5D=Home&options%5Btags%5D%5B%5D=a&map=&metadata%5Bk%5D=v"
    )
  }

  @Test
  func `IMP-40 bodies of any type that are texts are files, and lists of parts have brackets`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "s.json",
      document(
        """
        "/u":{"post":{"operationId":"u","responses":{},"requestBody":{"content":{"*/*":{"schema":{"type":"string"}}}}}},
        "/j":{"post":{"operationId":"j","responses":{},"requestBody":{"content":{"*/*":{"schema":{"type":"object"}}}}}},
        "/m":{"post":{"operationId":"m","responses":{},"requestBody":{"content":{"multipart/form-data":{
          "schema":{"type":"object","properties":{"expand":{"type":"array","items":{"type":"string"}}}},
          "encoding":{"expand":{"style":"deepObject","explode":true}}}}}}},
        "/a":{"post":{"operationId":"a","responses":{},"requestBody":{"content":{"application/x-www-form-urlencoded":{
          "schema":{"type":"object","properties":{"created":{"anyOf":[{"type":"object","properties":{"gt":{"type":"integer"}}},{"type":"integer"}]},
            "trial":{"anyOf":[{"enum":["now"]},{"type":"integer"}]},"words":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}]}}},
          "encoding":{"created":{"style":"deepObject"},"trial":{"style":"deepObject"},"words":{"style":"deepObject"}}}}}}}
        """, "", server: "http://127.0.0.1:\(server.port)"))
    let (ending, text) = try folder.importing(["openapi", "s.json"], as: "x")
    #expect(ending.errors == "", "\(ending)")
    #expect(text.contains(#"content_type = "application/octet-stream""#), "\(text)")
    try folder.write("f.pdf", "%PDF")
    #expect(try folder.runLull(["call", "x", "u", "--body", "f.pdf"]).code == 0)
    #expect(server.requests.last?.body == Array("%PDF".utf8))
    #expect(
      server.requests.last?.head.lowercased().contains("content-type: application/octet-stream")
        == true)
    #expect(try folder.runLull(["call", "x", "j", "--body", "{}"]).code == 0)
    #expect(
      server.requests.last?.head.lowercased().contains("content-type: application/json") == true)
    #expect(try folder.runLull(["call", "x", "m", "--expand", "a", "--expand", "b"]).code == 0)
    let body = String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
    #expect(body.split(separator: "name=\"expand[]\"").count == 3, "\(body)")
    #expect(try folder.runLull(["call", "x", "a", "--created", "123"]).code == 0)
    #expect(server.requests.last?.body == Array("created=123".utf8))
    #expect(try folder.runLull(["call", "x", "a", "--created", #"{"gt":5}"#]).code == 0)
    #expect(server.requests.last?.body == Array("created%5Bgt%5D=5".utf8))
    #expect(
      try folder.runLull(["call", "x", "a", "--created", #"{"gt":12345678901234567890}"#]).code == 0
    )
    #expect(server.requests.last?.body == Array("created%5Bgt%5D=12345678901234567890".utf8))
    let words = try folder.runLull(["call", "x", "a", "--trial", "now", "--words", "b"])
    #expect(words.code == 0, "\(words)")
    #expect(server.requests.last?.body == Array("trial=now&words%5B%5D=b".utf8))
  }

  @Test func `IMX-26 recorded forms without a text are made of what is said of their parts`() throws
  {
    try folder.write(
      "r.har",
      """
      {"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"startedDateTime":"2024-01-01T00:00:00Z","time":1,
      "request":{"method":"POST","url":"https://t.example/up","headers":[],"postData":{"mimeType":"multipart/form-data",
      "params":[{"name":"a","value":"1"},{"name":"f","fileName":"x.png","contentType":"image/png"}]}},
      "response":{"status":200,"headers":[],"content":{"size":2,"mimeType":"application/json","text":"{}"}}}]}}
      """)
    let (ending, text) = try folder.importing(["har", "r.har"], as: "x")
    #expect(ending.code == 0, "\(ending)")
    #expect(text.contains("body = \"multipart\"") && text.contains("type = \"file\""), "\(text)")
  }

  @Test func `IMX-35 what else a collection of Postman's says is kept`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "p.json",
      """
      {"info":{"name":"P","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
       "variable":[{"key":"limit","value":25},{"key":"who","value":"ann"}],
       "item":[
        {"name":"a","request":{"method":"GET","header":"X-Tenant: acme\\nX-Other: b","url":{"protocol":"http","host":["127","0","0","1"],
          "port":"\(server.port)","path":["pets",":petId"],"query":[{"key":"limit","value":"{{limit}}"}],"variable":[{"key":"petId","value":"7"}]}}},
        {"name":"q","request":{"method":"POST","url":"http://127.0.0.1:\(server.port)/graphql","body":{"mode":"graphql","graphql":{
          "query":"query Q { user(id: \\"{{who}}\\") { name } }","operationName":"Q"}}}},
        {"name":"f","request":{"method":"POST","url":"http://127.0.0.1:\(server.port)/f","body":{"mode":"formdata","formdata":[
          {"key":"meta","value":"x","type":"text","contentType":"application/json"}]}}}]}
      """)
    let (ending, text) = try folder.importing(["postman", "p.json"], as: "x")
    #expect(ending.code == 0, "\(ending)")
    #expect(
      ending.errors.contains(
        "form part 'meta': the type 'application/json' is not imported"))
    #expect(try lull("call", "x", "a", folder: folder.path).code == 0, "\(text)")
    #expect(server.requests.last?.line == "GET /pets/7?limit=25")
    #expect(
      server.requests.last?.head.lowercased().contains("x-tenant: acme\r\n") == true, "\(text)")
    #expect(try lull("call", "x", "q", folder: folder.path).code == 0, "\(text)")
    let body = String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
    #expect(
      body.contains(#"user(id: \"ann\")"#) && body.contains(#""operationName":"Q""#), "\(body)")
  }
}
