import LullCassettes
import Testing

/// What else is written while tests are recorded, and what of a recording others need.
@Suite("lull test: what recording writes", .timeLimit(.minutes(20)))
struct TestRecordedFileTests {
  private let recording: TestRecordingTests
  private var files: TestFiles { recording.files }

  init() throws { recording = try TestRecordingTests() }

  @Test
  func `CAS-64 snapshots and reports of what is recorded have no more than the recording`() throws {
    let server = try EchoServer { request, _ in
      let said = request.head.split(separator: "\r\n").last {
        $0.lowercased().hasPrefix("authorization")
      }
      return TestRecordingTests.json("{\"said\":\"\(said ?? "")\",\"n\":1}")
    }
    func body(_ end: String) -> String {
      """
        local own = t:service("http://127.0.0.1:\(server.port)", {
          cassette = "a", auth = lull.auth.bearer(lull.secret{ env = "PLANTED" }) })
        t.expect(own("/a"):load()):to_succeed()
        t.expect(own("/a").content):to_match_snapshot()
        print(own("/a").content.said)
        \(end)
      """
    }
    let planted = ["PLANTED": "planted-4711-secret"]
    let failing = try recording.record(
      server, body("t.expect(own(\"/a\").content.said):to_be(\"x\")"), "--record", "all", "--html",
      "r.html", "--junit", "r.xml", environment: planted)
    #expect(failing.code == 1)
    for text in [failing.output, files.text("r.html") ?? "", files.text("r.xml") ?? ""] {
      #expect(text.contains("PLANTED") && !text.contains("planted-4711"), "\(text)")
    }
    let ending = try recording.record(server, body(""), "--record", "all", environment: planted)
    #expect(ending.code == 0, "\(ending.output)")
    server.stop()
    #expect(files.text("snapshots/one_test.snap")?.contains("planted-4711") == false)
    #expect(try recording.record(server, body("")).code == 0)
  }

  @Test func `CAS-65 what a test reads before it writes is answered so though another has written`()
    throws
  {
    let server = try TestRecordingTests.counting()
    try files.write(
      "one_test.lua",
      TestRecordingTests.test(
        "writes", server.port,
        """
          t.expect(api("/k"):request("PUT", { json = {} })):to_succeed()
          t.expect(api("/k"):load()):to_succeed()
          t.expect(api("/k").content.n):to_be(2)
        """)
        + TestRecordingTests.test(
          "reads", server.port,
          """
            t.expect(api("/k"):load()):to_succeed()
            t.expect(api("/k").content.n):to_be(3)
          """))
    #expect(try files.run("one_test.lua", "--record", "all").code == 0)
    server.stop()
    let ending = try files.run("one_test.lua", "--strict")
    #expect(ending.code == 0, "\(ending.output)")
  }

  @Test
  func
    `CAS-61 others are kept by their bodies, with files that are named and tests that are skipped`()
    throws
  {
    let server = try TestRecordingTests.counting()
    defer { server.stop() }
    let asks = { (what: String) in
      "  t.expect(api(\"/graphql\"):request(\"POST\", { json = { query = \"\(what)\" } })):to_succeed()"
    }
    try files.write(
      "tests/one_test.lua", TestRecordingTests.test("first", server.port, asks("one")))
    let second = TestRecordingTests.test("second", server.port, asks("two"))
    try files.write("tests/two_test.lua", second)
    let count = { () throws in
      try HARFile(reading: Array((files.text("tests/cassettes/a.har") ?? "").utf8)).entries.count
    }
    let whole = try files.run("--record", "all", "--strict")
    #expect(whole.code == 0, "\(whole.output)")
    #expect(try count() == 2)
    #expect(try files.run("tests/two_test.lua", "--record", "all").code == 0)
    #expect(try count() == 2)
    try files.write("tests/two_test.lua", second.replacing("test(", with: "test.skip("))
    #expect(try files.run("--record", "all").code == 0)
    #expect(try count() == 2)
  }

  @Test func `CAS-74 a file that is uploaded goes out with the tokens that it has stand-ins of`()
    throws
  {
    let server = try EchoServer { request, _ in
      switch request.line {
      case "POST /login": TestRecordingTests.json(#"{"access_token":"tok/4711+xyz=0815"}"#)
      case "GET /file":
        EchoServer.Answer(
          headers: ["Content-Type: text/plain"], body: "has tok/4711+xyz=0815 in it")
      default: TestRecordingTests.json("{}")
      }
    }
    let body = """
        t.expect(api("/login"):request("POST")):to_succeed()
        t.expect(api("/file"):download("got.txt")):to_succeed()
        t.expect(api("/up"):request("PUT", lull.file("got.txt"))):to_succeed()
        t.expect(api("/form"):request("POST", lull.multipart{ a = "1", f = lull.file("got.txt") })):to_succeed()
        os.remove("got.txt")
      """
    let ending = try recording.record(server, body, "--record", "all")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let bodies = server.requests.suffix(2).map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies.first == "has tok/4711+xyz=0815 in it")
    #expect(bodies.last?.contains("\r\n\r\nhas tok/4711+xyz=0815 in it\r\n") == true, "\(bodies)")
    #expect(files.text("cassettes/a.har")?.contains("4711") == false)
    server.stop()
    let replayed = try recording.record(server, body, "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
  }

  @Test func `CAS-74 a file with a secret in it is the recorded one, without the secret too`()
    throws
  {
    let server = try TestRecordingTests.counting()
    try files.folder.write("key.json", #"{"thing":"planted-4711-secret","n":1}"#)
    let body = """
        local own = t:service("http://127.0.0.1:\(server.port)", {
          cassette = "a", auth = lull.auth.bearer(lull.secret{ env = "PLANTED" }) })
        t.expect(own("/a"):load()):to_succeed()
        t.expect(own("/up"):request("PUT", lull.file("key.json"))):to_succeed()
        t.expect(own("/form"):request("POST", lull.multipart{ f = lull.file("key.json") })):to_succeed()
      """
    let ending = try recording.record(
      server, body, "--record", "all", environment: ["PLANTED": "planted-4711-secret"])
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(server.requests.last?.body.isEmpty == false)
    let text = try #require(files.text("cassettes/a.har"))
    #expect(!text.contains("4711") && text.contains("‹secret PLANTED›"), "\(text)")
    server.stop()
    let replayed = try recording.record(server, body, "--strict")
    #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    try files.folder.write("key.json", #"{"thing":"planted-4711-secret","n":2}"#)
    #expect(try recording.record(server, body).code == 1)
  }

  @Test func `CAS-71 what has a secret in compressed data is not recorded`() throws {
    let server = try EchoServer { _, _ in
      TestRecordingTests.json(
        #"{"file":"H4sIAAAAAAAC/6tWyk6tVLJSKshJzCtJTdE1sDA01a2orFKqBQBuBJOlGgAAAA=="}"#)
    }
    defer { server.stop() }
    let body = """
        local own = t:service("http://127.0.0.1:\(server.port)", {
          cassette = "a", auth = lull.auth.bearer(lull.secret{ env = "PLANTED" }) })
        t.expect(own("/a"):load()):to_succeed()
      """
    let ending = try recording.record(
      server, body, "--record", "all", environment: ["PLANTED": "planted-0815-xyz"])
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        "cassettes/a.har would contain a credential that cannot be removed: exchange 1, response body, has "
          + "‹secret PLANTED› in compressed data: stub that request with t.network:on"),
      "\(ending.output)")
    #expect(files.text("cassettes/a.har") == nil)
  }
}
