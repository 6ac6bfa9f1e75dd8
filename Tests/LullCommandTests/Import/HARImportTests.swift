import LullCore
import Testing

@Suite("Recorded requests that become calls", .timeLimit(.minutes(20)))
struct HARImportTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("apis/.keep", "")
  }

  private func entry(
    _ method: String, _ url: String, headers: [(String, String)] = [],
    body: (type: String, text: String)? = nil,
    type: String = "application/json"
  ) -> String {
    func quoted(_ text: String) -> String {
      "\""
        + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
          "\r\n", with: "\\r\\n") + "\""
    }
    let lines = headers.map { "{\"name\":\(quoted($0.0)),\"value\":\(quoted($0.1))}" }.joined(
      separator: ",")
    let posted =
      body.map {
        ",\"postData\":{\"mimeType\":\(quoted($0.type)),\"text\":\(quoted($0.text))}"
      } ?? ""
    return """
      {"startedDateTime":"2026-01-02T03:04:05Z","time":1,"request":{"method":\(quoted(method)),"url":\(quoted(url)),
      "headers":[\(lines)]\(posted)},"response":{"status":200,"headers":[{"name":"content-type","value":\(quoted(type))}],
      "content":{"size":0,"mimeType":\(quoted(type))}}}
      """
  }

  private func importing(
    _ entries: [String], _ words: String..., name: String = "shop"
  ) throws -> (ending: Child.Ending, text: String) {
    let log =
      "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"t\",\"version\":\"1\"},\"entries\":[\(entries.joined(separator: ","))]}}"
    try folder.write("\(name).har", log)
    return try folder.importing(["har", "\(name).har"] + words, as: name)
  }

  private let browser = [
    ("User-Agent", "Mozilla/5.0"), ("Sec-Fetch-Mode", "cors"), ("Accept-Language", "en"),
    ("Accept", "application/json"),
    ("X-Tenant", "acme"), ("Authorization", "Bearer hunter2hunter2"), ("Cookie", "sid=hunter3"),
  ]

  @Test func `IMX-20 recorded requests that differ in values only are one call`() throws {
    let base = "https://api.shop.example"
    let (ending, text) = try importing([
      entry("GET", "\(base)/v1/orders?page=1&limit=20", headers: browser),
      entry("GET", "\(base)/v1/orders?page=2&limit=20&q=shoe", headers: browser),
      entry("GET", "\(base)/v1/orders/17", headers: browser),
      entry("GET", "\(base)/v1/orders/18", headers: browser),
      entry(
        "GET", "\(base)/v1/users/6ba7b810-9dad-41d1-80b4-00c04fd430c8/orders/3", headers: browser),
      entry(
        "POST", "\(base)/v1/orders", headers: browser + [("Content-Type", "application/json")],
        body: ("application/json", #"{"item":"shoe","count":1,"note":"x"}"#)),
      entry(
        "POST", "\(base)/v1/orders", headers: browser + [("Content-Type", "application/json")],
        body: ("application/json", #"{"item":"hat","count":2,"pin":{"a":1}}"#)),
      entry("OPTIONS", "\(base)/v1/orders"),
      entry("GET", "https://cdn.example/logo.png", type: "image/png"),
      entry("GET", "\(base)/app.css", type: "text/css"),
      entry("POST", "https://track.example/t"),
    ])
    #expect(ending.code == 0, "\(ending.errors)")
    for part in [
      "base_url = \"https://api.shop.example\"", "[\"X-Tenant\"] = \"acme\"",
      "Accept = \"application/json\"",
      "auth = lull.auth.bearer(lull.secret{ env = \"SHOP_TOKEN\" })",
      "lull.secret{ env = \"SHOP_COOKIE\" }",
      "path = \"/v1/orders/{id}\"", "path = \"/v1/users/{user_id}/orders/{order_id}\"",
      "q = \"string\"",
      "limit = { type = \"integer\", default = 20 }",
      "page = { type = \"integer\", required = true }",
      "item = { type = \"string\", required = true }", "note = \"string\"", "pin = \"json\"",
      "post_orders = {",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    for part in ["hunter", "Mozilla", "shoe", "OPTIONS"] {
      #expect(!text.contains(part), "\(part)")
    }
    #expect(ending.errors.contains("2 for pages, images, styles, scripts and fonts"))
    #expect(ending.errors.contains("preflight requests of browsers (OPTIONS): 1"))
    #expect(ending.errors.contains("1 to https://track.example"))
    #expect(
      ending.output
        == "apis/shop.lua: 4 calls (orders, orders_by_id, users_orders_by_id, post_orders)\n"
        || ending.output.hasPrefix("apis/shop.lua: 4 calls"))
  }

  @Test func `IMX-21 --only says what is imported, now and the next time`() throws {
    let entries = [
      entry("GET", "https://a.example/x"), entry("GET", "https://a.example/x"),
      entry("GET", "https://b.example/v2/y"), entry("GET", "https://b.example/v1/z"),
    ]
    #expect(try importing(entries).text.contains("https://a.example"))
    let (ending, text) = try importing(entries, "--only", "https://b.example/v2", name: "b")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(text.contains("/v2/y") && !text.contains("/v1/z"))
    #expect(try importing(entries, name: "b").text == text)
    let patterns = try importing(entries, "--only", "https://b.example", "--only", "*/z", name: "c")
    #expect(patterns.text.contains("/v1/z") && !patterns.text.contains("/v2/y"))
    #expect(try importing(entries, "--only", "https://nowhere.example", name: "d").ending.code == 3)
    #expect(try importing(entries, "--only", "nothing*", name: "e").ending.code == 2)
  }

  @Test func `IMX-22 values that may be secrets are written nowhere`() throws {
    let random = "Zx81kQ9vT0pLmN4rB7sYw2Uq"
    let base = "https://a.example"
    let form = "a=b&password=hunter2&csrf_token=\(random)"
    let parts =
      "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nhunter5\r\n--B\r\n"
      + "Content-Disposition: form-data; name=\"title\"\r\n\r\nT\r\n--B--\r\n"
    let (ending, text) = try importing([
      entry("GET", "\(base)/a?token=hunter4&cursor=\(random)&n=1", headers: [("X-Trace", random)]),
      entry(
        "POST", "\(base)/login", headers: [("Content-Type", "application/x-www-form-urlencoded")],
        body: ("application/x-www-form-urlencoded", form)),
      entry(
        "POST", "\(base)/json", headers: [("Content-Type", "application/json")],
        body: (
          "application/json",
          #"{"api_key":"hunter3","x":"\#(random)","deep":{"password":"hunter6"}}"#
        )),
      entry(
        "POST", "\(base)/upload", headers: [("Content-Type", "multipart/form-data; boundary=B")],
        body: ("multipart/form-data; boundary=B", parts)),
    ])
    #expect(ending.code == 0, "\(ending.errors)")
    for one in [text, ending.errors, ending.output, folder.text("apis/shop.lua.imported") ?? ""] {
      #expect(!one.contains("hunter") && !one.contains(random), "\(one)")
    }
    for part in [
      "SHOP_PASSWORD", "SHOP_CSRF_TOKEN", "SHOP_API_KEY", "f = { type = \"file\"",
      "body = \"multipart\"",
    ] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
  }

  @Test func `IMX-23 what is no archive, or has nothing of an API, is refused`() throws {
    for (text, part) in [
      ("", "invalid JSON"), ("{}", "'log' is missing"), ("[1]", "not an HTTP Archive"),
      ("{\"log\":{\"entries\":[]}}", "no API requests"),
      ("{\"log\":{\"entries\":[{}]}}", "'request' is missing"),
    ] {
      try folder.write("x.har", text)
      let ending = try lull("import", "har", "x.har", folder: folder.path)
      #expect(ending.code == 3)
      #expect(ending.errors.contains(part), "\(ending.errors)")
      #expect(folder.text("apis/x.lua") == nil)
    }
    #expect(try lull("import", "har", "nowhere.har", folder: folder.path).code == 3)
  }

  @Test func `IMX-24 parts of queries that are no text are kept, or told`() throws {
    let base = "https://a.example"
    let (ending, text) = try importing([
      entry("GET", "\(base)/same?x=%FF&n=1"), entry("GET", "\(base)/same?x=%FF&n=2"),
      entry("GET", "\(base)/other?x=%FF"), entry("GET", "\(base)/other?x=%FE"),
      entry("GET", "\(base)/some"), entry("GET", "\(base)/some?%FF"),
      entry("GET", "\(base)/secret?token=%FF%FEhunter2"),
    ])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(text.contains("path = \"/same?x=%FF\""), "\(text)")
    #expect(
      text.contains("path = \"/some\"") && !text.contains("/other") && !text.contains("hunter"))
    #expect(ending.output.hasSuffix("2 calls (same, some), 3 left out\n"), "\(ending.output)")
    for told in [
      "left out: GET /other: the query has escapes that are not UTF-8 and differ between requests of the same path",
      "left out: GET /some: the query has escapes",
      "left out: GET /secret: the query may have a credential",
    ] {
      #expect(ending.errors.contains(told), "\(told)\n\(ending.errors)")
    }
  }

  @Test func `IMX-120 a body that cannot be read affects only its request`() throws {
    let broken = #""text":"[REDACTED]","encoding":"base64""#
    let posted = entry(
      "POST", "https://api.shop.example/v1/notes",
      body: (type: "application/json", text: #"{"a":1}"#))
    let (ending, text) = try importing([
      entry("GET", "https://api.shop.example/v1/orders?page=1")
        .replacing(#""size":0"#, with: #""size":9,"# + broken),
      entry("GET", "https://api.shop.example/logo", type: "image/png")
        .replacing(#""size":0"#, with: #""size":9,"# + broken),
      posted, posted.replacing(#""text":"#, with: #""_encoding":"base64","text":"#),
    ])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(text.contains("path = \"/v1/orders\"") && !text.contains("logo"), "\(text)")
    #expect(text.contains("a = { type = \"integer\", default = 1 }"), "\(text)")
    #expect(
      ending.errors.contains("POST /v1/notes")
        && ending.errors.contains("the body cannot be read: at"),
      "\(ending.errors)")
  }

  @Test func `IMX-24 what is no method makes no call`() throws {
    let (ending, text) = try importing([
      entry("GET\\nX", "https://a.example/x"), entry("GET", "https://a.example/y"),
    ])
    #expect(ending.code == 0 && !text.contains("/x"), "\(ending)\n\(text)")
    #expect(ending.errors.contains("left out: 1 to URLs other than HTTP"), "\(ending)")
  }

  @Test func `IMX-40 names and texts of recordings never become code`() throws {
    let texts = [
      "]]", "\"", "\n", "\u{0}", "--[[", "]=]", "\\", "'", "os.exit(9)", "\r", "${x}", "`id`", "{{",
      "}}",
      "\u{202e}", "end", "\" .. os.exit(9) .. \"", "\n]]os.exit(9)--", "%s", "\u{2028}",
      "\u{1b}[31m", "%FF",
    ]
    func json(_ text: String) -> String {
      (try? JSONValue.string(text).encode()).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    var entries: [String] = []
    for number in 0..<300 {
      let text = texts[number % texts.count] + texts[(number * 7 + 3) % texts.count] + "\(number)"
      let escaped = text.utf8.map { "%" + String(Int($0) | 256, radix: 16).dropFirst() }.joined()
      entries.append(
        """
        {"startedDateTime":"2026-01-02T03:04:05Z","time":1,"request":{"method":"POST",
        "url":\(json("https://a.example/p\(number)/\(escaped)?\(escaped)=\(escaped)&raw=\(text)")),
        "headers":[{"name":"X-A","value":\(json(text))},{"name":\(json(text)),"value":"b"},{"name":"Content-Type","value":"application/json"}],
        "postData":{"mimeType":\(json("application/json")),"text":\(json("{\(json(text)):\(json(text))}"))}},
        "response":{"status":200,"headers":[],"content":{"size":0,"mimeType":"application/json"}}}
        """)
    }
    let (ending, text) = try importing(entries)
    #expect(ending.code == 0, "\(ending.errors.prefix(2000))")
    #expect(
      !ending.errors.unicodeScalars.contains("\u{1b}") && !text.unicodeScalars.contains("\u{1b}"))
    let loaded = try lull(
      "-e", "local n = 0; for _ in pairs(lull.api('shop').calls) do n = n + 1 end; print(n)",
      folder: folder.path)
    #expect(loaded.code == 0 && loaded.output == "300\n", "\(loaded.errors)\(text.prefix(500))")
    #expect(try lull("call", "shop", folder: folder.path).code == 2)
  }
}
