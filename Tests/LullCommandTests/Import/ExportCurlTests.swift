import LullTesting
import Testing

@Suite("lull export --curl", .timeLimit(.minutes(20)))
struct ExportCurlTests {
  private let comparison: CurlComparison
  private var folder: TemporaryFolder { comparison.folder }
  private var server: EchoServer { comparison.server }

  init() throws { comparison = try CurlComparison(file: "one\ntwo\n") }

  private func write(_ calls: String, _ settings: String = "") throws {
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "http://127.0.0.1:\(server.port)/v1", headers = { ["X-V"] = "it's $5" } }
      \(settings)
      return { service = api, calls = { \(calls) } }
      """)
  }

  /// What curl sends with these variables, and what the call sends with these words.
  private func compare(
    _ name: String, _ variables: [String: String], _ words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let exported = try lull(
      "export", "shop", "--curl", "--only", name, "-o", "\(name).sh", folder: folder.path)
    #expect(
      exported.code == 0 && exported.errors == "", "\(exported.errors)",
      sourceLocation: sourceLocation)
    try comparison.expectSame(
      "set -eu; . ./\(name).sh", ["shop", name] + words, variables,
      folder.text("\(name).sh") ?? "", sourceLocation: sourceLocation)
  }

  @Test func `EXT-08 a command line sends what the call sends`() throws {
    try write(
      """
      user = { path = "/users/{id}/{path}?x=1", params = { id = "integer", path = "string" }, description = "One\\n'user' `id` $(id)" },
      list = { path = "/users", params = { ids = { type = "integer[]", required = true }, q = { type = "string", required = true },
        n = { type = "integer", default = 7 }, none = "string", kind = { type = { "a", "b" } },
        where = { type = "object", style = "deepObject", required = true } } },
      head = { path = "/h", method = "HEAD", params = { trace = { type = "string", place = "header", name = "X-Trace", required = true },
        theme = { type = "string", place = "cookie", required = true } } },
      add = { path = "/users", method = "POST", params = { name = { type = "string", required = true },
        age = { type = "integer", required = true }, ok = { type = "boolean", required = true }, tags = { type = "string[]", required = true },
        more = { type = "json", required = true }, note = { type = "string", default = "it's \\"so\\" $5 \\\\ \\n" } } },
      form = { path = "/users", method = "PUT", body = "form", params = { a = { type = "string", required = true }, b = { type = "string", default = "x y" } } },
      parts = { path = "/p", method = "POST", body = "multipart", params = { f = { type = "file", required = true }, a = { type = "string", required = true } } },
      text = { path = "/t", method = "POST", body = "raw", content_type = "text/csv", params = { rows = { type = "string", whole = true, required = true } } },
      file = { path = "/f", method = "PUT", body = "raw", content_type = "text/x", params = { f = { type = "file", whole = true, required = true } } },
      remove = { path = "/users/{id}", method = "DELETE", params = { id = "integer" } },
      """)
    try compare("user", ["id": "7", "path_": "a%20b"], ["--id", "7", "--path", "a b"])
    try compare(
      "list", ["ids": "3", "q": "lua", "where": "v", "where_name": "k"],
      ["--ids", "3", "--q", "lua", "--where", "k=v"])
    try compare("head", ["trace": "t", "theme": "dark"], ["--trace", "t", "--theme", "dark"])
    try compare(
      "add",
      ["name": "Ann Lee", "age": "7", "ok": "true", "tags": "x", "more": "{\"a\":[1]}"],
      [
        "--name", "Ann Lee", "--age", "7", "--ok", "true", "--tags", "x", "--more", "{\"a\":[1]}",
      ])
    try compare("form", ["a": "1"], ["--a", "1"])
    try compare("parts", ["f": "a file.txt", "a": "b"], ["--f", "a file.txt", "--a", "b"])
    try compare("text", ["rows": "a,b"], ["--rows", "a,b"])
    try compare("file", ["f": "a file.txt"], ["--f", "a file.txt"])
    try compare("remove", ["id": "7"], ["--id", "7"])
  }

  @Test func `EXT-08 no two parameters and credentials have one variable`() throws {
    try write(
      """
      a = { path = "/a", params = { ["a-b"] = { type = "string", required = true }, a_b = { type = "string", required = true },
        path = { type = "string", required = true }, path_ = { type = "string", required = true },
        SHOP_KEY = { type = "string", required = true }, where = { type = "object", style = "deepObject", required = true },
        where_name = { type = "string", required = true } } },
      """, "api:configure{ auth = lull.auth.bearer(lull.secret{ env = 'SHOP_KEY' }) }")
    try compare(
      "a",
      [
        "a_b": "1", "a_b_": "2", "path_": "3", "path__": "4", "SHOP_KEY_": "5", "SHOP_KEY": "key",
        "where": "v", "where_name": "k", "where_name_": "6",
      ],
      [
        "--a-b", "1", "--a_b", "2", "--path", "3", "--path-", "4", "--SHOP-KEY", "5", "--where",
        "k=v",
        "--where-name", "6",
      ])
  }

  @Test func `EXT-08 credentials are variables of their own names`() throws {
    let calls = """
      a = { path = "/a", params = { key = { type = "string", default = lull.secret{ env = "SHOP_KEY" } } } },
      b = { path = "/b", method = "POST", params = { pin = { type = "string", default = lull.secret{ env = "SHOP_PIN" } } } },
      c = { path = "/c", headers = { ["X-Token"] = lull.secret{ env = "SHOP_OTHER" } } },
      """
    try write("key = { path = '/k', params = { api_key = { type = 'string', required = true } } }")
    try compare("key", ["api_key": "k"], ["--api-key", "k"])
    let variables = [
      "SHOP_KEY": "k1", "SHOP_PIN": "p\"1", "SHOP_OTHER": "o1", "SHOP_TOKEN": "t1",
      "SHOP_USER": "ann",
      "SHOP_PASSWORD": "s3 cret",
    ]
    var plain = variables
    plain["SHOP_PIN"] = "p1"
    for auth in [
      "lull.auth.bearer(lull.secret{ env = 'SHOP_TOKEN' })",
      "lull.auth.basic(lull.env('SHOP_USER') or '', lull.secret{ env = 'SHOP_PASSWORD' })",
      "lull.auth.basic('ann', lull.secret{ env = 'SHOP_PASSWORD' })",
      "lull.auth.header('X-Key', 'Token ' .. lull.secret{ env = 'SHOP_TOKEN' })",
      "lull.auth.query('pass', lull.secret{ env = 'SHOP_TOKEN' })",
    ] {
      try write(calls, "api:configure{ auth = \(auth) }")
      for name in ["a", "b", "c"] { try compare(name, plain) }
    }
    try write(
      calls,
      "if lull.env('SHOP_TOKEN') then api:configure{ auth = lull.auth.bearer(lull.secret{ env = 'SHOP_TOKEN' }) } end"
    )
    try compare("a", plain)
    let text = folder.text("a.sh") ?? ""
    #expect(text.contains("\"authorization: Bearer $SHOP_TOKEN\""), "\(text)")
    #expect(text.contains("# Set before use: "), "\(text)")
  }

  @Test func `EXT-09 nothing of a file's texts runs`() throws {
    var calls = ""
    let texts = [
      "'; touch ran; '", "$(touch ran)", "`touch ran`", "\\\"; touch ran; \\\"", "a\\ntouch ran",
      "\\r\\ntouch ran",
      "\\27[31m; touch ran", "${x:?}", "]]", "\\\\", "\\u{2028}touch ran", "\\u{202e}", "*", "~",
      "!!", "\\tx",
    ]
    for (number, text) in texts.enumerated() {
      calls += """
        c\(number) = { path = "/c\(number)/{p}", method = "POST", description = "\(text)", headers = { ["X-\(number)"] = "x" },
          params = { p = "string", ["q\(number)"] = { type = "string", name = "\(text)q", default = "\(text)" },
            r = { type = "string", required = true, description = "\(text)" } } },

        """
    }
    try write(calls)
    for form in ["--curl", "--openapi"] {
      let ending = try lull("export", "shop", form, "-o", "out\(form)", folder: folder.path)
      #expect(ending.code == 0, "\(ending.errors)")
    }
    let run = try shell(". ./out--curl", environment: ["p": "p", "r": "r"], folder: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(folder.text("ran") == nil)
    #expect(server.requests.count == texts.count)
    let sent = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    for number in texts.indices {
      let call = try lull(
        "call", "shop", "c\(number)", "--p", "p", "--r", "r", folder: folder.path)
      #expect(call.code == 0, "\(call.errors)")
      #expect(server.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == sent[number])
    }
    let text = folder.text("out--curl") ?? ""
    for line in text.split(separator: "\n") where line.hasPrefix("#") {
      #expect(
        !line.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" || $0 == "\u{2028}" },
        "\(line)")
    }
    let again = try lull(
      "import", "openapi", "out--openapi", "-o", "again.lua", folder: folder.path)
    #expect(again.code == 0 || again.errors.contains("another"), "\(again.errors)")
    #expect(folder.text("ran") == nil)
  }
}
