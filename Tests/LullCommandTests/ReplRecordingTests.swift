import LullCassettes
import LullLibC
import Testing

/// `.record`, `.stop` and `.test`: a test made of what was done at a prompt.
@Suite("Recording at a prompt", .timeLimit(.minutes(20)))
struct ReplRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func server() throws -> EchoServer {
    try EchoServer { request, count in
      if request.line == "GET /missing" { return EchoServer.Answer(status: "404 Not Found") }
      let said = request.head.split(separator: "\r\n").last { $0.hasPrefix("authorization") } ?? ""
      return EchoServer.Answer(
        headers: ["Content-Type: application/json"],
        body: "{\"name\":\"Ann\",\"n\":\(count),\"said\":\"\(said)\"}")
    }
  }

  private func text(_ name: String) -> String { folder.text(name) ?? "" }

  private func session(_ lines: [String], environment: [String: String] = [:]) throws -> Screen {
    let screen = try Screen(
      columns: 160, folder: folder.path,
      environment: ["NO_COLOR": "1", "PLANTED": "hunter2-secret"].merging(environment) { $1 })
    for line in lines { try screen.type(line + "\n") }
    return screen
  }

  @Test func `ENV-18 what is recorded in an environment is tested in it`() throws {
    let server = try ReplRecordingTests.server()
    try folder.write(
      "apis/shop.lua",
      """
      return { service = require"lull".service("http://127.0.0.1:\(server.port)"),
        environments = { prod = {} } }
      """)
    let screen = try session(
      [
        ".record shop", "s = lull.api('shop').service", "s('/user'):load()", "s('/user').content.n",
      ],
      environment: ["LULL_ENV": "prod"])
    try screen.wait(for: "Out[2]: 0")
    try screen.type(".test\n")
    try screen.wait(for: "wrote tests/shop_test.lua")
    server.stop()
    #expect(
      text("tests/shop_test.lua").contains(
        "  -- LULL_ENV was prod: set LULL_ENV here too, so that lull.api uses it.\n"))
    #expect(text("tests/cassettes/shop.har").contains("\"_environment\": \"prod\""))
    func run(_ environment: String) throws -> Child.Ending {
      try Child(
        Binaries.lull, ["test"], environment: ["LULL_ENV": environment],
        folder: folder.path
      ).wait()
    }
    #expect(try run("prod").code == 0)
    let other = try run("")
    #expect(other.code == 1 && other.output.contains("environment: prod → none"), "\(other)")
  }

  @Test func `PRM-23 what was typed becomes a test that needs no network and has no secret`() throws
  {
    let server = try ReplRecordingTests.server()
    let screen = try session([
      ".record ann",
      "api = lull.service{ base_url = 'http://127.0.0.1:\(server.port)', "
        + "auth = lull.auth.bearer(lull.secret{ env = 'PLANTED' }) }",
      "local user = api('/user')", "user:load()", "user.content.name", "user.content",
      "user.content.said", "nonsense(", ")", "api('/missing'):load()", "1 + 1 -- two",
    ])
    try screen.wait(for: "Out[6]: 2")
    try screen.type(".test\n")
    try screen.wait(for: "wrote tests/ann_test.lua: lull test runs it without a network")
    server.stop()
    let test = text("tests/ann_test.lua")
    for part in [
      "t:cassette(\"ann\")", "_ = user:load()\n  t.expect(_):to_succeed()",
      "t.expect(_):to_equal(\"Ann\")", "t.expect(_):to_match_snapshot()",
      "t.expect(_):to_fail_with{ status = 404 }", "_ = 1 + 1 -- two\n  t.expect(_):to_equal(2)",
    ] {
      #expect(test.contains(part), "\(part) in \(test)")
    }
    #expect(!test.contains("hunter2") && !text("tests/cassettes/ann.har").contains("hunter2"))
    #expect(!test.contains("nonsense"))
    let ending = try Child(
      Binaries.lull, ["test", "--strict"], folder: folder.path
    ).wait()
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    // Nothing takes the place of anything.
    try screen.type(".test\n")
    try screen.wait(for: "'tests/ann_test.lua' already exists")
    try screen.type(".record ann\n")
    try screen.wait(for: "'tests/cassettes/ann.har' already exists")
  }

  @Test func `PRM-24 a recording that nobody has stopped is written at the end`() throws {
    let server = try ReplRecordingTests.server()
    defer { server.stop() }
    let input = """
      .stop
      .test
      .record
      .record a/b
      .record one
      .record two
      assert(lull.service('http://127.0.0.1:\(server.port)')('/user'):load():await())
      """
    let ending = try Child(
      Binaries.lull, ["repl"], environment: [:], folder: folder.path, input: .text(input)
    ).wait()
    for part in [
      "nothing is being recorded: .record NAME starts a recording",
      "there is no recording that a test can replay",
      "the name is missing: .record NAME", ".record takes a plain name",
      "'one' is already being recorded: .stop ends the recording",
    ] {
      #expect(ending.errors.contains(part), "\(part) in \(ending.errors)")
    }
    #expect(ending.output.contains("recorded 1 exchange in tests/cassettes/one.har"))
    #expect(try HARFile(reading: Array(text("tests/cassettes/one.har").utf8)).entries.count == 1)
  }

  @Test func `PRM-25 there is no recording in the sandbox, and none of nothing`() throws {
    let boxed = try Child(
      Binaries.lull, ["repl", "--sandbox"], environment: [:], folder: folder.path,
      input: .text(".record a\n")
    ).wait()
    #expect(boxed.errors.contains(".record is not available in the sandbox"))
    let ending = try Child(
      Binaries.lull, ["repl"], environment: [:], folder: folder.path,
      input: .text(".record a\n.stop\n")
    ).wait()
    #expect(ending.errors.contains("there was no network traffic"))
    #expect(access(folder.path + "/tests", F_OK) != 0)
  }

  @Test func `PRM-26 what has not ended when a recording is stopped is not in it`() throws {
    let server = try EchoServer { _, _ in
      usleep(2_000_000)
      return EchoServer.Answer()
    }
    defer { server.stop() }
    let other = try ReplRecordingTests.server()
    defer { other.stop() }
    let input = """
      .record one
      slow = lull.service('http://127.0.0.1:\(server.port)')('/slow'):load()
      assert(lull.service('http://127.0.0.1:\(other.port)')('/user'):load():await())
      .stop
      slow:cancel()
      lull.sleep(0.05)
      print('still', 'here')
      """
    let ending = try Child(
      Binaries.lull, ["repl"], environment: [:], folder: folder.path, input: .text(input)
    ).wait()
    #expect(ending.output.contains("recorded 1 exchange"), "\(ending.output)\(ending.errors)")
    #expect(ending.errors.contains("requests still in flight are not recorded: 1"))
    #expect(ending.output.contains("still\there"))
  }

  @Test func `PRM-27 what cannot be expected of a recording is left out, and says why`() throws {
    let server = try EchoServer { _, _ in
      TestRecordingTests.json(#"{"access_token":"tok-4711-issued","n":3}"#)
    }
    let input = """
      .record one
      api = lull.service('http://127.0.0.1:\(server.port)')
      other = api('/other'):load()
      lull.sleep(0.5)
      api('/login'):load()
      lull.sleep(0.5)
      #api('/login').content.access_token
      api('/login').content.access_token:sub(1, 8)
      api('/login').content.n
      api('/other').content.n
      { 1, 2, x = 3 }
      { f = print }
      api('/login').content
      0/0
      'a' .. 'b'
      .test
      """
    let ending = try Child(
      Binaries.lull, ["repl"], environment: [:], folder: folder.path, input: .text(input)
    ).wait()
    server.stop()
    let test = text("tests/one_test.lua")
    for part in [
      "_ = #api('/login').content.access_token\n  -- Not expected: responses were recorded with placeholders",
      ".n\n  t.expect(_):to_equal(3)", "x = 3 }\n  -- Not expected: a snapshot cannot represent",
      "{ f = print }\n  -- Not expected", ".content\n  t.expect(_):to_match_snapshot()",
      "_ = api('/login'):load()\n  t.expect(_):to_succeed()", "to_equal(\"ab\")",
    ] {
      #expect(test.contains(part), "\(part) in \(test)\(ending.output)\(ending.errors)")
    }
    #expect(!test.contains("tok-4711"))
    let run = try Child(
      Binaries.lull, ["test", "--strict"], folder: folder.path
    ).wait()
    #expect(run.code == 0, "\(run.output)\(run.errors)\(test)")
  }
}
