import Testing

/// Queries as lines of curl, and as calls that are imported.
@Suite("Queries: curl and import", .timeLimit(.minutes(20)))
struct QueryCurlTests {
  private let folder: TemporaryFolder
  private let server: EchoServer
  private var url: String { "http://127.0.0.1:\(server.port)" }

  init() throws {
    folder = try TemporaryFolder()
    server = try EchoServer { _, _ in
      .init(headers: ["Content-Type: application/json"], body: "{}")
    }
    try folder.write("q.json", "{\"a\": [1, 2.0],\n \"b\": \"it's $5\"}")
    try folder.write("q.bin", [0xFF, 0x00, 0xFE, 0x0A])
    try folder.write("q.sql", "SELECT 'a b'\n")
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "\(url)" }, calls = {
        find = { method = "QUERY", path = "/find", params = { term = "string", n = "integer" } },
        search = { method = "POST", safe = true, path = "/search", params = { term = "string", n = "integer" } },
        form = { method = "QUERY", path = "/form", body = "form", params = { term = "string", n = "integer" } },
        sql = { method = "QUERY", path = "/sql", body = "raw", content_type = "application/sql",
          params = { q = { place = "body", whole = true } } },
        file = { method = "POST", safe = true, path = "/file", body = "raw", params = { q = { type = "file", whole = true } } },
        none = { method = "QUERY", path = "/none" },
      } }
      """)
  }

  /// What of a request makes it what it is: method, target, content type and body.
  private func parts(_ request: EchoServer.Request) -> [String] {
    let type = request.head.split(separator: "\r\n")
      .first { $0.lowercased().hasPrefix("content-type:") }?.dropFirst("content-type:".count)
    return [
      request.line, String(type?.drop { $0 == " " } ?? "none"),
      request.body.map { String($0) }.joined(separator: " "),
    ]
  }

  @Test(arguments: [
    ["query", "/s", "a=x y", "b:=[1,2.50]"], ["query", "/s", "a=1", "--query-method", "POST"],
    ["query", "/s", "--form", "a=x y", "b=it's"], ["query", "/s", "-d", "SELECT 'a'"],
    ["query", "/s?x=1", "-d", "@q.json"], ["query", "/s", "@q.json"],
    ["query", "/s", "-d", "@q.bin"],
    ["query", "/s", "-d", "@q.sql", "-H", "Content-Type: application/sql"],
    ["query", "/s", "-d", "", "-H", "Content-Type: text/plain"],
    ["query", "/s", "--raw", "@not a file"],
    ["call", "shop", "find", "--term", "it's \"so\" $5", "--n", "3"],
    ["call", "shop", "search", "--term", "tea"],
    ["call", "shop", "form", "--term", "a b", "--n", "3"],
    ["call", "shop", "sql", "--q", "SELECT 'é'\n"], ["call", "shop", "file", "--q", "q.bin"],
    ["call", "shop", "none"],
  ])
  func `QUERY-55 the line of --curl sends what the command sends`(words: [String]) throws {
    defer { server.stop() }
    var words = words
    if words[0] == "query" { words[1] = url + words[1] }
    let sent = try Child(Binaries.lull, words, folder: folder.path, input: .nothing).wait()
    #expect(sent.code == 0, "\(sent)")
    let line = try Child(
      Binaries.lull, words + ["--curl"], folder: folder.path, input: .nothing
    ).wait()
    #expect(line.code == 0 && line.errors == "", "\(line)")
    let ending = try shell(line.output, folder: folder.path)
    #expect(ending.code == 0, "\(line.output)\n\(ending)")
    let requests = server.requests
    try #require(requests.count == 2, "\(line.output)")
    #expect(parts(requests[0]) == parts(requests[1]), "\(line.output)")
    #expect(requests[0].line.hasPrefix("QUERY ") || requests[0].line.hasPrefix("POST "))
  }

  @Test func `QUERY-55 an exported call sends what the call sends`() throws {
    defer { server.stop() }
    for name in ["find", "search", "form", "none"] {
      let count = server.requests.count
      let exported = try run(["export", "shop", "--curl", "--only", name])
      #expect(exported.code == 0, "\(exported)")
      #expect(try shell(exported.output, folder: folder.path).code == 0, "\(exported.output)")
      let called = try run(["call", "shop", name])
      #expect(called.code == 0, "\(called)")
      let requests = server.requests.suffix(2).map(parts)
      #expect(
        server.requests.count == count + 2 && requests[0] == requests[1], "\(exported.output)")
    }
  }

  private func run(_ words: [String]) throws -> Child.Ending {
    try Child(Binaries.lull, words, folder: folder.path, input: .nothing).wait()
  }

  @Test func `QUERY-43 an empty body needs a type, and a query of a call needs a body`() throws {
    defer { server.stop() }
    for words in [["-d", ""], ["-d", "@/dev/null"], ["--raw", ""]] {
      let ending = try run(["query", url + "/s"] + words)
      #expect(ending.code == 2, "\(ending)")
      #expect(ending.errors.hasPrefix("lull: the body of the query is empty"), "\(ending)")
    }
    let missing = try run(["call", "shop", "sql"])
    #expect(missing.code == 2, "\(missing)")
    #expect(missing.errors.contains("call 'sql' reads with a body, and has none"), "\(missing)")
    let script = try run(
      ["-e", "require('lull').api('shop').calls.sql{}"])
    #expect(script.errors.contains("pass the parameter 'q'"), "\(script)")
    #expect(server.requests.isEmpty)
    let empty = try run(["query", url + "/s", "-d", "", "-H", "Content-Type: text/plain"])
    #expect(empty.code == 0, "\(empty)")
    let piped = try Child(
      Binaries.lull, ["call", "shop", "sql"], folder: folder.path, input: .text("SELECT 1")
    ).wait()
    #expect(piped.code == 0, "\(piped)")
    #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["", "SELECT 1"])
    #expect(server.requests.allSatisfy { $0.head.lowercased().contains("content-type:") })
  }

  @Test func `QUERY-44 the file of a call is the content of its query`() throws {
    defer { server.stop() }
    let script = """
      local calls = require("lull").api("shop").calls
      local search = calls.file:resource{ q = "q.bin" }
      print(search.method, #search.body, search == calls.file:resource{ q = "q.bin" })
      print(search == calls.file:resource{ q = "q.sql" })
      print(pcall(calls.file.resource, calls.file, { q = "missing.bin" }))
      """
    let ending = try run(["-e", script])
    #expect(ending.output.hasPrefix("POST\t4\ttrue\nfalse\nfalse\t"), "\(ending)")
    #expect(ending.output.contains("missing.bin"), "\(ending)")
    try folder.write(
      "apis/parts.lua",
      """
      return { service = require("lull").service "\(url)", calls = {
        parts = { method = "POST", safe = true, path = "/p", body = "multipart", params = { a = "string" } },
      } }
      """)
    let check = try run(["check", "apis/parts.lua"])
    #expect(check.code != 0 && (check.output + check.errors).contains("multipart form"), "\(check)")
  }

  @Test func `QUERY-56 curl, Postman and recordings become calls that read`() throws {
    defer { server.stop() }
    for (number, (command, body)) in [
      (#"curl -X QUERY \#(url)/s --json '{"a":1}'"#, #"{"a":1}"#),
      (
        #"curl --request QUERY \#(url)/s -H 'Content-Type: application/sql' --data-raw 'SELECT 1'"#,
        "SELECT 1"
      ),
      (#"curl -X QUERY \#(url)/s -d a=1 -d b=2"#, "a=1&b=2"),
    ].enumerated() {
      let ending = try run(["import", "curl", command, "-o", "curl\(number).lua"])
      #expect(ending.code == 0, "\(ending)")
      #expect(try run(["check", "curl\(number).lua"]).code == 0)
      #expect(try run(["call", "./curl\(number).lua", "query_s"]).code == 0)
      let request = try #require(server.requests.last)
      #expect(request.line == "QUERY /s" && String(decoding: request.body, as: UTF8.self) == body)
    }
    try folder.write(
      "postman.json",
      """
      {"info":{"name":"x","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
       "item":[{"name":"find","request":{"method":"QUERY","url":"\(url)/s",
        "header":[{"key":"Content-Type","value":"application/json"}],"body":{"mode":"raw","raw":"{\\"a\\":1}"}}}]}
      """)
    #expect(try run(["import", "postman", "postman.json", "-o", "postman.lua"]).code == 0)
    #expect(try run(["call", "./postman.lua", "find"]).code == 0)
    #expect(server.requests.last?.line == "QUERY /s")
    // A recording of Lull marks a POST that is declared safe. One of a browser does not.
    let sample = try SampleAPI()
    try folder.write(
      "search_test.lua",
      """
      require("lull.test")("records", function(t)
        local api = t:service("\(sample.url)", { cassette = "search" })
        for _, size in ipairs{ 1, 2 } do
          for _, method in ipairs{ "QUERY", "POST" } do
            t.expect(api("/search"):query{ json = { topic = "tea", size = size }, method = method }:load()):to_succeed()
          end
        end
        t.expect(api("/echo"):post{ json = { a = 1 } }):to_succeed()
      end)
      """)
    #expect(try run(["test", "search_test.lua", "--record", "all"]).code == 0)
    #expect(try run(["import", "har", "cassettes/search.har", "-o", "har.lua"]).code == 0)
    let text = try #require(folder.text("har.lua"))
    #expect(text.ranges(of: "safe = true").count == 1, "\(text)")
    #expect(text.contains(#"method = "QUERY""#), "\(text)")
    let found = try run(
      ["call", "./har.lua", "post_search", "--topic", "tea", "--size", "2", "-f", "#x.rows"])
    #expect(found.output == "2\n", "\(found)\n\(text)")
  }
}
