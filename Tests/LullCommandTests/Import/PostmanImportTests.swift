import Testing

@Suite("Collections of Postman's that become calls", .timeLimit(.minutes(20)))
struct PostmanImportTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func importing(
    _ items: String, _ rest: String = "", version: String = "v2.1.0", words: [String] = []
  ) throws -> (ending: Child.Ending, text: String) {
    let schema = "https://schema.getpostman.com/json/collection/\(version)/collection.json"
    try folder.write(
      "shop.json",
      "{\"info\":{\"name\":\"Shop\",\"schema\":\"\(schema)\"},\"item\":[\(items)]\(rest)}")
    return try folder.importing(["postman", "shop.json"] + words, as: "shop")
  }

  @Test func `IMX-30 folders, variables, bodies and access of a collection are kept`() throws {
    let server = try EchoServer { _, _ in .init(body: "{}") }
    let items = """
      {"name":"Users","auth":{"type":"basic","basic":[{"key":"username","value":"ann"},{"key":"password","value":"hunter2"}]},
       "item":[
        {"name":"Get one","request":{"method":"GET","description":"One of them","url":{"raw":"{{base}}/users/:id?full=true&off=1",
         "host":["{{base}}"],"path":["users",":id"],"query":[{"key":"full","value":"true"},{"key":"off","value":"1","disabled":true}],
         "variable":[{"key":"id","value":"7"}]},"header":[{"key":"X-A","value":"b"},{"key":"X-Off","value":"c","disabled":true}]}},
        {"name":"Open","request":{"auth":{"type":"noauth"},"method":"GET","url":"{{base}}/open"}}]},
      {"name":"Add","event":[{"listen":"test","script":{"exec":["pm.test('x')"]}}],
       "request":{"method":"POST","url":"{{base}}/items/{{kind}}",
       "body":{"mode":"raw","raw":"{\\"name\\":\\"{{name}}\\",\\"n\\":{{n}},\\"ok\\":true}","options":{"raw":{"language":"json"}}}}},
      {"name":"Form","request":{"method":"POST","url":"{{base}}/form","body":{"mode":"urlencoded","urlencoded":[
       {"key":"a","value":"b c"},{"key":"z","value":"1","disabled":true}]}}},
      {"name":"Upload","request":{"method":"POST","url":"{{base}}/up","body":{"mode":"formdata","formdata":[
       {"key":"f","type":"file","src":"a.txt"},{"key":"t","value":"x","type":"text"}]}}},
      {"name":"Ask","request":{"method":"POST","url":"{{base}}/graphql","body":{"mode":"graphql","graphql":{
       "query":"query ($id: ID) { user(id: $id) { name } }","variables":"{\\"id\\": 7}"}}}}
      """
    let rest = """
      ,"variable":[{"key":"base","value":"http://127.0.0.1:\(server.port)"},{"key":"kind","value":"shoe"}],
      "auth":{"type":"bearer","bearer":[{"key":"token","value":"{{token}}","type":"string"}]},
      "event":[{"listen":"prerequest","script":{"exec":["x()"]}}]
      """
    let (ending, text) = try importing(items, rest)
    #expect(ending.code == 0, "\(ending.errors)")
    for part in [
      "[\"users/get_one\"] = {", "path = \"/users/{id}\"", "path = \"/items/shoe\"",
      "\"One of them\"",
      "lull.auth.bearer(lull.secret{ env = \"SHOP_TOKEN\" })", "api:configure(\"/users/*\"",
      "api:configure(\"/open\"",
      "name = { type = \"string\", required = true }", "n = { type = \"json\", required = true }",
      "f = { type = \"file\", required = true, description = \"Such as a.txt\" }",
      "body = \"form\"", "body = \"multipart\"",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    for part in ["hunter", "X-Off", "off =", "pm.test"] {
      #expect(!text.contains(part), "\(part)\n\(text)")
    }
    #expect(ending.errors.contains("left out: 2 pre-request scripts and tests"))
    #expect(
      ending.errors.contains("left out: 3 disabled parameters, headers and fields"))
    let environment = ["SHOP_TOKEN": "t", "SHOP_USER": "ann", "SHOP_PASSWORD": "p"]
    try folder.write("a.txt", "content")
    for (words, line, body) in [
      (["users/get_one"], "GET /users/7?full=true", ""), (["users/open"], "GET /open", ""),
      (
        ["add", "--name", "x", "--n", "[1]"], "POST /items/shoe",
        "{\"name\":\"x\",\"n\":[1],\"ok\":true}"
      ),
      (["form"], "POST /form", "a=b%20c"),
      (
        ["ask"], "POST /graphql",
        "{\"query\":\"query ($id: ID) { user(id: $id) { name } }\",\"variables\":{\"id\":7}}"
      ),
    ] {
      let call = try Child(
        Binaries.lull, ["call", "shop"] + words, environment: environment, folder: folder.path
      ).wait()
      #expect(call.code == 0, "\(call.errors)\n\(text)")
      let sent = try #require(server.requests.last)
      #expect(sent.line == line)
      #expect(
        String(decoding: sent.body, as: UTF8.self).map { $0 }.sorted() == body.map { $0 }.sorted(),
        "\(String(decoding: sent.body, as: UTF8.self))")
      let authorization = sent.head.split(separator: "\r\n").first {
        $0.lowercased().hasPrefix("authorization:")
      }
      switch words[0] {
      case "users/get_one": #expect(authorization?.contains("Basic ") == true)
      case "users/open": #expect(authorization == nil)
      default: #expect(authorization?.hasSuffix("Bearer t") == true)
      }
    }
  }

  @Test func `IMX-121 bodies that Postman does not send and empty forms are no bodies`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    let url = "http://127.0.0.1:\(server.port)"
    let items = """
      {"name":"g","request":{"method":"GET","url":"\(url)/g","body":{"mode":"formdata","formdata":[]}}},
      {"name":"gr","request":{"method":"GET","url":"\(url)/gr","body":{"mode":"raw","raw":"{\\"a\\":1}"}}},
      {"name":"h","request":{"method":"HEAD","url":"\(url)/h","body":{"mode":"urlencoded","urlencoded":[{"key":"a","value":"1"}]}},
        "protocolProfileBehavior":{"disableBodyPruning":true}},
      {"name":"p","request":{"method":"POST","url":"\(url)/p","body":{"mode":"formdata","formdata":[
        {"key":"a","value":"1","type":"text","disabled":true}]}}},
      {"name":"d","request":{"method":"DELETE","url":"\(url)/d","body":{"mode":"urlencoded","urlencoded":[]}}},
      {"name":"f","request":{"method":"POST","url":"\(url)/f","body":{"mode":"file","file":{}}}},
      {"name":"q","request":{"method":"POST","url":"\(url)/q","body":{"mode":"graphql","graphql":{"query":""}}}},
      {"name":"k","request":{"method":"GET","url":"\(url)/k","body":{"mode":"urlencoded","urlencoded":[{"key":"a","value":"1"}]}},
        "protocolProfileBehavior":{"disableBodyPruning":true}}
      """
    let (ending, text) = try importing(items)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(
      ending.errors.contains("left out: 2 bodies of GET and other methods without a body"),
      "\(ending.errors)")
    for name in ["g", "gr", "h", "p", "d", "f", "q"] {
      let call = try folder.runLull(["call", "shop", name])
      #expect(call.code == 0, "\(call)\n\(text)")
      #expect(server.requests.last?.body == [], "\(name)")
      #expect(server.requests.last?.head.lowercased().contains("content-type:") == false, "\(name)")
    }
    #expect(try folder.runLull(["call", "shop", "k"]).code == 0)
    #expect(server.requests.last?.body == Array("a=1".utf8))
  }

  @Test func `IMX-31 QRY-08 keys, OAuth 2 and older collections are understood`() throws {
    let items = """
      {"name":"A","request":{"method":"GET","url":"https://a.example/a","auth":{"type":"apikey",
       "apikey":{"key":"X-Key","value":"hunter2","in":"header"}}}},
      {"name":"B","request":{"method":"GET","url":"https://a.example/b","auth":{"type":"apikey",
       "apikey":{"key":"api_key","value":"hunter3","in":"query"}}}},
      {"name":"C","request":{"method":"GET","url":"https://a.example/c","auth":{"type":"oauth2","oauth2":{
       "accessTokenUrl":"https://a.example/token","grant_type":"client_credentials","clientId":"hunter4",
       "clientSecret":"hunter5","scope":"read"}}}},
      {"name":"D","request":{"method":"GET","url":"https://a.example/d","auth":{"type":"hawk"}}},
      {"name":"E","request":"https://a.example/e"},
      {"name":"F","request":{"method":"GET","url":"https://other.example/f"}}
      """
    let (ending, text) = try importing(items, version: "v2.0.0")
    #expect(ending.code == 0, "\(ending.errors)")
    for part in [
      "lull.auth.header(\"X-Key\"",
      "lull.auth.query(\"api_key\", lull.secret{ env = \"SHOP_API_KEY\" })",
      "oauth2_client_credentials",
      "api:configure(\"/a\", { auth",
      "token_url = \"https://a.example/token\"", "\"/e\"",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    #expect(!text.contains("hunter"))
    #expect(ending.errors.contains("auth of type 'hawk' is not imported"))
    #expect(ending.errors.contains("left out: GET F: the request is for another host"))
  }

  @Test func `IMX-32 a host that a collection does not say is asked for`() throws {
    let items = #"{"name":"A","request":{"method":"GET","url":"{{baseUrl}}/a"}}"#
    let (ending, _) = try importing(items)
    #expect(ending.code == 3)
    #expect(ending.errors.contains("--base-url"), "\(ending.errors)")
    let (second, text) = try importing(items, words: ["--base-url", "https://b.example/v1/"])
    #expect(second.code == 0, "\(second.errors)")
    #expect(text.contains("https://b.example") && text.contains("/v1/a"))
  }

  @Test func `IMX-32 --base-url stands for a host that is a variable behind a scheme`() throws {
    let items = """
      {"name":"a","request":{"method":"GET","url":"https://{{host}}:{{port}}/a"}},
      {"name":"b","request":{"method":"GET","url":"https://{{host}}.shop.example/b"}}
      """
    let (ending, text) = try importing(items, words: ["--base-url", "https://t.example/v1"])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(text.contains("\"https://t.example\"") && text.contains("path = \"/v1/a\""), "\(text)")
    #expect(!text.contains("/b\""), "\(text)")
  }

  @Test func `IMX-33 what is no collection is refused`() throws {
    for (text, part) in [
      ("", "invalid JSON"), ("{}", "not a Postman collection"),
      ("{\"info\":{\"schema\":\"v1\"},\"item\":[]}", "another version"),
      ("{\"info\":{},\"item\":[]}", "no requests"),
    ] {
      try folder.write("x.json", text)
      let ending = try lull("import", "postman", "x.json", folder: folder.path)
      #expect(ending.code == 3)
      #expect(ending.errors.contains(part), "\(ending.errors)")
    }
    let deep = String(repeating: "{\"item\":[", count: 500) + String(repeating: "]}", count: 500)
    try folder.write("x.json", "{\"info\":{},\"item\":[\(deep)]}")
    #expect(try lull("import", "postman", "x.json", folder: folder.path).code == 3)
  }

  @Test func `IMX-25 --only leaves no access of calls that are gone`() throws {
    let items = """
      {"name":"A","request":{"method":"GET","url":"https://a.example/a","auth":{"type":"bearer","bearer":{"token":"hunter2"}}}},
      {"name":"B","request":{"method":"GET","url":"https://a.example/b/:id","auth":{"type":"basic","basic":{"username":"ann","password":"hunter3"}}}},
      {"name":"C","request":{"method":"GET","url":"https://a.example/c","auth":{"type":"digest","digest":{"username":"ann","password":"hunter3"}}}}
      """
    let all = try importing(items)
    #expect(all.text.contains("\"/b/*\"") && all.text.contains("\"/c\""), "\(all.text)")
    let (ending, text) = try importing(items, words: ["--only", "/a", "--only", "/c"])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(!text.contains("/b/") && !text.contains("auth.basic"), "\(text)")
    #expect(text.contains("api:configure(\"/c\""), "\(text)")
  }

  @Test func `IMX-40 names and texts of others never become code`() throws {
    let texts = [
      "]]", "\\\"", "\\n", "\\u0000", "--[[", "]=]", "\\\\", "'", "os.exit(9)", "\\r", "${x}",
      "`id`", "{{", "}}",
      "\\u202e", "end", "\\\" .. os.exit(9) .. \\\"", "\\n]]os.exit(9)--", "%s", "\\u2028",
    ]
    var items: [String] = []
    for number in 0..<600 {
      let text = texts[number % texts.count] + texts[(number * 7 + 3) % texts.count] + "\(number)"
      items.append(
        """
        {"name":"\(text)","request":{"method":"POST","description":"\(text)","url":{"raw":"https://a.example/p\(number)/x",
        "query":[{"key":"\(text)","value":"\(text)"}]},"header":[{"key":"X-A","value":"\(text)"},{"key":"\(text)","value":"b"}],
        "body":{"mode":"urlencoded","urlencoded":[{"key":"\(text)b","value":"\(text)"}]},
        "auth":{"type":"apikey","apikey":[{"key":"key","value":"\(text)"},{"key":"value","value":"\(text)"}]}}}
        """)
    }
    let (ending, text) = try importing(items.joined(separator: ","))
    #expect(ending.code == 0, "\(ending.errors.prefix(2000))")
    let shown = try lull("call", "shop", folder: folder.path)
    #expect(shown.code != 9)
    let loaded = try lull(
      "-e",
      "local n = 0; for _ in pairs(lull.api('shop').calls or {}) do n = n + 1 end; print('loaded')",
      folder: folder.path)
    #expect(
      loaded.code == 0 && loaded.output.contains("loaded"), "\(loaded.errors)\(text.prefix(500))")
  }
}
