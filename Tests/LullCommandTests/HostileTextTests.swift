import LullLibC
import Testing

/// What a server, a file or a word on the command line has in it reaches the terminal made visible, and a
/// pipe as it is.
@Suite("Control sequences of others", .timeLimit(.minutes(20)))
struct HostileTextTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// ESC, BEL, C1 as UTF-8, DEL and an override of the direction.
  private static let attack = "\u{1B}]0;pwned\u{7}\u{1B}[2J\u{9B}31m\u{7F}\u{202E}"
  private static let inPath = "\u{1B}]0;x\u{7}\u{9B}31m\u{7F}\u{202E}"
  private static let inHeader = "\u{1B}]0;pwned\u{7}\u{9B}31m\u{7F}"
  private static let inLua =
    #"\27]0;pwned\7\27[2J\u{9b}31m\127\u{202e}"#
  private static let inJSON = #"\u001b]0;pwned\u0007\u001b[2J\u009b31m\u007f\u202e"#

  /// Runs it at a terminal, without colours of its own.
  private func atTerminal(
    _ words: [String], environment: [String: String] = [:]
  ) throws -> [UInt8] {
    let environment = environment.merging(["NO_COLOR": "1"]) { one, _ in one }
    let child = try Child(
      Binaries.lull, words, environment: environment, folder: folder.path, terminal: true)
    _ = try child.wait()
    return child.output
  }

  /// Whether nothing in it moves a cursor or turns words around.
  private func expectHarmless(_ output: [UInt8], _ what: String) {
    let text = String(decoding: output, as: UTF8.self)
    let found = text.unicodeScalars.filter { scalar in
      switch scalar.value {
      case 9, 10, 13: false
      case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    #expect(found.isEmpty, "\(what): \(text.debugDescription)")
    #expect(text.contains("pwned"), "\(what): \(text.debugDescription)")
  }

  private static func answer(_ status: String, _ headers: String..., body: String = "")
    -> [[UInt8]]
  {
    let lines = ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(body.utf8.count)"]
    return [Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)]
  }

  private func api(_ text: String) throws -> String {
    try folder.write("a.lua", "local lull = require 'lull'\n\(text)")
  }

  @Test(arguments: [
    [], ["-i"], ["-v"], ["-o", "json"], ["-o", "ndjson"], ["-o", "lines"], ["-o", "csv"],
    ["-o", "table"], ["-o", "raw"], ["-O", "-"], ["-f", "x"], ["-f", "x[1]", "-o", "lines"],
  ])
  func `of content`(options: [String]) throws {
    let body =
      #"[{"k\#(Self.inJSON)":"v\#(Self.inJSON)","c":"\u{7F}\u{9B}\u{202E}"},{"c":"pwned"}]"#
    for type in ["application/json", "text/plain", "application/x-unknown"] {
      let server = try HeldServer([
        Self.answer("200 OK", "Content-Type: \(type)", "X-Own: \(Self.inHeader)", body: body)
      ])
      defer { server.stop() }
      if type != "application/json", options.contains("-f") { continue }
      let output = try atTerminal(["get", server.url] + options)
      // Bytes are not shown without being asked for.
      if type.hasSuffix("unknown"), !output.contains("pwned".utf8) { continue }
      expectHarmless(output, "\(type) \(options)")
    }
  }

  @Test(arguments: ["404 Not Found", "500 \(inHeader)"])
  func `of errors`(status: String) throws {
    let server = try HeldServer([
      Self.answer(
        status, "Content-Type: text/plain; charset=\(Self.inHeader)", body: Self.attack)
    ])
    defer { server.stop() }
    expectHarmless(try atTerminal(["get", server.url, "-v"]), status)
  }

  @Test(arguments: ["http://\(inHeader)/", "ftp://pwned\(inHeader)", "/\(inHeader)"])
  func `of redirects`(target: String) throws {
    let answers = [
      Self.answer("302 Found", "Location: \(target)"), Self.answer("200 OK", body: Self.attack),
    ]
    let server = try HeldServer(answers)
    defer { server.stop() }
    expectHarmless(
      try atTerminal(["get", server.url, "-v"], environment: ["LULL_LOG": "all"]), target)
  }

  @Test func `of next links`() throws {
    let link = "Link: <http://pwned\(Self.inHeader)/>; rel=\"next\""
    let server = try HeldServer([
      Self.answer("200 OK", "Content-Type: application/json", link, body: "[]")
    ])
    defer { server.stop() }
    expectHarmless(
      try atTerminal(["get", server.url, "--all"], environment: ["LULL_LOG": "all"]), "next link")
  }

  @Test func `of token endpoints`() throws {
    let body = #"{"error":"x\#(Self.inJSON)","error_description":"\#(Self.inJSON)"}"#
    let server = try HeldServer([
      Self.answer("400 Bad Request", "Content-Type: application/json", body: body)
    ])
    defer { server.stop() }
    let file = try api(
      """
      return lull.service{ base_url = "\(server.url)", auth = lull.auth.oauth2_client_credentials{
        token_url = "\(server.url)/token", client_id = "x", client_secret = "y" } }
      """)
    expectHarmless(try atTerminal(["get", file, "/x"]), "token endpoint")
  }

  @Test func `of the cache`() throws {
    let server = try HeldServer([
      Self.answer(
        "200 OK", "Content-Type: text/plain; charset=utf-8", "ETag: \"\(Self.inHeader)\"",
        "X-Own: \(Self.inHeader)", body: Self.attack)
    ])
    defer { server.stop() }
    let file = try api(
      """
      return lull.service{ base_url = "\(server.url)", expiration_time = 60,
        pipeline = { parsing = { cache = lull.cache.file{ path = "cache.db" } } } }
      """)
    _ = try atTerminal(["get", file, "/x"])
    let shown = try atTerminal(["cache", "show", server.url + "/x", "--path", "cache.db"])
    expectHarmless(shown, "lull cache show")
    let piped = try lull(
      "cache", "show", server.url + "/x", "--path", "cache.db", folder: folder.path)
    #expect(piped.output.contains(Self.attack))
  }

  /// What a file has, and the words of the command line.
  @Test(arguments: [
    ["explain", "a.lua", "/x"], ["check", "a.lua"], ["call", "a.lua", "--help"],
    ["call", "a.lua", "c", "--help"], ["call", "a.lua", "pwned\(attack)"], ["apis"],
    ["get", "a.lua", "/x", "--dry-run", "X-Own:pwned\u{9b}\u{202e}", "a==\(attack)"],
    ["get", "pwned\(attack)", "/x"], ["get", "a.lua", "/x", "-O", "no/pwned\(attack)"],
    ["get", "http://pwned\(attack)/"], ["run", "pwned\(attack).lua"],
    ["get", "http://127.0.0.1:1/pwned", "--\(attack)"], ["-e", "error('pwned\(inLua)')"],
    ["-e", "error(setmetatable({}, { __tostring = function() return 'pwned\(inLua)' end }))"],
    ["-e", "warn('@on') warn('pwned\(inLua)')"],
    ["-e", "lull.args{ name = 'pwned\(inLua)' }", "x"],
    ["-e", "load('error(1)', '=pwned\(inLua)')()"],
    ["-e", "lull.spawn(function() error('pwned\(inLua)') end)"],
  ])
  func `of files and words`(words: [String]) throws {
    let text = """
      local s = lull.service{ base_url = "https://a.example", name = "pwned\(Self.inLua)",
        headers = { ["X-Own"] = "pwned" .. "\\u{9b}\\u{202e}" } }
      s:configure("/pwned\(Self.inLua)", {})
      return { service = s, description = "pwned\(Self.inLua)", calls = { c = { path = "/x",
        description = "pwned\(Self.inLua)", columns = { "\(Self.inLua)" },
        params = { p = { type = { "pwned\(Self.inLua)" }, description = "\(Self.inLua)" } } } } }
      """
    _ = try api(text)
    try folder.write("apis/a.lua", "local lull = require 'lull'\n\(text)")
    let words = words.first == "check" ? ["check", "a.lua", "pwned\(Self.attack)"] : words
    expectHarmless(try atTerminal(words), "\(words)")
  }

  @Test(arguments: [
    "print('pwned\(inLua)')", "print('pwned\\27', '[2J')", "print('pwned\\27') print('[2J')",
    "print('pwned\\xC2') print('\\x9B31m')", "print('pwned 50 %\\r100 %')",
    "print(setmetatable({}, { __tostring = function() return 'pwned\(inLua)' end }))",
    "print(('x'):rep(65530) .. 'pwned\(inLua)')",
    "coroutine.wrap(function() print('pwned\(inLua)') end)()",
    "warn('@on') warn('pwned\\27', '[2J', '\\xC2', '\\x9B')",
    "print(lull.inspect{ 'pwned\(inLua)' }, lull.table{ { a = 'pwned\(inLua)' } })",
    "local p = lull.progress(2, 'pwned\(inLua)') p:set(1) p:set(2)",
    "local p = lull.progress(2) p:set(1) print('pwned\(inLua)') p:set(2)",
    "error('pwned\(inLua)')",
  ])
  func `SHOW-160 of what a sandboxed script prints`(code: String) throws {
    for options in [[], ["--max-time", "60"]] {
      expectHarmlessBesideOwn(try atTerminal(["run", "--sandbox"] + options + ["-e", code]), code)
    }
  }

  /// Bars have sequences of their own, which go to the beginning of a line and clear it.
  private func expectHarmlessBesideOwn(_ output: [UInt8], _ what: String) {
    let text = String(decoding: output, as: UTF8.self)
    let own = ["\r\u{1B}[K", "\u{1B}[A\u{1B}[K"].reduce(text) { $0.replacing($1, with: "") }
    expectHarmless(Array(own.replacing("\r\n", with: "\n").utf8), what)
    #expect(!own.replacing("\r\n", with: "\n").contains("\r"), "\(what): \(own.debugDescription)")
  }

  @Test func `SHOW-160 line breaks, tabs and texts stay, and a pipe gets the bytes`() throws {
    let code = "print('a\\tb\\nc\\r\\nd', 'ä€😀', 1, nil, true) print()"
    let shown = try atTerminal(["run", "--sandbox", "-e", code])
    #expect(
      String(decoding: shown.filter { $0 != 13 }, as: UTF8.self)
        == "a\tb\nc\nd\tä€😀\t1\tnil\ttrue\n\n")
    let piped = try Child(
      Binaries.lull, ["run", "--sandbox", "-e", "print('\(Self.inLua)', '\\xFF\\0\\r')"],
      folder: folder.path
    ).wait()
    #expect(piped.output.hasPrefix(Self.attack + "\t"))
    let bytes = try Child(
      "sh", ["-c", "'\(Binaries.lull)' run --sandbox -e \"print('\\xFF\\0\\r')\" | od -An -tx1"]
    ).wait()
    #expect(bytes.output == " ff 00 0d 0a\n")
    // Outside of the sandbox a script may do what it likes.
    let own = try atTerminal(["run", "-e", "print('\\27[1mpwned\\27[0m')"])
    #expect(own.contains("\u{1B}[1mpwned\u{1B}[0m".utf8))
  }

  @Test func `SHOW-160 at a prompt in the sandbox`() throws {
    let child = try Child(
      Binaries.lull, ["repl", "--sandbox"], environment: ["TERM": "dumb", "LULL_HISTORY": ""],
      folder: folder.path, terminal: true)
    try child.waitForOutput("> ")
    for line in ["print('pwned\(Self.inLua)')", "{ 'pwned\(Self.inLua)' }"] {
      let count = child.output.count
      child.type(line + "\n")
      try child.waitForOutput("\n> ", after: count)
    }
    child.type("\u{4}")
    _ = try child.wait()
    expectHarmless(child.output, "prompt")
  }

  /// What checks and imports tell of documents, files and URLs.
  @Test(arguments: [
    ["check", "a.lua"], ["check", "pwned\(attack)"], ["check", "pwned\(inPath)/a.lua"],
    ["import", "openapi", "pwned.json", "-o", "o.lua"],
    ["import", "openapi", "pwned.json", "-o", "p.lua", "--only", "pwned\(attack)"],
    ["import", "openapi", "pwned\(attack)"], ["import", "openapi", "http://pwned\(attack)/"],
    ["import", "openapi", "http://127.0.0.1:1/pwned\(attack)"],
    ["import", "openapi", "pwned.json", "-o", "pwned\(inPath)/b.lua"],
    ["import", "openapi", "pwned.json", "-o", "pwned\(attack)"],
    ["import", "openapi", "pwned.json", "--base-url", "pwned\(attack)"],
    ["import", "curl", "curl https://a.example/x -H 'pwned\(attack): 1' --pwned\(attack)"],
    ["import", "har", "pwned\(attack)"], ["import", "har", "pwned.json"],
    ["import", "postman", "pwned.postman.json", "-o", "q.lua"],
    ["import", "pwned\(attack)", "x"], ["import", "openapi", "pwned.json", "--pwned\(attack)"],
    ["export", "pwned\(attack)", "--curl"], ["diff", "a.lua", "pwned\(attack)"], ["apis"],
    ["get", "pwned\(attack)", "/x"], ["explain", "pwned\(inPath)/a.lua", "/x"],
    ["call", "a.lua", "pwned\(attack)"], ["test", "pwned\(attack)"], ["trust", "pwned\(attack)"],
    ["drift", "pwned\(attack)"], ["types", "pwned\(attack)"], ["mock", "pwned\(attack)"],
  ])
  func `SHOW-161 of messages, in a pipe too`(words: [String]) throws {
    let api = """
      local lull = require 'lull'
      \(words[0] == "check" || words[0] == "apis" ? "print('pwned\(Self.inLua)')" : "")
      local s = lull.service{ base_url = "https://a.example", ["pwned\(Self.inLua)"] = 1 }
      s:configure("https://pwned\(Self.inLua)/x", {})
      return { service = s, calls = { ["c\(Self.inLua)"] = { path = "/pwned\(Self.inLua)\\nx/{y}" } } }
      """
    try folder.write("a.lua", api)
    mkdir(folder.path + "/apis", 0o700)
    try folder.write("apis/a.lua", api)
    mkdir("\(folder.path)/pwned\(Self.inPath)", 0o700)
    try folder.write("pwned\(Self.inPath)/a.lua", api)
    try folder.write(
      "pwned.json",
      """
      {"openapi":"3.0.3","info":{"title":"pwned\(Self.inJSON)","version":"1"},
        "servers":[{"url":"https://a.example"},{"url":"https://pwned\(Self.inJSON)/{x}"}],"paths":{
        "/a":{"get":{"operationId":"a","responses":{}}},
        "/pwned\(Self.inJSON)":{"get":{"operationId":"pwned\(Self.inJSON)\\nlull: forged","tags":["\(Self.inJSON)"],
          "parameters":[{"name":"pwned\(Self.inJSON)","in":"cookies\(Self.inJSON)"}],"responses":{}},
          "trace":{"operationId":"t\(Self.inJSON)","responses":{}}},
        "/b":{"post":{"operationId":"b","requestBody":{"content":{"x/pwned\(Self.inJSON)":{}}},"responses":{}},
          "get":{"operationId":"r","parameters":[{"$ref":"#/nowhere/pwned\(Self.inJSON)\\nlull: forged"}],"responses":{}}}}}
      """)
    try folder.write(
      "pwned.postman.json",
      """
      {"info":{"name":"pwned\(Self.inJSON)","schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
        "item":[{"name":"a","request":{"method":"GET","url":"https://a.example/a"}},
        {"name":"pwned\(Self.inJSON)\\nlull: forged","event":[{"listen":"test","script":{"exec":["x"]}}],
        "request":{"method":"GET","auth":{"type":"pwned\(Self.inJSON)"},"url":"https://a.example/b"}}]}
      """)
    let ending = try folder.runLull(words, environment: ["NO_COLOR": "1"])
    let told = ending.output + ending.errors
    expectHarmless(Array(told.utf8), "\(words)")
    #expect(!told.split(separator: "\n").contains { $0.hasPrefix("lull: forged") }, "\(told)")
  }

  @Test func `of what shells complete`() throws {
    try folder.write(
      "apis/a.lua",
      """
      return { service = require("lull").service("https://a.example"), calls = { c = { path = "/x",
        description = "pwned\(Self.inLua)", params = { p = { type = { "ok", "pwned\(Self.inLua)" } } } } } }
      """)
    let calls = try lull("--complete", "call", "a", "", folder: folder.path)
    expectHarmless(Array(calls.output.utf8), "calls")
    let values = try lull("--complete", "call", "a", "c", "--p", "", folder: folder.path)
    #expect(values.output == "ok\n")
  }

  /// At the prompt: errors of servers and scripts, help, and names that are completed.
  @Test func `at the prompt`() throws {
    let server = try HeldServer([Self.answer("404 \(Self.inHeader)", body: Self.attack)])
    defer { server.stop() }
    let child = try Child(
      Binaries.lull, ["repl"], environment: ["TERM": "dumb", "LULL_HISTORY": ""],
      folder: folder.path, terminal: true)
    try child.waitForOutput("> ")
    for line in [
      "error('pwned\(Self.inLua)')", "'pwned\(Self.inLua)'", "lull.help('pwned\(Self.inLua)')",
      "assert(lull.service('\(server.url)')('/x'):load():await())",
      "lull.spawn(function() error('pwned\(Self.inLua)') end)",
    ] {
      let count = child.output.count
      child.type(line + "\n")
      try child.waitForOutput("\n> ", after: count)
    }
    child.type("\u{4}")
    _ = try child.wait()
    expectHarmless(child.output, "prompt")
  }

  @Test func `of what comes by its download`() throws {
    let server = try HeldServer([Self.answer("200 OK", body: Self.attack)])
    defer { server.stop() }
    let ending = try lull("get", server.url, "-O", "-")
    #expect(ending.output == Self.attack)
    let raw = try HeldServer([
      Self.answer(
        "200 OK", "Content-Type: text/plain; charset=utf-8", "X-Own: \(Self.inHeader)",
        body: Self.attack)
    ])
    defer { raw.stop() }
    let piped = try lull("get", raw.url, "-i")
    #expect(piped.output.contains("X-Own: \(Self.inHeader)\n"), "\(piped)")
    #expect(piped.output.hasSuffix("\n\n" + Self.attack))
  }
}
