import LullCassettes
import Testing

/// Recorded traffic in place of a network.
@Suite("lull test: cassettes", .timeLimit(.minutes(20)))
struct TestCassetteTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  /// When the recordings begin: the first second of 2025, UTC.
  private static let beginning = 1_735_689_600.0

  private static func entry(
    _ method: String, _ path: String, _ answer: String, milliseconds: Double = 0,
    headers: [HARHeader] = [], body: HARBody? = nil, asked: [HARHeader] = []
  ) -> HAREntry {
    HAREntry(
      started: beginning, milliseconds: milliseconds,
      request: HARRequest(method: method, url: "https://x.test" + path, headers: asked, body: body),
      response: HARResponse(
        status: 200, headers: [HARHeader("Content-Type", "application/json")] + headers,
        body: HARBody(Array(answer.utf8), type: "application/json")))
  }

  private static func json(_ text: String) -> HARBody {
    HARBody(Array(text.utf8), type: "application/json")
  }

  private func record(_ entries: HAREntry..., as name: String = "a") throws {
    let file = HARFile(creator: HARFile.Creator(name: "test", version: "1"), entries: entries)
    try files.folder.write("cassettes/\(name).har", file.encoded())
  }

  private func passes(_ body: String, _ words: String...) throws {
    try files.write("one_test.lua", "test(\"one\", function(t)\n\(body)\nend)\n")
    let ending = try files.run(["one_test.lua"] + words)
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
  }

  @Test
  func
    `CAS-30 requests are answered by what was recorded, byte for byte, as long after it as it took`()
    throws
  {
    try record(
      TestCassetteTests.entry(
        "GET", "/a", "{\"n\":1}", milliseconds: 1500,
        headers: [HARHeader("X-Raw", [0x61, 0xE9, 0x62]), HARHeader("X-Raw", "second")]),
      TestCassetteTests.entry("GET", "/a", "{\"n\":2}"))
    try passes(
      #"""
        local a = t:service("https://x.test", { cassette = "a" })("/a")
        local before = t.clock.now
        t.expect(a:load()):to_succeed()
        t.expect(t.clock.now - before):to_be(1.5)
        t.expect(a.content.n):to_be(1)
        t.expect(a.latest_data:header("x-raw")):to_be("a\xE9b, second")
        for _ = 1, 2 do t.expect(a:load()):to_succeed() end
        t.expect(a.content.n):to_be(2)
        t.expect(t.exchanges):to_have_count(3)
        t.expect(t.exchanges[1]):to_contain{ method = "GET", url = "https://x.test/a", status = 200, seconds = 1.5 }
      """#, "--strict")
  }

  @Test func `CAS-31 a recording answers an API file, and what it asks of other servers`() throws {
    let token = HAREntry(
      started: TestCassetteTests.beginning, milliseconds: 0,
      request: HARRequest(
        method: "POST", url: "https://auth.test/token",
        headers: [HARHeader("Authorization", "Basic eDpoaWRkZW4taGlkZGVu")],
        body: HARBody(
          Array("grant_type=client_credentials".utf8), type: "application/x-www-form-urlencoded")),
      response: HARResponse(
        status: 200, headers: [HARHeader("Content-Type", "application/json")],
        body: TestCassetteTests.json(
          #"{"access_token":"issued-by-the-server","expires_in":3600,"token_type":"Bearer"}"#)))
    try record(
      token,
      TestCassetteTests.entry(
        "GET", "/items/7?lang=de", "{\"id\":7}",
        asked: [HARHeader("Authorization", "Bearer issued-by-the-server")]))
    try files.folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local shop = lull.service("https://x.test")
      shop:configure{ auth = lull.auth.oauth2_client_credentials{
        token_url = "https://auth.test/token", client_id = "x", client_secret = lull.secret{ env = "LULL_NOT_SET" },
      } }
      return { service = shop, calls = { item = { path = "/items/{id}", params = { lang = "string" } } } }
      """)
    try passes(
      """
        local item = t:api("shop", { cassette = "a", match = { "Authorization" } }).calls.item
        t.expect(t.expect(item{ id = "7", lang = "de" }):to_succeed().content):to_equal{ id = 7 }
        t.expect(t.exchanges):to_have_count(2)
      """, "--strict")
  }

  @Test
  func `CAS-32 failures are replayed as they were: of their kind, in their time, tried again`()
    throws
  {
    var failure = TestCassetteTests.entry("GET", "/a", "", milliseconds: 2000)
    failure.response = nil
    failure.failure = HARFailure(kind: "connection", message: "cannot connect to x.test")
    failure.failure?.isUnsent = true
    var cut = TestCassetteTests.entry("GET", "/cut", "{")
    cut.failure = HARFailure(kind: "truncated_body", message: "the body was cut")
    var slow = TestCassetteTests.entry("GET", "/slow", "{}", milliseconds: 90_000)
    slow.request.url = "https://x.test/slow"
    try record(failure, TestCassetteTests.entry("GET", "/a", "{\"n\":2}"), cut, slow)
    try passes(
      """
        local api = t:service("https://x.test", { cassette = "a", retry = { times = 1 } })
        local before = t.clock.now
        t.expect(t.expect(api("/a"):load()):to_succeed().content.n):to_be(2)
        t.expect(t.exchanges):to_have_count(2)
        t.expect(t.exchanges[1].error):to_be("cannot connect to x.test")
        t.expect(t.exchanges[1].seconds):to_be(2.0)
        local once = t:service("https://x.test")
        t.expect(once("/cut"):load()):to_fail_with{ kind = "truncated_body" }
        before = t.clock.now
        t.expect(once("/slow"):load()):to_fail_with{ kind = "timeout" }
        t.expect(t.clock.now - before):to_be(60.0)
      """)
  }

  @Test
  func
    `CAS-33 what was not recorded fails the test also where the error is caught, and names the nearest`()
    throws
  {
    try record(
      TestCassetteTests.entry("GET", "/a?page=1", "{}"),
      TestCassetteTests.entry("POST", "/a", "{}", body: TestCassetteTests.json("{\"n\":1}")))
    let ending = try files.prove(
      """
        local api = t:service("https://x.test", { cassette = "a" })
        pcall(function() api("/a"):with_param("page", "2"):load():await() end)
        local _, err = api("/a"):request("POST", { json = { n = 2 } }):await()
        t.expect(err.cause.kind):to_be("network")
      """)
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        """
            lull: cassette 'a': GET https://x.test/a?page=2 was not recorded; nearest is exchange 1, \
        GET https://x.test/a?page=1:
              query 'page': 1 → 2

        """), "\(ending.output)")
    #expect(
      ending.output.contains(
        """
            lull: cassette 'a': POST https://x.test/a was not recorded; nearest is exchange 2, POST https://x.test/a:
              body:
        """), "\(ending.output)")
  }

  @Test func `CAS-34 a recording that is missing or broken fails the test, with its place`() throws
  {
    let missing = try files.prove(
      "  pcall(function() t:service('https://x.test', { cassette = 'none' }) end)")
    #expect(missing.code == 1)
    #expect(
      missing.output.contains(
        "there is no recording to replay: ./cassettes/none.har: No such file or directory"),
      "\(missing.output)")
    try files.folder.write(
      "cassettes/a.har", #"{"log":{"entries":[{"request":{"method":"GET"}}]}}"#)
    let broken = try files.prove("  t:service('https://x.test', { cassette = 'a' })")
    #expect(broken.code == 1)
    #expect(
      broken.output.contains(
        "lull: one_test.lua:3: ./cassettes/a.har: at /log/entries/0/request: 'url' is missing\n"),
      "\(broken.output)")
    #expect(broken.output.components(of: "'url' is missing") == 1)
    var unknown = TestCassetteTests.entry("GET", "/a", "")
    unknown.failure = HARFailure(kind: "gone", message: "")
    try record(unknown)
    let kind = try files.prove("  t:service('https://x.test', { cassette = 'a' })")
    #expect(
      kind.output.contains(
        "at /log/entries/0/_failure/kind: 'gone' is not one of network, timeout, "),
      "\(kind.output)")
  }

  @Test(arguments: [
    (
      #"{ cassette = "../a" }"#,
      "a cassette needs a plain name, such as 'repos' for cassettes/repos.har"
    ),
    (#"{ cassette = "" }"#, "a cassette needs a plain name"),
    (#"{ cassette = ".a" }"#, "a cassette needs a plain name"),
    (#"{ cassette = "a\0b" }"#, "a cassette needs a plain name"),
    (#"{ cassette = "a\xFFb" }"#, "a cassette needs a plain name"),
    (#"{ cassette = 7 }"#, "t:service: 'cassette' must be the name of a recording, got 7"),
    (#"{ match = { "A" } }"#, "t:service: 'cassette' must be the name of a recording, got nil"),
    (
      #"{ cassette = "a", match = "A" }"#,
      "t:service: 'match' must be a list of names of headers, got \"A\""
    ),
    (
      #"{ cassette = "a", match = { "A b" } }"#,
      "t:service: 'match' has the names of headers, not \"A b\""
    ),
    (
      #"{ cassette = "a", networking = function() end }"#,
      "t:service: 'networking' and 'cassette' cannot be combined: leave one of them out"
    ),
    (#"7"#, "t:service takes a table of options, got 7"),
  ])
  func `CAS-35 what is said wrongly of a recording raises at the line that says it`(
    _ options: String, _ problem: String
  ) throws {
    try record()
    let ending = try files.prove("  t:service(\"https://x.test\", \(options))")
    #expect(ending.code == 1)
    #expect(ending.output.contains("lull: one_test.lua:3: \(problem)"), "\(ending.output)")
  }

  @Test
  func `CAS-36 each test begins at the start of a recording, named twice in one it is the same`()
    throws
  {
    try record(
      TestCassetteTests.entry("GET", "/a", "{\"n\":1}"),
      TestCassetteTests.entry("GET", "/a", "{\"n\":2}"))
    try files.write(
      "one_test.lua",
      """
      test.each({ 1, 2 }, "begins {}", function(t)
        local function load()
          local a = t:service("https://x.test", { cassette = "a" })("/a")
          t.expect(a:load()):to_succeed()
          return a.content.n
        end
        t.expect(load()):to_be(1)
        t.expect(load()):to_be(2)
        local function other() t:service("https://x.test", { cassette = "a", match = { "X-A" } }) end
        t.expect(other):to_raise("the cassette 'a' is already in use in this test, with other headers (none)")
      end)
      """)
    let ending = try files.run("one_test.lua", "--strict", "--jobs", "1")
    #expect(ending.code == 0, "\(ending.output)")
  }

  @Test func `CAS-37 headers that are chosen tell requests apart, others do not`() throws {
    try record(
      TestCassetteTests.entry("GET", "/a", "{\"n\":1}", asked: [HARHeader("X-Tenant", "one")]),
      TestCassetteTests.entry("GET", "/a", "{\"n\":2}", asked: [HARHeader("X-Tenant", "two")]))
    try passes(
      """
        local options = { cassette = "a", match = { "x-TENANT" }, headers = { ["X-Tenant"] = "two", ["X-B"] = "b" } }
        local a = t:service("https://x.test", options)("/a")
        t.expect(a:load()):to_succeed()
        t.expect(a.content.n):to_be(2)
      """)
    let miss = try files.prove(
      """
        local options = { cassette = "a", match = { "X-Tenant" }, headers = { ["X-Tenant"] = "three" } }
        t:service("https://x.test", options)("/a"):load():await()
      """)
    #expect(miss.output.contains("header 'x-tenant': one → three"), "\(miss.output)")
  }

  @Test func `CAS-38 what t.network has an answer for is not asked of a recording`() throws {
    try record(TestCassetteTests.entry("GET", "/a", "{\"n\":1}"), as: "a")
    try record(
      TestCassetteTests.entry("GET", "/a", "{\"n\":2}"),
      TestCassetteTests.entry("GET", "/b", "{\"n\":3}"), as: "b")
    try passes(
      """
        local api = t:service("https://x.test", { cassette = "a" })
        t:service("https://x.test", { cassette = "b" })
        local function n(path)
          local resource = api(path)
          t.expect(resource:load()):to_succeed()
          return resource.content.n
        end
        t.expect(n("/a")):to_be(1)
        t.expect(n("/b")):to_be(3)
        t.network:on("GET", "/a", { json = { n = 4 } })
        t.expect(n("/a")):to_be(4)
      """)
  }

  @Test
  func `CAS-39 a secret needs no text, and is compared as a mask, whoever has recorded it`() throws
  {
    try record(
      TestCassetteTests.entry(
        "GET", "/a?api_key=hidden-hidden", "{\"n\":1}",
        asked: [HARHeader("Authorization", "Bearer hidden-too-hidden")]),
      TestCassetteTests.entry("GET", "/b", "{\"n\":2}"))
    try passes(
      """
        local key = lull.secret{ env = "LULL_NOT_SET" }
        local api = t:service("https://x.test", { cassette = "a", match = { "authorization" } })
        local b = api("/b")
        t.expect(b:load()):to_succeed()
        api:configure{ auth = lull.auth.bearer(key) }
        local a = api("/a"):with_param("api_key", key)
        t.expect(a:load()):to_succeed()
        t.expect(a.content.n):to_be(1)
      """, "--strict")
  }

  @Test
  func `CAS-40 the test begins at the time of the recording, unless time was set or has passed`()
    throws
  {
    try record(TestCassetteTests.entry("GET", "/a", "{}"))
    let use = "t:service('https://x.test', { cassette = 'a' })('/a'):load():await()"
    try passes(
      """
        \(use)
        t.expect(t.clock.now):to_be(1735689600.0)
        t.expect(os.date("!%Y-%m-%d")):to_be("2025-01-01")
        t.clock:advance(5)
        \(use)
        t.expect(t.clock.now):to_be(1735689605.0)
      """)
    try passes("t.clock:set(1000)\n\(use)\nt.expect(t.clock.now):to_be(1000.0)")
    try passes("lull.sleep(1)\n\(use)\nt.expect(t.clock.now):to_be(1767225601.0)")
  }

  @Test func `CAS-41 what no test asks for is told of, and fails with --strict`() throws {
    try record(
      TestCassetteTests.entry("GET", "/a", "{}"), TestCassetteTests.entry("GET", "/b", "{}"),
      TestCassetteTests.entry("GET", "/c", "{}"))
    let load = "t:service('https://x.test', { cassette = 'a' })"
    try files.write(
      "one_test.lua",
      """
      test("a", function(t) \(load)("/a"):load():await() end)
      test("b", function(t) \(load)("/b"):load():await() end)
      """)
    let sentence =
      "no test uses 1 of 3 recordings in ./cassettes/a.har: exchange 3, GET https://x.test/c\n"
    let noted = try files.run("one_test.lua")
    #expect(noted.code == 0)
    #expect(noted.output.contains("\nnote: \(sentence)2 passed ("), "\(noted.output)")
    #expect(try files.run("one_test.lua", "--tap").output.contains("# note: \(sentence)"))
    let strict = try files.run("one_test.lua", "--strict")
    #expect(strict.code == 1)
    #expect(
      strict.output.contains("./cassettes/a.har\n  FAILED   (the file)\n    lull: \(sentence)"),
      "\(strict.output)")
    // Where a test was left out, nobody knows.
    let some = try files.run("one_test.lua", "--strict", "--filter", "a")
    #expect(some.code == 0, "\(some.output)")
    #expect(!some.output.contains("recordings"))
  }

  @Test func `CAS-42 bodies are compared as they would be sent, those from files and forms too`()
    throws
  {
    let form = HARBody(
      Array(
        "--zz\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--zz--\r\n".utf8),
      type: "multipart/form-data; boundary=zz")
    try record(
      TestCassetteTests.entry(
        "PUT", "/file", "{}",
        body: HARBody(Array("from the file".utf8), type: "application/octet-stream")),
      TestCassetteTests.entry("POST", "/form", "{}", body: form),
      TestCassetteTests.entry(
        "POST", "/json", "{}", body: TestCassetteTests.json("{\"b\": 2, \"a\": 1}")),
      TestCassetteTests.entry("POST", "/none", "{}"))
    try files.folder.write("upload.txt", "from the file")
    try passes(
      """
        local api = t:service("https://x.test", { cassette = "a" })
        t.expect(api("/file"):put(lull.file("upload.txt"))):to_succeed()
        t.expect(api("/form"):post(lull.multipart{ a = "value" })):to_succeed()
        t.expect(api("/json"):request("POST", { json = { a = 1, b = 2 } })):to_succeed()
        t.expect(api("/none"):request("POST", { text = "" })):to_succeed()
      """, "--strict")
  }
}

extension String {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
