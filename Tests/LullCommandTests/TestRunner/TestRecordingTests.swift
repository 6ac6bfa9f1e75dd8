import LullCassettes
import LullLibC
import Testing

/// Recording what tests ask of the network.
@Suite("lull test: recording", .timeLimit(.minutes(20)))
struct TestRecordingTests {
  let files: TestFiles

  init() throws { files = try TestFiles() }

  /// Counts what it is asked, and says it: `{"n":1}`.
  static func counting() throws -> EchoServer {
    try EchoServer { _, count in json("{\"n\":\(count + 1)}", ["ETag: \"\(count)\""]) }
  }

  static func json(_ text: String, _ headers: [String] = []) -> EchoServer.Answer {
    EchoServer.Answer(headers: ["Content-Type: application/json"] + headers, body: text)
  }

  func recorded(_ name: String = "a") throws -> HARFile {
    try HARFile(reading: Array((files.text("cassettes/\(name).har") ?? "").utf8))
  }

  /// One test that records, with `api` on the server, and its ending.
  func record(
    _ server: EchoServer, _ body: String, _ words: String..., environment: [String: String] = [:]
  ) throws -> Child.Ending {
    try files.write("one_test.lua", TestRecordingTests.test("one", server.port, body))
    return try files.run(["one_test.lua"] + words, environment: environment)
  }

  static func test(_ name: String, _ port: UInt16, _ body: String) -> String {
    """
    test("\(name)", function(t)
      local api = t:service("http://127.0.0.1:\(port)", { cassette = "a", expiration_time = 30 })
    \(body)
    end)

    """
  }

  @Test
  func `CAS-50 a test sees while it is recorded what it will see when that is replayed`() throws {
    let server = try TestRecordingTests.counting()
    let first = """
        local a = api("/a")
        t.expect(a:load()):to_succeed()
        t.expect(a.content.n):to_be(1)
        t.clock:advance(31)
        t.expect(a:load_if_needed()):to_succeed()
        t.expect(a.content.n):to_be(2)
      """
    let second = """
        local a = api("/a")
        t.expect(a:load()):to_succeed()
        t.expect(a.content.n):to_be(1)
        t.expect(api("/b"):load()):to_succeed()
        t.expect(api("/b").content.n):to_be(3)
        t.expect(api("/a"):request("POST", { json = { x = 1 } })):to_succeed()
        t.expect(a:load()):to_succeed()
        t.expect(a.content.n):to_be(5)
      """
    try files.write(
      "one_test.lua",
      TestRecordingTests.test("first", server.port, first)
        + TestRecordingTests.test("second", server.port, second))
    let ending = try files.run("one_test.lua", "--record", "missing")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("note: recorded 5 exchanges in ./cassettes/a.har"))
    #expect(
      server.requests.map(\.line) == ["GET /a", "GET /a", "GET /b", "POST /a", "GET /a"])
    server.stop()
    let replayed = try files.run("one_test.lua", "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    #expect(server.requests.count == 5)
  }

  @Test func `CAS-52 missing keeps what was recorded, all makes it anew`() throws {
    let server = try TestRecordingTests.counting()
    defer { server.stop() }
    let body = "  t.expect(api(\"/a\"):load()):to_succeed()"
    let more = body + "\n  t.expect(api(\"/b\"):load()):to_succeed()"
    #expect(try record(server, body, "--record", "missing").code == 0)
    let ending = try record(server, more, "--record", "missing")
    #expect(
      ending.output.contains("recorded 1 exchange in ./cassettes/a.har, and kept 1"))
    #expect(server.requests.map(\.line) == ["GET /a", "GET /b"])
    #expect(try record(server, more, "--record", "missing").code == 0)
    #expect(server.requests.count == 2)
    // A file that is named may not be the only one that uses it.
    #expect(try record(server, body, "--record", "all").code == 0)
    #expect(server.requests.map(\.line) == ["GET /a", "GET /b", "GET /a"])
    #expect(try recorded().entries.count == 2)
    #expect(try files.run(".", "--record", "all").code == 0)
    #expect(try recorded().entries.count == 1)
    #expect(try record(server, body, "--record", "none").code == 0)
  }

  @Test func `CAS-53 conditions are left out, so that answers are whole`() throws {
    let server = try EchoServer { request, _ in
      request.head.lowercased().contains("if-none-match")
        ? EchoServer.Answer(status: "304 Not Modified")
        : TestRecordingTests.json("{}", ["ETag: \"1\""])
    }
    defer { server.stop() }
    let body = """
        t.expect(api("/a"):load()):to_succeed()
        t.expect(api("/a"):load()):to_succeed()
        t.expect(t.exchanges[2].status):to_be(200)
        api:configure("/a", { headers = { ["If-Match"] = '"1"' } }, { methods = { "PUT" } })
        local write = api("/a"):request("PUT", { json = {} })
        t.expect(write):to_succeed()
      """
    let ending = try record(server, body, "--record", "all")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let heads = server.requests.map { $0.head.lowercased() }
    #expect(!heads.contains { $0.contains("if-none-match") })
    #expect(heads.last?.contains("if-match: \"1\"") == true)
    #expect(
      try !recorded().entries.contains { $0.request.method == "GET" && $0.request.isConditional })
  }

  @Test func `CAS-54 bodies that go to files and to readers of streams are recorded, too`() throws {
    let server = try EchoServer { request, _ in
      request.line.hasSuffix("/events")
        ? EchoServer.Answer(
          headers: ["Content-Type: text/event-stream"], body: "data: 1\n\ndata: 2\n\n")
        : EchoServer.Answer(headers: ["Content-Type: application/octet-stream"], body: "some bytes")
    }
    let body = """
        t.expect(api("/file"):download("got.bin")):to_succeed()
        local file = assert(io.open("got.bin"))
        t.expect(file:read("a")):to_be("some bytes")
        file:close()
        os.remove("got.bin")
        local seen = {}
        for event in api("/events"):events() do
          seen[#seen + 1] = event.data
          if #seen == 2 then break end
        end
        t.expect(seen):to_equal{ "1", "2" }
      """
    let ending = try record(server, body, "--record", "missing")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    server.stop()
    let replayed = try record(server, body)
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
  }

  @Test func `CAS-55 failures of the network are recorded, and what is missing here is not`() throws
  {
    let server = try TestRecordingTests.counting()
    // Nobody listens there any more.
    server.stop()
    _ = try? EchoServer().stop()
    let body = """
        local err = t.expect(api("/a"):load()):to_fail_with{ kind = "connection" }
        t.expect(err.user_message):to_match("refused")
        local secret = t:service("http://127.0.0.1:\(server.port)", {
          auth = lull.auth.bearer(lull.secret{ env = "LULL_NOT_SET" }) })
        secret("/b"):load():await()
      """
    let ending = try record(server, body, "--record", "missing")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let entries = try recorded().entries
    #expect(entries.count == 1)
    #expect(entries.first?.failure?.kind == "connection")
    #expect(entries.first?.failure?.isUnsent == true)
  }

  @Test
  func `CAS-56 what lets somebody in is in no recording, wherever it was sent and echoed`() throws {
    let server = try EchoServer { request, _ in
      if request.line == "POST /token" {
        return TestRecordingTests.json(
          #"{"access_token":"tok-issued-4711xyz","token_type":"Bearer","expires_in":3600}"#)
      }
      let echo = request.head.split(separator: "\r\n").joined(separator: " | ")
      let body = String(decoding: request.body, as: UTF8.self)
      return EchoServer.Answer(
        headers: [
          "Content-Type: text/plain", "X-Echo: \(echo)", "Set-Cookie: sid=cookie-9981; Path=/",
        ],
        body: echo + body)
    }
    let body = """
        local secret = lull.secret{ env = "PLANTED" }
        local place = "http://127.0.0.1:\(server.port)"
        for _, auth in ipairs{
          lull.auth.bearer(secret), lull.auth.basic("me", secret),
          lull.auth.header("X-Thing", secret), lull.auth.digest("me", secret),
          lull.auth.aws_sigv4{ access_key = "AKIA", secret_key = secret, region = "x", service = "y" },
          lull.auth.oauth2_client_credentials{ token_url = place .. "/token", client_id = "me", client_secret = secret },
        } do
          local api = t:service(place, { auth = auth })
          t.expect(api("/echo"):request("POST", { json = { password = "typed-in-here", note = "x" } })):to_succeed()
          t.expect(api("/echo"):load()):to_succeed()
        end
        t.expect(api("/echo"):with_param("q", secret):load()):to_succeed()
        t.expect(api("/echo"):request("POST", { json = { deep = { secret } } })):to_succeed()
        t.expect(api("/echo"):request("POST", { form = { thing = secret } })):to_succeed()
      """
    let planted = "pl4nted%secret/in\"many places"
    let ending = try record(
      server, body, "--record", "missing", environment: ["PLANTED": planted])
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    // The server has had it.
    #expect(server.requests.contains { $0.head.contains(planted) })
    #expect(server.requests.contains { $0.head.contains("tok-issued-4711xyz") })
    let text = try #require(files.text("cassettes/a.har"))
    for part in ["pl4nted", "secret/in", "many places", "tok-issued", "cookie-9981", "typed-in"] {
      #expect(!text.contains(part), "\(part)")
    }
    #expect(!text.contains("cGw0bnRlZC"), "as base64")
    server.stop()
    let replayed = try record(server, body)
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
  }

  @Test func `CAS-57 of a test that has failed nothing is recorded, and the recording stays`()
    throws
  {
    let server = try TestRecordingTests.counting()
    defer { server.stop() }
    let body = "  t.expect(api(\"/a\"):load()):to_succeed()"
    #expect(try record(server, body, "--record", "all").code == 0)
    let before = files.text("cassettes/a.har")
    try files.write(
      "one_test.lua",
      TestRecordingTests.test("good", server.port, "  t.expect(api(\"/b\"):load()):to_succeed()")
        + TestRecordingTests.test("bad", server.port, body + "\n  error(\"no\")"))
    let ending = try files.run("one_test.lua", "--record", "all")
    #expect(ending.code == 1)
    #expect(
      ending.output.contains("note: ./cassettes/a.har is unchanged, because 'bad' failed"))
    #expect(files.text("cassettes/a.har") == before)
  }

  @Test func `CAS-58 what is not to be recorded is refused`() throws {
    try files.write("one_test.lua", "test(\"one\", function() end)")
    for (words, environment, part) in [
      (
        ["--record", "all"], ["CI": "1"],
        "--record uses the network, which is not allowed if CI is set"
      ),
      (["--record", "all", "--jobs", "2"], [:], "--record runs one test after the other"),
      (["--record", "all", "--watch"], [:], "--watch cannot be combined with --record all"),
      (["--record", "some"], [:], "missing, all or none"),
      (["--record"], [:], "--record"),
    ] {
      let ending = try files.run(["one_test.lua"] + words, environment: environment)
      #expect(ending.code == 2)
      #expect(ending.errors.contains(part), "\(ending.errors)")
    }
  }

  @Test func `CAS-59 no stand-in is sent to a server`() throws {
    let server = try EchoServer { request, _ in
      request.line == "POST /token"
        ? TestRecordingTests.json(#"{"access_token":"tok-issued-4711xyz","expires_in":3600}"#)
        : TestRecordingTests.json("{}")
    }
    defer { server.stop() }
    func body(_ path: String) -> String {
      """
        local api = t:service("http://127.0.0.1:\(server.port)", { auth = lull.auth.oauth2_client_credentials{
          token_url = "http://127.0.0.1:\(server.port)/token", client_id = "me", client_secret = lull.secret{ env = "HOME" },
        } })
        api("\(path)"):load():await()
      """
    }
    #expect(try record(server, body("/a"), "--record", "missing").code == 0)
    let ending = try record(server, body("/b"), "--record", "missing")
    #expect(ending.code == 1)
    #expect(
      ending.output.contains("/b needs a token, but the recording has only a placeholder for it"))
    #expect(server.requests.map(\.line) == ["POST /token", "GET /a"])
    #expect(try record(server, body("/b"), "--record", "all").code == 0)
  }

  @Test func `CAS-60 what may be a token that nobody has named is told of`() throws {
    let server = try EchoServer { _, _ in
      TestRecordingTests.json(#"{"thing":"xoxbT7kQ29fLmZ4pWv81RaYc"}"#)
    }
    defer { server.stop() }
    let ending = try record(
      server, "  t.expect(api(\"/a\"):load()):to_succeed()", "--record", "missing")
    #expect(ending.code == 0)
    #expect(
      ending.output.contains(
        "./cassettes/a.har may contain a token that is not hidden: look at exchange 1, response body: xoxbT7…"
      ),
      "\(ending.output)")
  }

  @Test func `CAS-61 a part of the tests makes a part of a recording anew`() throws {
    let server = try TestRecordingTests.counting()
    defer { server.stop() }
    try files.write(
      "one_test.lua",
      TestRecordingTests.test("first", server.port, "  t.expect(api(\"/a\"):load()):to_succeed()")
        + TestRecordingTests.test(
          "second", server.port, "  t.expect(api(\"/b\"):load()):to_succeed()"))
    #expect(try files.run("one_test.lua", "--record", "all").code == 0)
    #expect(try files.run("one_test.lua", "--record", "all", "--filter", "first").code == 0)
    #expect(server.requests.map(\.line) == ["GET /a", "GET /b", "GET /a"])
    #expect(try recorded().entries.map(\.request.url).map { $0.suffix(2) } == ["/b", "/a"])
    #expect(try files.run("one_test.lua", "--strict").code == 0)
  }

  @Test func `CAS-62 each recording has what is asked of the services that have named it`() throws {
    let (one, other) = (try TestRecordingTests.counting(), try TestRecordingTests.counting())
    defer {
      one.stop()
      other.stop()
    }
    let body = """
        local second = t:service("http://127.0.0.1:\(other.port)", { cassette = "b" })
        t.expect(second("/b"):load()):to_succeed()
        t.expect(api("/a"):load()):to_succeed()
        t:cassette("c")
      """
    let ending = try record(one, body, "--record", "missing")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(try recorded("a").entries.map(\.request.url) == ["http://127.0.0.1:\(one.port)/a"])
    #expect(try recorded("b").entries.map(\.request.url) == ["http://127.0.0.1:\(other.port)/b"])
    #expect(files.text("cassettes/c.har") == nil)
  }

  @Test func `CAS-63 a recording that somebody else has changed meanwhile stays as that`() throws {
    let server = try TestRecordingTests.counting()
    defer { server.stop() }
    let body = """
        t.expect(api("/a"):load()):to_succeed()
        os.execute("mkdir -p cassettes")
        local file = assert(io.open("cassettes/a.har", "w"))
        file:write("somebody else's")
        file:close()
      """
    let ending = try record(server, body, "--record", "missing")
    #expect(ending.code == 1)
    #expect(ending.output.contains("./cassettes/a.har was changed by another process meanwhile"))
    #expect(files.text("cassettes/a.har") == "somebody else's")
  }

  @Test func `CAS-69 many requests on one connection are recorded without a wait`() throws {
    let sample = try SampleAPI()
    let ending = try files.prove(
      """
        local api = t:service("\(sample.url)", { cassette = "a", retry = false })
        for id = 1, 200 do t.expect(api("/articles/" .. id):load()):to_succeed() end
      """, "--record", "all")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(try recorded().entries.count == 200)
  }
}
