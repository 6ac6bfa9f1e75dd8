import Testing

/// Environments that want a word before anything is changed there.
@Suite("confirm_writes", .timeLimit(.minutes(20)))
struct EnvironmentWriteTests {
  private let folder: TemporaryFolder
  private let server: EchoServer

  init() throws {
    folder = try TemporaryFolder()
    server = try EchoServer { request, _ in
      request.line.hasSuffix("/busy") ? EchoServer.Answer(status: "503 Busy") : EchoServer.Answer()
    }
    try folder.write(
      "apis/x.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "http://127.0.0.1:\(server.port)",
        retry = { times = 2, unsafe = true, backoff = { base = 0.01 } } }
      return {
        service = api,
        calls = { make = { method = "POST", path = "/made", params = { n = "integer" } } },
        environments = { prod = { confirm_writes = true }, test = {} },
      }
      """)
  }

  private var environment: [String: String] {
    [
      "XDG_STATE_HOME": folder.path + "/state", "XDG_CONFIG_HOME": folder.path + "/config",
      "NO_COLOR": "1",
    ]
  }

  private func run(_ words: String..., more: [String: String] = [:]) throws -> Child.Ending {
    try Child(
      Binaries.lull, words, environment: environment.merging(more) { $1 }, folder: folder.path
    ).wait()
  }

  private var lines: [String] { server.requests.map(\.line) }

  @Test func `ENV-14 without a terminal writes are refused with one line, unless --yes is given`()
    throws
  {
    defer { server.stop() }
    let refused = try run("post", "x@prod", "/a", "b=c")
    #expect(
      refused.errors
        == "lull: POST http://127.0.0.1:\(server.port)/a is not sent: writes to the environment 'prod' need "
        + "confirmation at a terminal, or --yes\n")
    #expect(refused.code == 2)
    #expect(try run("call", "x@prod", "make", "--n", "1").code == 2)
    #expect(try run("MKCOL", "x@prod", "/a").code == 2)
    #expect(try run("x@prod", "/a", "b=c", more: ["LULL_ENV": "test"]).code == 2)
    #expect(try run("delete", "x", "/a", more: ["LULL_ENV": "prod"]).code == 2)
    #expect(lines == [])
    for words in [
      ["get", "x@prod", "/g"], ["head", "x@prod", "/h"], ["options", "x@prod", "/o"],
      ["post", "x@prod", "/p", "b=c", "--yes"], ["call", "x@prod", "make", "--n", "1", "--yes"],
      ["post", "x@test", "/t"], ["post", "x", "/x"],
    ] {
      let ending = try Child(Binaries.lull, words, environment: environment, folder: folder.path)
        .wait()
      #expect(ending.code == 0, "\(ending)")
    }
    #expect(
      lines == [
        "GET /g", "HEAD /h", "OPTIONS /o", "POST /p", "POST /made", "POST /t", "POST /x",
      ])
    #expect(try run("post", "x@prod", "/a", "b=c", "--dry-run").code == 0)
    #expect(try run("post", "x@prod", "/a", "b=c", "--curl").code == 0)
    #expect(lines.count == 7)
  }

  @Test func `ENV-14 what is confirmed is sent again as retries have it`() throws {
    defer { server.stop() }
    #expect(try run("post", "x@prod", "/busy", "--yes").code == 5)
    #expect(lines == ["POST /busy", "POST /busy", "POST /busy"])
  }

  @Test func `ENV-15 at a terminal it asks, and no is the answer of whoever says nothing`() throws {
    defer { server.stop() }
    for (answer, code) in [("\n", Int32(1)), ("n\n", 1), ("nyes\n", 1), (Child.controlC, 130)] {
      let child = try Child(
        Binaries.lull, ["post", "x@prod", "/a", "b=c"], environment: environment,
        folder: folder.path, terminal: true)
      try child.waitForOutput("x@prod: POST http://127.0.0.1:\(server.port)/a")
      try child.waitForOutput("Send it? [y/N] ")
      child.type(answer)
      let ending = try child.wait()
      #expect(ending.code == code, "\(ending)")
    }
    #expect(lines == [])
    let child = try Child(
      Binaries.lull, ["post", "x@prod", "/a", "b=c"], environment: environment,
      folder: folder.path, terminal: true)
    try child.waitForOutput("Send it? [y/N] ")
    child.type("y\n")
    #expect(try child.wait().code == 0)
    #expect(lines == ["POST /a"])
  }

  @Test
  func
    `ENV-14 a script's writes fail unless they are confirmed, in chains and whatever they become`()
    throws
  {
    defer { server.stop() }
    try folder.write(
      "write.lua",
      """
      local lull = require "lull"
      local api = lull.api("x@prod")
      local _, err = api.service("/a"):post():await()
      print(err.cause.kind, err.user_message)
      _, err = api.calls.make{ n = 1 }:await()
      print(err.cause.kind)
      _, err = api.service("/g"):get():chained(function()
        return api.service("/b"):put{ json = {} }
      end):await()
      print(err and err.cause.kind)
      api.service:configure("/sly", function(settings)
        settings:mutate_requests(function(http) http.method = "DELETE" end)
      end)
      _, err = api.service("/sly"):get():await()
      print(err and err.cause.kind)
      print(lull.api("x@test").service("/t"):post():await() ~= nil)
      """)
    let refused = try run("write.lua")
    #expect(
      refused.output == """
        unconfirmed\tPOST http://127.0.0.1:\(server.port)/a was not sent: confirm writes to the environment 'prod' \
        with lull --yes or api:confirm_writes()
        unconfirmed
        unconfirmed
        unconfirmed
        true

        """, "\(refused)")
    #expect(lines == ["GET /g", "POST /t"])
    let confirmed = try run("--yes", "write.lua")
    #expect(confirmed.code != 0, "there is no error to look into: \(confirmed)")
    #expect(lines.dropFirst(2).first == "POST /a")
    try folder.write(
      "own.lua",
      """
      local api = require"lull".api("x@prod"):confirm_writes()
      assert(api.service("/own"):post():await())
      """)
    #expect(try run("own.lua").code == 0)
    #expect(lines.last == "POST /own")
  }
}
