import Testing

/// What a test sees while it is recorded, and what a server is told then.
@Suite("lull test: stand-ins", .timeLimit(.minutes(20)))
struct TestStandInTests {
  private let recording: TestRecordingTests
  private var files: TestFiles { recording.files }

  init() throws { recording = try TestRecordingTests() }

  private static let token = "tok/4711+xyz=\"ä"

  /// Gives out a token, and says again what it is told.
  private static func server() throws -> EchoServer {
    try EchoServer { request, _ in
      let json = #"{"access_token":"tok/4711+xyz=\"ä","id":7}"#
      switch request.line {
      case "POST /login": return TestRecordingTests.json(json)
      case "GET /events":
        return EchoServer.Answer(
          headers: ["Content-Type: text/event-stream"],
          body: "data: \(json)\n\ndata: tok/4711+xyz=\"ä\n\ndata: end\n\n")
      case "GET /file":
        return EchoServer.Answer(
          headers: ["Content-Type: application/octet-stream"], body: "is tok/4711+xyz=\"ä.")
      default:
        let head = request.head.split(separator: "\r\n").filter {
          !$0.lowercased().hasPrefix("host") && !$0.lowercased().hasPrefix("user-agent")
        }.joined(separator: "|")
        return EchoServer.Answer(
          headers: ["Content-Type: text/plain"],
          body: head + "|" + String(decoding: request.body, as: UTF8.self))
      }
    }
  }

  @Test
  func `CAS-66 a test sees stand-ins while it is recorded, and the server gets the tokens`() throws
  {
    let server = try TestStandInTests.server()
    let body = """
        local answer = t.expect(api("/login"):request("POST")):to_succeed()
        local token = answer.content.access_token
        t.expect(token):to_be("lull-token-1")
        t.expect(answer.content):to_match_snapshot()
        local function echo(settings, body)
          local own = t:service("http://127.0.0.1:\(server.port)", settings)
          return t.expect(own("/echo"):request("POST", body)):to_succeed().text
        end
        t.expect(echo({ headers = { ["X-Token"] = token } })):to_match("x%-token: lull%-token%-1")
        t.expect(echo({}, { json = { given = token } })):to_match('{"given":"lull%-token%-1"}')
        t.expect(echo({}, { form = { given = token } })):to_match("given=lull%-token%-1")
        echo{ auth = lull.auth.basic("me", token) }
        t.expect(echo{ auth = lull.auth.bearer(token) }):to_be_a("string")
        t.expect(api("/echo"):with_param("q", token):load()):to_succeed()
        t.expect(api("/echo/" .. token .. "/x"):load()):to_succeed()
        t.expect(t.exchanges[#t.exchanges].url):to_match("echo/lull%-token%-1/x")
        t.expect(t.exchanges[#t.exchanges - 1].url):to_match("q=lull%-token%-1")
      """
    let ending = try recording.record(server, body, "--record", "missing")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let heads = server.requests.map(\.head).joined()
    let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    let token = TestStandInTests.token
    #expect(heads.lowercased().contains("x-token: \(token)"))
    #expect(heads.contains("Bearer \(token)"))
    #expect(heads.contains("Basic bWU6dG9rLzQ3MTEreHl6PSLDpA=="), "\(heads)")
    #expect(heads.contains("q=tok/4711%2Bxyz%3D%22%C3%A4"), "\(heads)")
    #expect(heads.contains("/echo/tok%2F4711%2Bxyz%3D%22%C3%A4/x"), "\(heads)")
    #expect(bodies.contains(#"{"given":"tok/4711+xyz=\"ä"}"#), "\(bodies)")
    #expect(bodies.contains("given=tok/4711%2Bxyz%3D%22%C3%A4"), "\(bodies)")
    #expect(!(heads + bodies.joined()).contains("lull-token"))
    let text = (files.text("cassettes/a.har") ?? "") + (files.text("snapshots/one_test.snap") ?? "")
    #expect(!text.contains("4711"), "\(text)")
    server.stop()
    let replayed = try recording.record(server, body, "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
  }

  @Test func `CAS-67 readers of streams and files get what the recording says, too`() throws {
    let server = try TestStandInTests.server()
    let body = """
        local seen = {}
        for event in api("/events"):events() do
          seen[#seen + 1] = event.data
          if #seen == 3 then break end
        end
        t.expect(seen):to_equal{ '{"access_token":"lull-token-1","id":7}', "lull-token-1", "end" }
        t.expect(api("/file"):download("got.bin")):to_succeed()
        local file = assert(io.open("got.bin"))
        t.expect(file:read("a")):to_be("is lull-token-1.")
        file:close()
        os.remove("got.bin")
      """
    let ending = try recording.record(server, body, "--record", "missing")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    server.stop()
    let replayed = try recording.record(server, body, "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    #expect(files.text("cassettes/a.har")?.contains("4711") == false)
  }

  @Test func `CAS-66 tokens of one recording are not taken for those of another`() throws {
    let (one, other) = (
      try TestStandInTests.server(),
      try EchoServer { request, _ in
        request.line == "POST /login"
          ? TestRecordingTests.json(#"{"access_token":"another-token-0815"}"#)
          : EchoServer.Answer(body: request.head)
      }
    )
    let body = """
        local second = t:service("http://127.0.0.1:\(other.port)", { cassette = "b" })
        local mine = t.expect(api("/login"):request("POST")):to_succeed().content.access_token
        local theirs = t.expect(second("/login"):request("POST")):to_succeed().content.access_token
        t.expect(mine).never:to_be(theirs)
        local function ask(service, token)
          service:configure{ headers = { ["X-Token"] = token } }
          t.expect(service("/echo"):load()):to_succeed()
        end
        ask(api, mine)
        ask(second, theirs)
      """
    let ending = try recording.record(one, body, "--record", "all")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(other.requests.contains { $0.head.contains("another-token-0815") })
    #expect(one.requests.contains { $0.head.contains(TestStandInTests.token) })
    #expect(!other.requests.contains { $0.head.contains("4711") })
    one.stop()
    other.stop()
    let replayed = try recording.record(one, body, "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
  }

  @Test func `CAS-66 tokens that a service renews by itself go out as they are`() throws {
    let server = try EchoServer { request, count in
      let body = String(decoding: request.body, as: UTF8.self)
      return request.line == "POST /token"
        ? TestRecordingTests.json(
          #"{"access_token":"access-\#(count)-4711","refresh_token":"refresh-\#(count)-4711","expires_in":60}"#
        )
        : TestRecordingTests.json(#"{"said":"\#(body)"}"#)
    }
    let body = """
        local own = t:service("http://127.0.0.1:\(server.port)", { cassette = "a", auth = lull.auth.oauth2_client_credentials{
          token_url = "http://127.0.0.1:\(server.port)/token", client_id = "me", client_secret = lull.secret{ env = "PLANTED" },
        } })
        t.expect(own("/a"):load()):to_succeed()
        t.clock:advance(100)
        t.expect(own("/a"):load()):to_succeed()
      """
    let ending = try recording.record(
      server, body, "--record", "all", environment: ["PLANTED": "planted-0815"])
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let heads = server.requests.filter { $0.line == "GET /a" }.map(\.head)
    #expect(heads.first?.contains("Bearer access-0-4711") == true, "\(heads)")
    #expect(heads.last?.contains("Bearer access-2-4711") == true, "\(heads)")
    server.stop()
    #expect(try recording.record(server, body, "--strict").code == 0)
  }

  @Test func `CAS-66 a secret that an answer says again goes out where it has gone before`() throws
  {
    let server = try EchoServer { request, _ in
      request.line.contains("page=2")
        ? TestRecordingTests.json("{}")
        : TestRecordingTests.json(
          #"{"next":"/a?api_key=planted%2F0815%20x&page=2","said":"planted/0815 x","session_id":"123"}"#
        )
    }
    let other = try TestRecordingTests.counting()
    let body = """
        local key = lull.secret{ env = "PLANTED" }
        local first = api("/a"):with_param("api_key", key)
        t.expect(first:load()):to_succeed()
        t.expect(first.content.said):to_be("‹secret PLANTED›")
        t.expect(first:relative(first.content.next):load()):to_succeed()
        local second = t:service("http://127.0.0.1:\(other.port)", { cassette = "a" })
        second:configure{ headers = { ["X-Said"] = first.content.said } }
        t.expect(second("/b"):load()):to_succeed()
        PIN = first.content.session_id
      """
    let ending = try recording.record(
      server, body, "--record", "all", environment: ["PLANTED": "planted/0815 x"])
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(server.requests.last?.line == "GET /a?api_key=planted/0815%20x&page=2")
    // Where it was not sent as a secret it is not told.
    #expect(!other.requests.contains { $0.head.contains("0815") })
    #expect(files.text("cassettes/a.har")?.contains("0815") == false)
    let short = try recording.record(
      server, body + "\n  api(\"/pin\"):with_param(\"pin\", PIN):load():await()", "--record", "all",
      environment: ["PLANTED": "planted/0815 x"])
    #expect(short.code == 1)
    #expect(short.output.contains(" sends a credential from a response"), "\(short.output)")
    server.stop()
    other.stop()
    #expect(try recording.record(server, body, "--strict").code == 0)
  }

  /// Gives out a token under a name that says nothing, and says again what it is told.
  private static func oddServer() throws -> EchoServer {
    try EchoServer { request, _ in
      switch request.line {
      case "POST /login": TestRecordingTests.json(#"{"thing":"kT7xQ29fLmZ4pWv81RaYcB05","id":7}"#)
      case "GET /again": TestRecordingTests.json(#"{"again":"kT7xQ29fLmZ4pWv81RaYcB05"}"#)
      default: TestRecordingTests.json("{}")
      }
    }
  }

  private static let oddBody = """
      local thing = t.expect(api("/login"):request("POST")):to_succeed().content.thing
      local own = t:service(api.base_url, { cassette = "a", auth = lull.auth.bearer(thing) })
      t.expect(own("/me"):load()):to_succeed()
      t.expect(own("/of/" .. thing):load()):to_succeed()
      t.expect(own("/again"):load()):to_succeed()
    """

  @Test func `CAS-73 a token that was seen before anything called it so is told of`() throws {
    let server = try TestStandInTests.oddServer()
    let ending = try recording.record(server, TestStandInTests.oddBody, "--record", "all")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(
      ending.output.contains(
        "'thing' of the response to POST http://127.0.0.1:\(server.port)/login was sent as a credential: "
          + "the test has seen the real value, and will see lull-token-1 on replay; add hide = { \"thing\" } to the cassette and record it again"
      ),
      "\(ending.output)")
    #expect(server.requests.map(\.line).contains("GET /of/kT7xQ29fLmZ4pWv81RaYcB05"))
    let text = try #require(files.text("cassettes/a.har"))
    #expect(!text.contains("kT7xQ2"), "\(text)")
    #expect(
      text.contains(#""thing\":\"lull-token-1\""#) && text.contains("/of/lull-token-1"), "\(text)")
    server.stop()
    let replayed = try recording.record(server, TestStandInTests.oddBody, "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    #expect(!replayed.output.contains("was sent as a credential"))
  }

  @Test func `CAS-73 what the test names is hidden from the first answer on`() throws {
    let server = try TestStandInTests.oddServer()
    let body = """
        local api = t:service("http://127.0.0.1:\(server.port)", { cassette = "a", hide = { "Thing" } })
      \(TestStandInTests.oddBody)
        t.expect(thing):to_be("lull-token-1")
        t.expect(own("/again").content.again):to_be(thing)
      """
    let ending = try files.prove(body, "--record", "all")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(!ending.output.contains("was sent as a credential"), "\(ending.output)")
    #expect(server.requests.map(\.line).contains("GET /of/kT7xQ29fLmZ4pWv81RaYcB05"))
    #expect(server.requests[1].head.contains("Bearer kT7xQ29fLmZ4pWv81RaYcB05"))
    #expect(files.text("cassettes/a.har")?.contains("kT7xQ2") == false)
    server.stop()
    let replayed = try files.prove(body, "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
  }

  @Test func `CAS-73 names of what is to be hidden are names, and numbers under them are told of`()
    throws
  {
    let server = try EchoServer { request, _ in
      let bodies = ["GET /n": #"{"thing":4711}"#, "GET /b": #"{"thing":true}"#]
      return TestRecordingTests.json(
        bodies[request.line] ?? #"{"thing":{"value":"hunter2hunter2","of":"hunter3"}}"#)
    }
    defer { server.stop() }
    let body = """
        local url = "http://127.0.0.1:\(server.port)"
        t.expect(function() t:cassette("a", { hide = "thing" }) end):to_raise("'hide' must be a list of names of fields")
        t.expect(function() t:cassette("a", { hide = { 1 } }) end):to_raise("'hide' has the names of fields, not 1")
        for _, name in ipairs{ "", "thing\\r", "thing\\0", "th\\xFFing" } do
          t.expect(function() t:cassette("a", { hide = { name } }) end):to_raise("'hide' has the names of fields, not")
        end
        t:cassette("c", { hide = { "thing" } })
        t:cassette("c")
        t.expect(function() t:cassette("c", { hide = { "other" } }) end):to_raise("hides other names")
        t.expect(t:service(url, { cassette = "c" })("/n"):load()):to_succeed()
        t.expect(t:service(url, { cassette = "c" })("/o"):load()):to_succeed()
        t.expect(t:service(url, { cassette = "c" })("/b"):load()):to_succeed()
      """
    let ending = try files.prove(body, "--record", "all")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(
      ending.output.contains("exchange 1, response: the value to hide is a number"),
      "\(ending.output)")
    #expect(
      ending.output.contains(
        "exchange 2, response: the value to hide is a number, an object"),
      "\(ending.output)")
    #expect(
      ending.output.contains(
        "exchange 3, response: the value to hide is a number, an object, true or false"),
      "\(ending.output)")
    #expect(files.text("cassettes/c.har")?.contains("hunter2") == false)
  }
}
