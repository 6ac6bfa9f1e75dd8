import LullCassettes
import LullLibC
import Testing

/// Answers of a server, recordings and cached answers held against schemas.
@Suite("Validation of what comes over the network", .timeLimit(.minutes(20)))
struct ValidationNetworkTests {
  private let folder: TemporaryFolder
  private let server: EchoServer

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "a.schemas.json",
      """
      {"calls":{
      "any":{"responses":{"200":{"items":{"$ref":"#/$defs/item"}},"206":{"type":"object"},"204":{"type":"object"},"4XX":{"type":"object","required":["title"]}}}
      },"$defs":{
      "item":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}
      }}
      """)
    server = try EchoServer { request, _ in ValidationNetworkTests.answer(request) }
    for how in ["warn", "fail"] {
      for stage in ["none", "raw_data", "parsing"] { try write(how, stage) }
    }
  }

  private static let wrong = #"[{"id":"x"}]"#
  private static let place = "/0/id: must be a whole number, got \"x\""

  private static func answer(_ request: EchoServer.Request) -> EchoServer.Answer {
    func answer(
      _ body: String, _ status: String = "200 OK", type: String? = "application/json",
      _ headers: String...
    ) -> EchoServer.Answer {
      EchoServer.Answer(
        status: status, headers: (type.map { ["Content-Type: \($0)"] } ?? []) + headers, body: body)
    }
    let target = request.line.split(separator: " ").last.map(String.init) ?? ""
    switch target.split(separator: "?").first.map(String.init) ?? "" {
    case "/tagged":
      return request.head.lowercased().contains("if-none-match")
        ? answer("", "304 Not Modified", type: nil, "ETag: \"1\"")
        : answer(wrong, "200 OK", type: "application/json", "ETag: \"1\"")
    case "/pages":
      let next = target.hasSuffix("page=2") ? 3 : target.hasSuffix("page=3") ? nil : 2
      return EchoServer.Answer(
        headers: ["Content-Type: application/json"]
          + (next.map { ["Link: </pages?page=\($0)>; rel=\"next\""] } ?? []),
        body: next == 3 ? wrong : #"[{"id":1}]"#)
    case "/none": return answer("", "204 No Content", type: nil)
    case "/nothing": return answer("", type: nil)
    case "/problem":
      return answer(#"{"titel":1}"#, "422 Unprocessable Content", type: "application/problem+json")
    case "/part":
      return answer(
        wrong, "206 Partial Content", type: "application/json", "Content-Range: bytes 0-9/99")
    case "/lines": return answer("{\"id\":\"x\"}\n{\"id\":2}\n", type: "application/x-ndjson")
    case "/vendor": return answer(wrong, type: "application/vnd.x+json; charset=utf-8")
    case "/text": return answer(wrong, type: "text/plain")
    case "/head": return answer("", type: "application/json")
    default: return answer(wrong)
    }
  }

  private func write(_ how: String, _ stage: String) throws {
    let pipeline =
      stage == "none"
      ? "" : "api:configure{ pipeline = { \(stage) = { cache = lull.cache.file() } } }"
    try folder.write(
      "\(how)-\(stage).lua",
      """
      local lull = require "lull"
      local api = lull.service{
        base_url = "http://127.0.0.1:\(server.port)", validate = "\(how)", expiration_time = 600 }
      \(pipeline)
      return { service = api, schemas = "a.schemas.json", calls = {
        any = { path = "/{p}", pages = true },
        send = { path = "/{p}", method = "POST", schema = { type = "object" } } } }
      """)
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(
      Binaries.lull, words, environment: ["XDG_CACHE_HOME": folder.path + "/cache"],
      folder: folder.path
    ).wait()
  }

  @Test(arguments: ["x", "vendor"])
  func `SCH-28 what a server answers is held against its schema as it comes`(path: String) throws {
    defer { server.stop() }
    let warned = try run("get", "./warn-none.lua", "/\(path)")
    #expect(warned.output == ValidationNetworkTests.wrong + "\n" && warned.code == 0, "\(warned)")
    #expect(warned.errors == "lull: warning: call 'any': \(ValidationNetworkTests.place)\n")
    let failed = try run("call", "./fail-none.lua", "any", "--p", path)
    #expect(failed.code == 1)
    #expect(
      failed.errors.contains("the schema of call 'any':\n  \(ValidationNetworkTests.place)\n"))
    let sent = try run("post", "./fail-none.lua", "/x", "a=1")
    #expect(sent.errors.contains("the schema of call 'send':\n  the content: must be an object"))
    #expect(sent.code == 1)
  }

  @Test(arguments: ["none", "nothing", "part", "lines", "text"])
  func `SCH-28 what has no content of JSON as a whole is held against nothing`(path: String) throws
  {
    defer { server.stop() }
    let ending = try run("get", "./fail-none.lua", "/\(path)")
    #expect(ending.code == 0 && ending.errors == "", "\(ending)")
  }

  @Test func `SCH-28 neither is the head of an answer, and errors stay the errors that they are`()
    throws
  {
    defer { server.stop() }
    let head = try run("head", "./fail-none.lua", "/head")
    #expect(head.code == 0 && head.errors == "", "\(head)")
    for how in ["warn", "fail"] {
      let problem = try run("get", "./\(how)-none.lua", "/problem")
      #expect(problem.code == 4)
      #expect(
        problem.errors.hasPrefix(
          "lull: warning: call 'any': the content: must have 'title'\nlull: "),
        "\(problem)")
    }
  }

  @Test func `SCH-28 each page is, and the walk ends at one that does not fit`() throws {
    defer { server.stop() }
    let warned = try run("get", "./warn-none.lua", "/pages", "--all")
    #expect(warned.output == #"[{"id":1},{"id":"x"},{"id":1}]"# + "\n" && warned.code == 0)
    #expect(warned.errors == "lull: warning: call 'any': \(ValidationNetworkTests.place)\n")
    let failed = try run("call", "./fail-none.lua", "any", "--p", "pages", "--all")
    #expect(failed.code == 1)
    #expect(failed.errors.contains("/pages?page=2 → 200), the schema of call 'any'"), "\(failed)")
    #expect(server.requests.map(\.line).last == "GET /pages?page=2")
    try folder.write(
      "walk.lua",
      """
      local lull = require "lull"
      for _, how in ipairs{ "warn", "fail" } do
        local count, problem = 0
        for page, err in lull.api("./" .. how .. "-none.lua").calls.any:pages{ p = "pages" } do
          if page then count = count + 1 else problem = err.cause.kind end
        end
        print(how, count, problem)
      end
      """)
    let walk = try run("walk.lua")
    #expect(walk.output.hasPrefix("warn\t3\tnil\n"), "\(walk)")
    #expect(!walk.output.contains("fail\t3"), "\(walk)")
  }

  @Test func `SCH-28 streams and downloads are not validated, and --validate is refused for them`()
    throws
  {
    defer { server.stop() }
    let stream = try run("get", "./fail-none.lua", "/lines", "--stream")
    #expect(stream.code == 0 && stream.errors == "", "\(stream)")
    let download = try run("get", "./fail-none.lua", "/x", "-O", "x.json")
    #expect(download.code == 0, "\(download)")
    #expect(folder.text("x.json") == ValidationNetworkTests.wrong)
    for option in ["--stream", "--download"] {
      let refused = try run("get", "./fail-none.lua", "/lines", option, "--validate", "fail")
      #expect(refused.code == 2)
      #expect(
        refused.errors.hasPrefix("lull: --validate cannot be combined with \(option)\n"),
        "\(refused)")
    }
  }

  @Test func `SCH-28 where nothing has changed, what is there has been looked at`() throws {
    defer { server.stop() }
    try folder.write(
      "tagged.lua",
      """
      local lull = require "lull"
      local warn = lull.api("./warn-none.lua").service("/tagged")
      print(warn:load():await() ~= nil, warn:load():await() ~= nil)
      local fail = lull.api("./fail-none.lua").service("/tagged")
      for _ = 1, 2 do
        local _, err = fail:load():await()
        print(err.cause.kind, fail.latest_data)
      end
      """)
    let ending = try run("tagged.lua")
    #expect(ending.output == "true\ttrue\nvalidation\tnil\nvalidation\tnil\n", "\(ending)")
    #expect(ending.errors == "lull: warning: call 'any': \(ValidationNetworkTests.place)\n")
    // What did not fit is nothing that could be asked for again.
    let conditions = server.requests.map { $0.head.lowercased().contains("if-none-match") }
    #expect(conditions == [false, true, false, false])
  }

  @Test func `SCH-29 what a cache file has kept before the step is looked at each time`() throws {
    defer { server.stop() }
    #expect(try run("get", "./warn-raw_data.lua", "/x").errors.contains("warning"))
    #expect(try run("get", "./warn-raw_data.lua", "/x").errors.contains("warning"))
    #expect(server.requests.count == 1)
    // What fails is not taken from there: the server is asked whether it has something else.
    let failed = try run("get", "./fail-raw_data.lua", "/x")
    #expect(failed.code == 1 && failed.errors.contains("does not match its schema"), "\(failed)")
    #expect(server.requests.count == 2)
    // Another schema counts at once.
    let text = try #require(folder.text("a.schemas.json"))
    try folder.write("a.schemas.json", text.replacing("integer", with: "string"))
    #expect(try run("get", "./fail-raw_data.lua", "/x").code == 0)
    #expect(server.requests.count == 2)
  }

  @Test
  func `SCH-29 SCH-27 what fails is kept behind the step by no cache file, what is warned of is`()
    throws
  {
    defer { server.stop() }
    for _ in 0..<2 {
      #expect(try run("get", "./fail-parsing.lua", "/x").code == 1)
    }
    #expect(server.requests.count == 2)
    #expect(try run("get", "./warn-parsing.lua", "/x").errors.contains("warning"))
    let kept = try run("get", "./fail-parsing.lua", "/x")
    #expect(kept.code == 0 && kept.errors == "", "\(kept)")
    #expect(server.requests.count == 3)
    let fresh = try run("get", "./fail-parsing.lua", "/x", "--fresh")
    #expect(fresh.code == 1, "\(fresh)")
  }

  @Test func `SCH-26 a recording of a server is held against the schema where it is replayed`()
    throws
  {
    func test(_ how: String, _ path: String, _ expectation: String) throws -> Child.Ending {
      try folder.write(
        "tests/v_test.lua",
        """
        local test = require "lull.test"
        test("v", function(t)
          local api = t:api("./\(how)-none.lua", { cassette = "v" })
          t.expect(api.calls.any{ p = "\(path)" }):\(expectation)
        end)
        """)
      return try run("test", "--record", "missing")
    }
    let failed = try test("fail", "x", "to_succeed()")
    #expect(failed.code == 1)
    #expect(folder.text("tests/cassettes/v.har") == nil, "of a test that has failed")
    #expect(try test("warn", "x", "to_succeed()").code == 0)
    #expect(try test("warn", "problem", "to_fail_with{ status = 422 }").code == 0)
    server.stop()
    for (how, path, expectation) in [
      ("warn", "x", "to_succeed()"), ("fail", "x", "to_fail_with{ kind = \"validation\" }"),
      ("fail", "problem", "to_fail_with{ status = 422 }"),
    ] {
      _ = try test(how, path, expectation)
      let replayed = try run("test")
      #expect(replayed.code == 0, "\(how) \(path): \(replayed)")
    }
    _ = try test("fail", "x", "to_succeed()")
    let replayed = try run("test")
    #expect(replayed.code == 1)
    #expect(
      replayed.output.contains(
        "(200): schema of call 'any': \(ValidationNetworkTests.place)\n"),
      "\(replayed)")
  }
}
