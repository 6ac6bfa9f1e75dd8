import LullCassettes
import LullLibC
import Testing

/// Environments of API files in tests, recordings and mocks.
@Suite("Environments in tests and mocks", .timeLimit(.minutes(20)))
struct EnvironmentTestRunTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  private static func shop(_ base: String, _ own: String = "") -> String {
    """
    local lull = require "lull"
    local name, environment = ...
    return {
      service = lull.service{ base_url = "\(base)", headers = { ["x-place"] = environment or "none" } },
      calls = {
        users = { path = "/users", params = { size = "integer" }, example = { place = environment or "none" } },
        add = { path = "/users", method = "POST" },
        gone = environment ~= "one" and { path = "/gone" } or nil,
      },
      environments = { one = { \(own) }, two = { \(own) confirm_writes = true } },
    }
    """
  }

  /// Says which environment has asked, and how often it was asked before.
  private static func server() throws -> EchoServer {
    try EchoServer { request, count in
      let place = request.head.split(separator: "\r\n").first { $0.hasPrefix("x-place: ") }
      return EchoServer.Answer(
        headers: ["Content-Type: application/json"],
        body: #"{"place":"\#(place?.dropFirst(9) ?? "")","n":\#(count)}"#)
    }
  }

  private func entries(_ name: String) throws -> [HAREntry] {
    try HARFile(reading: Array((files.text("cassettes/\(name).har") ?? "").utf8)).entries
  }

  // MARK: Mocks

  private final class Mock {
    let child: Child
    let line: String
    var url: String { String(line.prefix { $0 != " " }) }

    init(_ folder: TemporaryFolder, _ words: String..., environment: [String: String] = [:]) throws
    {
      child = try Child(
        Binaries.lull, ["mock"] + words, environment: environment, folder: folder.path)
      try child.waitForOutput("\n")
      line = String(child.outputText.prefix { $0 != "\n" })
    }

    deinit { child.send(SIGKILL) }

    func body(_ path: String) throws -> String {
      try Child("curl", ["-s", "--max-time", "120", url + path]).wait().output
    }
  }

  @Test func `ENV-16 a mock serves the calls as the file has them in an environment`() throws {
    let folder = files.folder
    let text = EnvironmentTestRunTests.shop("https://a.test/v1")
      .replacing("one = {", with: "one = { base_url = 'https://one.test/v9',")
    try folder.write("apis/shop.lua", text)
    let one = try Mock(folder, "shop@one")
    #expect(one.line.hasSuffix(" serves 2 calls of shop@one"))
    #expect(try one.body("/v9/users") == #"{"place":"one"}"#)
    #expect(try one.body("/v1/users").contains("no call of 'shop@one' has the path /v1/users"))
    let two = try Mock(folder, "shop", environment: ["LULL_ENV": "two"])
    #expect(two.line.hasSuffix(" serves 3 calls of shop@two"))
    #expect(try two.body("/v1/users") == #"{"place":"two"}"#)
    let plain = try Mock(folder, "./apis/shop.lua")
    #expect(plain.line.hasSuffix(" serves 3 calls of shop"))
    let missing = try Child(Binaries.lull, ["mock", "shop@tow"], folder: folder.path).wait()
    #expect(
      missing.errors
        == "lull: 'shop' has no environment 'tow' (did you mean 'two'?); it has one, two\n")
    #expect(missing.code == 3 && missing.output == "")
  }

  @Test func `ENV-16 ENV-18 recordings of another environment answer nothing in a mock`() throws {
    let folder = files.folder
    try folder.write("apis/shop.lua", EnvironmentTestRunTests.shop("https://a.test"))
    func entry(_ place: String?) -> HAREntry {
      var entry = HAREntry(
        started: 1, milliseconds: 1,
        request: HARRequest(method: "GET", url: "https://a.test/\(place == nil ? "any" : "gone")"),
        response: HARResponse(
          status: 200, headers: [HARHeader("Content-Type", "application/json")],
          body: HARBody(Array("\"\(place ?? "any")\"".utf8), type: "application/json")))
      entry.request.environment = place
      return entry
    }
    let file = HARFile(
      creator: .init(name: "test", version: "1"), entries: [entry("one"), entry("two"), entry(nil)])
    try folder.write("a.har", file.encoded())
    let two = try Mock(folder, "shop@two", "--cassette", "a.har")
    #expect(try two.body("/gone") == "\"two\"")
    #expect(try two.body("/any") == "\"any\"")
    let plain = try Mock(folder, "shop", "--cassette", "a.har")
    #expect(try plain.body("/any") == "\"any\"")
    let miss = try plain.body("/gone")
    #expect(miss.contains("environment: one → none"), "\(miss)")
  }

  // MARK: Tests

  @Test func `ENV-17 a test has an API file in the environment that it names, else in LULL_ENV's`()
    throws
  {
    try files.folder.write("apis/shop.lua", EnvironmentTestRunTests.shop("https://a.test"))
    let body = """
        t.network:on("GET", "/users", function(request) return { text = request.headers["x-place"] } end)
        local one = t:api("shop@one")
        t.expect(one.environment):to_be("one")
        t.expect(t.expect(one.calls.users{}):to_succeed().text):to_be("one")
        t.expect(lull.api("shop@one") == one):to_be(true)
        local usual = t:api("shop")
        t.expect(t.expect(usual.calls.users{}):to_succeed().text):to_be(usual.environment or "none")
        print("usual", usual.environment)
        t.expect(function() t:api("shop@tow") end):to_raise("has no environment 'tow'")
        t.expect(t.output):to_be("usual\\t" .. (lull.env("WANTED") or "nil") .. "\\n")
      """
    let plain = try files.prove(body)
    #expect(plain.code == 0, "\(plain.output)\(plain.errors)")
    let two = try files.prove(body, environment: ["LULL_ENV": "two", "WANTED": "two"])
    #expect(two.code == 0, "\(two.output)\(two.errors)")
    let none = try files.prove(body, environment: ["LULL_ENV": "nowhere"])
    #expect(none.code == 1)
    #expect(
      none.output.contains("'shop' has no environment 'nowhere', which LULL_ENV names; it has one"),
      "\(none.output)")
  }

  @Test func `ENV-17 ENV-14 writes are answered, and sent by a recording only where confirmed`()
    throws
  {
    let server = try EnvironmentTestRunTests.server()
    defer { server.stop() }
    try files.folder.write(
      "apis/shop.lua", EnvironmentTestRunTests.shop("http://127.0.0.1:\(server.port)"))
    let answered = try files.prove(
      """
        t.network:on("POST", "/users", { status = 201 })
        t.expect(t:api("shop@two").calls.add{}):to_succeed()
      """)
    #expect(answered.code == 0, "\(answered.output)")
    let refused = """
        local api = t:api("shop@two", { cassette = "a" })
        t.expect(api.calls.add{}):to_fail_with{ kind = "unconfirmed" }
      """
    let recorded = try files.prove(refused, "--record", "missing")
    #expect(recorded.code == 0, "\(recorded.output)\(recorded.errors)")
    #expect(server.requests.isEmpty)
    let confirmed = """
        local api = t:api("shop@two", { cassette = "a" })
        api:confirm_writes()
        t.expect(t.expect(api.calls.add{}):to_succeed().content.place):to_be("two")
      """
    #expect(try files.prove(confirmed, "--record", "missing").code == 0)
    #expect(server.requests.map(\.line) == ["POST /users"])
    let replayed = try files.prove(confirmed.replacing("api:confirm_writes()", with: ""))
    #expect(replayed.code == 0, "\(replayed.output)")
    #expect(server.requests.count == 1)
  }

  @Test func `ENV-17 coverage is of the environment that is named, else of all together`() throws {
    try files.folder.write("apis/shop.lua", EnvironmentTestRunTests.shop("https://a.test"))
    let body = """
        t.network:on("GET", "/users", { json = {} })
        t.network:on("POST", "/users", { json = {} })
        t.expect(t:api("shop@one").calls.users{ size = 1 }):to_succeed()
        t.expect(t:api("shop@two").calls.users{}):to_succeed()
        t.expect(t:api("shop@two").calls.add{}):to_succeed()
      """
    let ending = try files.prove(
      body, "--coverage", "shop", "--coverage", "shop@one", "--coverage", "shop@two", "--coverage",
      "./apis/shop.lua@two", "--html", "page.html")
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(
      ending.output.contains(
        """
        coverage of apis/shop.lua: 2 of 3 calls
          call   requests  statuses  parameters  not used
          users  2         200 ×2    size
          add    1         200
          gone   none
        coverage of apis/shop.lua@one: 1 of 2 calls
          call   requests  statuses  parameters  not used
          users  1         200       size
          add    none
        coverage of apis/shop.lua@two: 2 of 3 calls
          call   requests  statuses  parameters  not used
          users  1         200                   size
          add    1         200
          gone   none

        """), "\(ending.output)")
    #expect(files.text("page.html")?.contains("coverage of apis/shop.lua@two") == true)
    let missing = try files.prove(body, "--coverage", "shop@tow")
    #expect(missing.code == 3 && missing.errors.contains("has no environment 'tow'"))
  }

  // MARK: Recordings

  @Test func `ENV-18 recordings of two environments at one server are kept apart`() throws {
    let server = try EnvironmentTestRunTests.server()
    try files.folder.write(
      "apis/shop.lua", EnvironmentTestRunTests.shop("http://127.0.0.1:\(server.port)"))
    func body(_ first: String, _ second: String) -> String {
      """
        for _, name in ipairs{ "\(first)", "\(second)", "\(first)" } do
          local api = t:api("shop@" .. name, { cassette = name })
          t.expect(t.expect(api.calls.users{}):to_succeed().content.place):to_be(name)
        end
      """
    }
    let recorded = try files.prove(body("one", "two"), "--record", "missing")
    #expect(recorded.code == 0, "\(recorded.output)\(recorded.errors)")
    #expect(try entries("one").map(\.request.environment) == ["one", "one"])
    #expect(try entries("two").map(\.request.environment) == ["two"])
    server.stop()
    for order in [body("one", "two"), body("two", "one")] {
      let replayed = try files.prove(order)
      #expect(replayed.code == 0, "\(replayed.output)\(replayed.errors)")
    }
    let missed = try files.prove(
      """
        t:cassette("two")
        t:api("shop@one").calls.users{}:await()
      """)
    #expect(missed.code == 1)
    #expect(missed.output.contains("environment: two → one"), "\(missed.output)")
  }

  @Test func `ENV-18 one recording of two environments answers each with its own`() throws {
    let server = try EnvironmentTestRunTests.server()
    try files.folder.write(
      "apis/shop.lua", EnvironmentTestRunTests.shop("http://127.0.0.1:\(server.port)"))
    func body(_ names: String...) -> String {
      """
        t:cassette("both")
        for _, name in ipairs{ \(names.map { "\"\($0)\"" }.joined(separator: ", ")) } do
          local api = t:api(name)
          t.expect(t.expect(api.calls.users{}):to_succeed().content.place):to_be(api.environment or "none")
        end
      """
    }
    let recorded = try files.prove(body("shop@one", "shop", "shop@two"), "--record", "missing")
    #expect(recorded.code == 0, "\(recorded.output)\(recorded.errors)")
    server.stop()
    for order in [
      body("shop@two", "shop@two", "shop", "shop@one"), body("shop@one", "shop@two", "shop"),
    ] {
      let replayed = try files.prove(order)
      #expect(replayed.code == 0, "\(replayed.output)")
    }
  }

  @Test func `ENV-18 a recording of whoever answers each environment, but for what another claims`()
    throws
  {
    try files.folder.write("apis/shop.lua", EnvironmentTestRunTests.shop("https://a.test"))
    for name in ["one", "two", "any"] {
      let file = HARFile(
        creator: .init(name: "test", version: "1"),
        entries: [
          HAREntry(
            started: 1, milliseconds: 1,
            request: HARRequest(method: "GET", url: "https://a.test/users"),
            response: HARResponse(
              status: 200, headers: [HARHeader("Content-Type", "text/plain")],
              body: HARBody(Array(name.utf8), type: "text/plain")))
        ])
      try files.folder.write("cassettes/\(name).har", file.encoded())
    }
    let ending = try files.prove(
      """
        local one = t:api("shop@one", { cassette = "one" })
        local two = t:api("shop@two", { cassette = "two" })
        t.expect(t.expect(two.calls.users{}):to_succeed().text):to_be("two")
        t.expect(t.expect(one.calls.users{}):to_succeed().text):to_be("one")
        t.expect(t.expect(t:api("shop").calls.users{}):to_succeed().text):to_be("one")
      """)
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    let any = try files.prove(
      """
        t:cassette("any")
        t.expect(t.expect(t:api("shop@two").calls.users{}):to_succeed().text):to_be("any")
      """)
    #expect(any.code == 0, "\(any.output)\(any.errors)")
  }

  @Test func `ENV-18 a secret of one name is told to no other environment by its mask`() throws {
    let server = try EchoServer { request, _ in
      let line = request.head.split(separator: "\r\n").first { $0.hasPrefix("authorization: ") }
      return EchoServer.Answer(
        headers: ["Content-Type: text/plain; charset=utf-8"],
        body: String(line?.dropFirst(22) ?? ""))
    }
    defer { server.stop() }
    try files.folder.write("apis/one.env", "TOKEN=s3cret-of-one-4711\n", mode: 0o600)
    try files.folder.write("apis/two.env", "TOKEN=s3cret-of-two-0815\n", mode: 0o600)
    try files.folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service{ base_url = "http://127.0.0.1:\(server.port)",
          auth = lull.auth.bearer(lull.secret{ env = "TOKEN" }) },
        calls = { users = { path = "/users" }, put = { path = "/echo", method = "POST", body = "raw" } },
        environments = { one = { env_file = "one.env" }, two = { env_file = "two.env" } },
      }
      """)
    let ending = try files.prove(
      """
        local one = t:api("shop@one", { cassette = "one" })
        local two = t:api("shop@two", { cassette = "two" })
        local said = t.expect(one.calls.users{}):to_succeed().text
        t.expect(said):to_be("‹secret TOKEN›")
        t.expect(two.calls.users{}):to_succeed()
        two.service("/echo"):request("POST", { text = "it is " .. said }):await()
      """, "--record", "missing")
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        "has ‹secret TOKEN›, which is a different secret in each environment, so it cannot be"),
      "\(ending.output)")
    #expect(server.requests.count == 2)
    for name in ["one", "two"] {
      #expect(!(files.text("cassettes/\(name).har") ?? "").contains("s3cret"))
    }
  }
}
