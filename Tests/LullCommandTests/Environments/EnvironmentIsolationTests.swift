import LullLibC
import Testing

/// What one environment of a file keeps from another, also where both are at the same server.
@Suite("Environments kept apart", .timeLimit(.minutes(20)))
struct EnvironmentIsolationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: [String], environment: [String: String] = [:]) throws -> Child.Ending {
    try folder.runLull(words, environment: environment)
  }

  private func run(_ words: String...) throws -> Child.Ending { try run(words) }

  /// A file with two environments that are the same but for their names.
  private func write(_ port: UInt16, _ settings: String, before: String = "", own: String = "")
    throws
  {
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      \(before)
      local api = lull.service{ base_url = "http://127.0.0.1:\(port)", \(settings) }
      return { service = api, environments = { one = {\(own)}, two = {\(own)} } }
      """)
  }

  private func answer(_ body: String, _ headers: String...) -> EchoServer.Answer {
    EchoServer.Answer(headers: ["Content-Type: application/json"] + headers, body: body)
  }

  private func value(_ name: String, of request: EchoServer.Request) -> String {
    let line = request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
    return line.map { String($0.dropFirst(name.count + 2)) } ?? ""
  }

  @Test func `ENV-07 cache files keep environments apart`() throws {
    let server = try EchoServer { _, count in
      EchoServer.Answer(headers: ["Content-Type: application/json"], body: "\(count)")
    }
    defer { server.stop() }
    try write(
      server.port,
      "expiration_time = 600, pipeline = { parsing = { cache = lull.cache.file() } }")
    let seen = try ["x@one", "x@one", "x@two", "x", "x@two"].map {
      try run("get", $0, "/a").output
    }
    #expect(seen == ["0\n", "0\n", "1\n", "2\n", "1\n"])
  }

  @Test func `ENV-07 a cache in memory that a module holds keeps environments apart`() throws {
    let server = try EchoServer { _, count in
      EchoServer.Answer(headers: ["Content-Type: application/json"], body: "\(count)")
    }
    defer { server.stop() }
    try folder.write("apis/held.lua", "return { cache = require'lull'.cache.memory() }")
    try write(
      server.port,
      "expiration_time = 600, pipeline = { parsing = { cache = require'held'.cache } }")
    try folder.write(
      "look.lua",
      """
      local lull = require "lull"
      package.path = "apis/?.lua;" .. package.path
      local function get(name)
        local api = lull.api(name)
        api.service:wipe_resources()
        return api.service("/a"):load_if_needed():await().content
      end
      print(get("x@one"), get("x@two"))
      lull.api("x@one").service("/a"):wipe()
      local resource = lull.api("x@one").service("/a")
      print(resource:load_if_needed())
      """)
    let ending = try run("look.lua")
    #expect(ending.output.hasPrefix("0\t1\n"), "\(ending)")
  }

  @Test func `ENV-07 a cache of a script's own that a module holds has keys of each environment`()
    throws
  {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write(
      "apis/held.lua",
      """
      local keys = {}
      return { keys = keys, cache = {
        key = function(_, resource) return resource.url end,
        read = function(_, key) keys[#keys + 1] = key end,
        write = function() end, remove = function() end,
      } }
      """)
    try write(server.port, "pipeline = { parsing = { cache = require'held'.cache } }")
    try folder.write(
      "look.lua",
      """
      local lull = require "lull"
      package.path = "apis/?.lua;" .. package.path
      for _, name in ipairs{ "x@one", "x" } do
        lull.api(name).service("/a"):load_if_needed():await()
      end
      for _, key in ipairs(require"held".keys) do print((key:gsub("http://127.0.0.1:%d+", ""))) end
      """)
    let ending = try run("look.lua")
    #expect(ending.output == "/a @one\n/a\n", "\(ending)")
  }

  @Test func `ENV-07 a service that a module holds is no environment's`() throws {
    try folder.write(
      "apis/held.lua", "return { service = require'lull'.service('https://a.example') }")
    try folder.write(
      "apis/x.lua",
      "return { service = require'held'.service,\n environments = { one = {}, two = {} } }")
    try folder.write(
      "look.lua",
      """
      local lull = require "lull"
      package.path = "apis/?.lua;" .. package.path
      local names = { ... }
      assert(lull.api(names[1]))
      print(select(2, pcall(lull.api, names[2])))
      """)
    for names in [["x@one", "x@two"], ["x", "x@two"], ["x@one", "x"]] {
      let ending = try run(["look.lua"] + names)
      #expect(
        ending.output.hasPrefix("apis/x.lua:1: the service belongs to another environment: "),
        "\(ending)")
    }
  }

  @Test func `ENV-07 ENV-08 what hosts share is kept apart, tokens, entities and limits`() throws {
    let redis = try Redis()
    let server = try EchoServer { request, count in
      request.line == "POST /token"
        ? EchoServer.Answer(
          headers: ["Content-Type: application/json"],
          body: #"{"access_token":"t\#(count)","token_type":"Bearer","expires_in":600}"#)
        : EchoServer.Answer(headers: ["Content-Type: application/json"], body: "\(count)")
    }
    defer { server.stop() }
    try write(
      server.port,
      """
      expiration_time = 600, rate_limit = { requests = 100, per = 600, shared = "ours" },
      pipeline = { parsing = { cache = lull.cache.shared{ secret = "a text for all of them", identity = "same" } } },
      auth = lull.auth.oauth2_client_credentials{ token_url = "http://127.0.0.1:\(server.port)/token",
        client_id = "me", client_secret = "s3cret-of-mine" }
      """)
    for (host, name) in [
      ("1", "x@one"), ("2", "x@two"), ("3", "x"), ("4", "x@one"), ("5", "x@two"),
    ] {
      let place = folder.path + "/host-" + host
      let ending = try run(
        ["get", name, "/a"],
        environment: [
          "LULL_SHARE": redis.url, "XDG_STATE_HOME": place, "XDG_CACHE_HOME": place,
        ])
      #expect(ending.code == 0, "\(ending)")
    }
    #expect(server.requests.map(\.line).filter { $0 == "POST /token" }.count == 3)
    #expect(server.requests.map(\.line).filter { $0 == "GET /a" }.count == 3)
    let limits = try run("limits", redis.url)
    for name in ["ours", "ours @one", "ours @two"] {
      #expect(limits.output.contains("\(name)  on "), "\(limits)")
    }
    #expect(try !redis.say("--scan").contains("s3cret"))
  }

  @Test func `ENV-07 cookies in a file are kept apart`() throws {
    let server = try EchoServer { request, count in
      EchoServer.Answer(headers: ["Set-Cookie: id=\(count); Max-Age=600"])
    }
    defer { server.stop() }
    try write(server.port, "cookies = 'jar.txt'")
    for name in ["x@one", "x@two", "x", "x@one", "x@two"] {
      #expect(try run("get", name, "/").code == 0)
    }
    #expect(server.requests.map { value("cookie", of: $0) } == ["", "", "", "id=0", "id=1"])
    let names = try shell("ls jar.txt*", folder: folder.path).output
    #expect(names == "jar.txt\njar.txt@one\njar.txt@two\n")
  }

  @Test func `ENV-07 sessions and what has changed are kept apart`() throws {
    let server = try EchoServer { _, count in
      EchoServer.Answer(
        headers: ["Set-Cookie: id=\(count); Max-Age=600", "Content-Type: application/json"],
        body: "[1]")
    }
    defer { server.stop() }
    try write(server.port, "timeout = 20")
    #expect(try run("get", "x@one", "/", "--session", "s", "-a", "ann:pw").code == 0)
    #expect(try run("get", "x@two", "/", "--session", "s").code == 0)
    #expect(try run("get", "x", "/", "--session", "s").code == 0)
    #expect(try run("get", "x@one", "/", "--session", "s").code == 0)
    #expect(server.requests.map { value("cookie", of: $0) } == ["", "", "", "id=0"])
    #expect(
      server.requests.map { value("authorization", of: $0).isEmpty } == [false, true, true, false])
    #expect(try run("changed", "x@one", "/").code == 0)
    #expect(try run("changed", "x@two", "/").errors.contains("first run"))
    #expect(try run("changed", "x@one", "/").code == 7)
  }

  @Test func `ENV-07 limits that processes share count environments apart`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    for scope in ["shared = true", "shared = 'our limit'"] {
      try write(server.port, "rate_limit = { requests = 1, per = 600, \(scope) }")
      #expect(try run("get", "x@one", "/").code == 0)
      #expect(try run("get", "x@two", "/").code == 0)
      #expect(try run("get", "x", "/").code == 0)
    }
    #expect(server.requests.count == 6)
    let limits = try run("limits")
    let names = limits.output.split(separator: "\n").map { line in
      line.firstRange(of: "  (").map { String(line[..<$0.lowerBound]) } ?? String(line)
    }
    for name in ["our limit", "http://127.0.0.1:\(server.port)"] {
      for place in ["", " @one", " @two"] { #expect(names.contains(name + place), "\(limits)") }
    }
  }

  @Test func `ENV-08 tokens are kept apart, in memory, in files, and where a module holds them`()
    throws
  {
    let server = try EchoServer { request, count in
      request.line == "POST /token"
        ? EchoServer.Answer(
          headers: ["Content-Type: application/json"],
          body: #"{"access_token":"t\#(count)","token_type":"Bearer","expires_in":600}"#)
        : EchoServer.Answer()
    }
    defer { server.stop() }
    let auth = """
      require"lull".auth.oauth2_client_credentials{ token_url = "http://127.0.0.1:\(server.port)/token",
        client_id = "me", client_secret = "s3cret-of-mine", token_file = FILE }
      """
    try folder.write(
      "apis/held.lua", "return { auth = \(auth.replacing("token_file = FILE", with: "")) }")
    try write(server.port, "auth = held.auth", before: "local held = require 'held'")
    try folder.write(
      "both.lua",
      """
      local lull = require "lull"
      package.path = "apis/?.lua;" .. package.path
      for _, name in ipairs{ "x@one", "x@two", "x@one" } do
        assert(lull.api(name).service("/a"):load():await())
      end
      """)
    let ending = try run("both.lua")
    #expect(ending.code == 0, "\(ending)")
    #expect(
      server.requests.map { "\($0.line) \(value("authorization", of: $0).prefix(9))" } == [
        "POST /token Basic bWU", "GET /a Bearer t0", "POST /token Basic bWU", "GET /a Bearer t2",
        "GET /a Bearer t0",
      ])
    try folder.write(
      "apis/held.lua",
      "return { auth = \(auth.replacing("FILE", with: "'\(folder.path)/tokens.json'")) }")
    for name in ["x@one", "x@two", "x@one", "x@two"] {
      #expect(try run("get", name, "/b").code == 0)
    }
    let later = server.requests.dropFirst(5)
    #expect(
      later.map { "\($0.line) \(value("authorization", of: $0).prefix(10))" } == [
        "POST /token Basic bWU6", "GET /b Bearer t5", "POST /token Basic bWU6", "GET /b Bearer t7",
        "GET /b Bearer t5", "GET /b Bearer t7",
      ])
  }

  @Test
  func `ENV-09 redirects, absolute URLs and links take nothing from one environment to another`()
    throws
  {
    let other = try EchoServer()
    defer { other.stop() }
    let far = "http://127.0.0.1:\(other.port)"
    let server = try EchoServer { request, _ in
      request.line == "GET /away"
        ? EchoServer.Answer(status: "302 Found", headers: ["Location: \(far)/there"])
        : EchoServer.Answer(
          headers: ["Content-Type: application/json", "Link: <\(far)/page>; rel=\"next\""],
          body: "[1]")
    }
    defer { server.stop() }
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      local function with(text) return lull.auth.bearer(lull.secret{ env = text }) end
      return { service = lull.service("http://127.0.0.1:1"), environments = {
        one = { base_url = "http://127.0.0.1:\(server.port)", auth = with "ONE", cookies = true,
          headers = { ["x-key"] = "key of one" } },
        two = { base_url = "\(far)", auth = with "TWO", headers = { ["x-key"] = "key of two" } },
      } }
      """)
    func get(_ words: String...) throws -> Child.Ending {
      try run(words, environment: ["ONE": "secret-one", "TWO": "secret-two"])
    }
    _ = try get("get", "x@one", "/away")
    _ = try get("get", "x@one", "\(far)/absolute")
    _ = try get("get", "x@one", "/list", "--all")
    #expect(server.requests.allSatisfy { $0.head.contains("secret-one") })
    for request in other.requests {
      #expect(!request.head.contains("secret") && !request.head.contains("key of"), "\(request)")
    }
    #expect(try get("get", "x@two", "/").code == 0)
    let last = other.requests.last?.head ?? ""
    #expect(last.contains("secret-two") && !last.contains("one"))
  }

  @Test func `ENV-09 secrets of an environment are masked as others are`() throws {
    let server = try EchoServer()
    defer { server.stop() }
    try folder.write("apis/one.env", "TOKEN=s3cret-of-one\n", mode: 0o600)
    try write(
      server.port, "auth = lull.auth.bearer(lull.secret{ env = 'TOKEN' })")
    let text = folder.text("apis/x.lua") ?? ""
    try folder.write("apis/x.lua", text.replacing("one = {", with: "one = { env_file = 'one.env',"))
    let ending = try run("get", "x@one", "/", "-v")
    #expect(ending.code == 0, "\(ending)")
    #expect(value("authorization", of: server.requests[0]) == "Bearer s3cret-of-one")
    #expect(
      !ending.errors.contains("s3cret") && ending.errors.contains("‹secret TOKEN›"), "\(ending)")
    for words in [
      ["explain", "x@one", "/"], ["get", "x@one", "/", "--curl"],
      ["get", "x@one", "/", "--dry-run"],
    ] {
      let shown = try run(words)
      #expect(!(shown.output + shown.errors).contains("s3cret"), "\(shown)")
    }
  }
}
