import LullCassettes
import Testing

/// Time that stands still, and the network of tests.
@Suite("lull test: time and network", .timeLimit(.minutes(20)))
struct TestTimeTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  private func passes(_ body: String) throws {
    let ending = try files.prove(body)
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
  }

  @Test
  func
    `PRV-20 all that a script can ask for the time says that of the test, which is the same each time`()
    throws
  {
    try passes(
      """
        t.expect(t.clock.now):to_be(1767225600.0)
        t.expect(lull.now()):to_be(t.clock.now)
        t.expect(os.time()):to_be(1767225600)
        t.expect(os.date("!%Y-%m-%d %H:%M:%S")):to_be("2026-01-01 00:00:00")
        t.expect(os.date("!%Y", 0)):to_be("1970")
        t.expect(os.time{ year = 2020, month = 1, day = 1, hour = 12 }):to_be_near(1577880000, 86400)
        lull.sleep(3600)
        t.expect(os.time()):to_be(1767229200)
        t.clock:set("2030-06-01T00:00:00Z")
        t.expect(lull.now()):to_be(1906502400.0)
        t.clock:set(0)
        t.clock:advance(2.5)
        t.expect(lull.now()):to_be(2.5)
      """)
  }

  @Test
  func `PRV-21 it moves on by itself where nothing else can happen: a day of polling is soon over`()
    throws
  {
    try passes(
      """
        local asked = 0
        t.network:on("GET", "/n", function() asked = asked + 1 return { json = { n = asked } } end)
        local resource = t:service("https://x.test")("/n")
        for _ in resource:watch{ every = 60 } do
          if lull.now() >= 1767225600 + 86400 then break end
        end
        t.expect(asked):to_be(1441)
        t.expect(t.exchanges[1441].sent_at - t.exchanges[1].sent_at):to_be(86400.0)
      """)
  }

  @Test func `PRV-22 what becomes due on the way comes in its order, and before the test goes on`()
    throws
  {
    try passes(
      """
        local order = {}
        local function after(seconds, word)
          lull.spawn(function() lull.sleep(seconds) order[#order + 1] = word end)
        end
        after(10, "c") after(5, "a") after(5, "b") after(10.5, "d")
        t.clock:advance(10)
        t.expect(order):to_equal{ "a", "b", "c" }
        t.clock:advance(0)
        t.clock:advance(1)
        t.expect(order):to_equal{ "a", "b", "c", "d" }
        t.expect(function() table.sort({ 1, 2 }, function() t.clock:advance(1) end) end)
          :to_raise("one_test.lua:13: cannot wait inside")
        t.expect(function() t.clock:advance(-1) end):to_raise("one_test.lua:15: t.clock:advance needs")
      """)
  }

  @Test func `PRV-23 staleness, retries, limits and timeouts go by it`() throws {
    try passes(
      """
        t.network:on("GET", "/a", { fail = "refused" }, { status = 503 }, { json = { n = 1 } })
        local api = t:service("https://x.test", {
          expiration_time = 30, retry = { times = 2, backoff = { base = 4, max = 60 } },
        })
        local resource = api("/a")
        t.expect(resource:load()):to_succeed()
        t.expect(t.exchanges):to_have_count(3)
        t.expect(lull.now() > 1767225600 + 2):to_be(true)
        t.clock:advance(29)
        t.expect(resource:load_if_needed()):to_be(nil)
        t.clock:advance(2)
        t.expect(resource:load_if_needed()):to_succeed()

        t.network:on("GET", "/slow", { delay = 100, json = {} })
        local before = lull.now()
        t.expect(t:service("https://y.test")("/slow"):load()):to_fail_with{ kind = "timeout" }
        t.expect(lull.now() - before):to_be(60.0)

        t.network:on("GET", "/limited", {})
        local limited = t:service("https://z.test", { rate_limit = { requests = 2, per = 60 } })
        before = lull.now()
        for _ = 1, 5 do t.expect(limited("/limited"):load()):to_succeed() end
        t.expect(lull.now() - before >= 120):to_be(true)
      """)
  }

  @Test func `PRV-25 tokens, what is cached in files and limits that processes share go by it`()
    throws
  {
    let ending = try files.prove(
      """
        local issued = 0
        t.network:on("POST", "/token", function()
          issued = issued + 1
          return { json = { access_token = "t" .. issued, expires_in = 3600, token_type = "Bearer" } }
        end)
        t.network:on("GET", "/a", { json = { n = 1 } })
        local api = t:service("https://api.test")
        api:configure{ auth = lull.auth.oauth2_client_credentials{
          token_url = "https://auth.test/token", client_id = "x", client_secret = lull.secret{ env = "HUSH" },
        } }
        for _ = 1, 2 do t.expect(api("/a"):load()):to_succeed() end
        t.expect(issued):to_be(1)
        t.clock:advance(3601)
        t.expect(api("/a"):load()):to_succeed()
        t.expect(issued):to_be(2)
        t.expect(t.exchanges[1].headers.authorization):to_be("Basic ‹secret HUSH›")

        local function cached()
          return t:service("https://cached.test", {
            expiration_time = 60, pipeline = { parsing = { cache = lull.cache.file{} } } })("/a")
        end
        t.expect(cached():load()):to_succeed()
        local count = #t.exchanges
        t.clock:advance(30)
        local again = cached()
        local request = again:load_if_needed()
        if request then request:await() end
        t.expect(again.content):to_equal{ n = 1 }
        t.expect(t.exchanges):to_have_count(count)
        t.clock:advance(31)
        t.expect(again:load_if_needed()):to_succeed()
        t.expect(t.exchanges):to_have_count(count + 1)

        local shared = t:service("https://shared.test", { rate_limit = { requests = 1, per = 10, shared = true } })
        local before = t.clock.now
        for _ = 1, 3 do t.expect(shared("/a"):load()):to_succeed() end
        t.expect(t.clock.now - before):to_be_near(20, 0.5)
      """, environment: ["HUSH": "the text"])
    #expect(ending.code == 0, "\(ending.output)")
    #expect(!ending.output.contains("the text"))
  }

  @Test func `PRV-24 a test in which nothing can happen any more fails, with what waits for what`()
    throws
  {
    let ending = try files.prove(
      """
        lull.custom_request{ start = function(complete) kept = complete end, description = "GET /a" }:start():await()
      """)
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        """
            lull: deadlock: the test is waiting and no timer, request or task can wake it
              still waiting for: GET /a (0 s)
        """), "\(ending.output)")
  }

  @Test
  func
    `PRV-30 no test reaches the network: what has no answer fails it, also where the error is caught`()
    throws
  {
    let ending = try files.prove(
      """
        t.network:on("GET", "/b", {})
        local _, err = t:service("https://x.test")("/a"):with_param("q", "1"):load():await()
        t.expect(err.cause.kind):to_be("network")
      """)
    #expect(ending.code == 1)
    #expect(
      ending.output.contains(
        """
            lull: tests do not use the network, and this one has no stub for GET https://x.test/a?q=1: \
        t.network:on("GET", "/a?q=1", { json = … }); stubs: GET /b

        """), "\(ending.output)")
  }

  @Test
  func `PRV-31 answers are found by method and the end of the path, in turn, the longest first`()
    throws
  {
    try passes(
      """
        t.network:on("GET", "/users/*", { text = "any" })
        t.network:on("GET", "/users/7", { text = "first" }, { text = "second" })
        t.network:on("GET", "/users/7?full=1", { text = "full" })
        t.network:on("GET", "/deep/**", { text = "deep" })
        t.network:on("POST", "/users", { status = 201, json = { id = 9 } })
        t.network:on("GET", "https://y.test/users/7", { text = "whole" })
        local api = t:service("https://x.test/v1")
        local function text(path, name, value)
          local resource = api(path)
          if name then resource = resource:with_param(name, value) end
          return assert(resource:load():await()).text
        end
        t.expect(text("/users/8")):to_be("any")
        t.expect(text("/users/7")):to_be("first")
        t.expect(text("/users/7")):to_be("second")
        t.expect(text("/users/7")):to_be("second")
        t.expect(text("/users/7", "full", "1")):to_be("full")
        t.expect(text("/users/8", "page", "2")):to_be("any")
        t.expect(text("/deep/a/b/c")):to_be("deep")
        t.expect(t:service("https://y.test")("/users/7"):load():await().text):to_be("whole")
        local made = t.expect(api("/users"):request("POST", { json = { name = "x" } })):to_succeed()
        t.expect(made.content.id):to_be(9)
        t.expect(t.exchanges[#t.exchanges].body):to_be('{"name":"x"}')
        t.network:on("GET", "/users/7", { text = "third" })
        t.expect(text("/users/7")):to_be("third")
      """)
  }

  @Test func `PRV-32 it fails as networks do, in the time that this takes`() throws {
    try passes(
      """
        local kinds = { refused = "connection", reset = "connection", cut = "truncated_body", timeout = "timeout" }
        for kind, cause in pairs(kinds) do
          t.network:fail("GET", "/" .. kind, kind, { delay = 2 })
          local before = lull.now()
          t.expect(t:service("https://x.test")("/" .. kind):load()):to_fail_with{ kind = cause }
          t.expect(lull.now() - before):to_be(kind == "timeout" and 60.0 or 2.0)
        end
      """)
  }

  @Test func `PRV-33 a function may answer, and wait`() throws {
    try passes(
      """
        t.network:on("GET", "/a", function(request)
          lull.sleep(3)
          return { json = { method = request.method, url = request.url } }
        end)
        local entity = t.expect(t:service("https://x.test")("/a"):with_param("b", "1"):load()):to_succeed()
        t.expect(entity.content):to_equal{ method = "GET", url = "https://x.test/a?b=1" }
        t.expect(t.exchanges[1]):to_contain{ status = 200, seconds = 3 }
      """)
  }

  @Test func `PRV-34 exchanges are those below retries, with what came of them`() throws {
    try passes(
      """
        t.network:on("GET", "/a", { fail = "reset" }, { status = 404 })
        local api = t:service("https://x.test", { retry = { times = 1 }, headers = { ["X-A"] = "b" } })
        t.expect(api("/a"):load()):to_fail_with{ status = 404 }
        local list = t.exchanges
        t.expect(list):to_have_count(2)
        t.expect(list[1]):to_contain{ method = "GET", url = "https://x.test/a" }
        t.expect(list[1].error):to_contain("lost")
        t.expect(list[1].status):to_be(nil)
        t.expect(list[2].status):to_be(404)
        t.expect(list[2].headers["x-a"]):to_be("b")
        local request = api("/a"):load()
        request:cancel()
        request:await()
      """)
  }

  @Test func `PRV-34 bodies that are read while they are sent are there too`() throws {
    try files.folder.write("upload.txt", "from the file")
    try passes(
      """
        t.network:on("POST", "/a", { status = 204 })
        local a = t:service("https://x.test")("/a")
        t.expect(a:post(lull.file("upload.txt"))):to_succeed()
        t.expect(a:post(lull.multipart{ name = "value" })):to_succeed()
        t.expect(t.exchanges[1].body):to_be("from the file")
        t.expect(t.exchanges[2].body):to_match("name=\\"name\\"\\r\\n\\r\\nvalue\\r\\n")
      """)
  }

  @Test func `PRV-35 API files are found as scripts find them, and their calls answered`() throws {
    try files.folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local shop = lull.service("https://shop.test/v2")
      return { service = shop, calls = { item = { path = "/items/{id}", params = { lang = "string" } } } }
      """)
    try passes(
      """
        t.network:on("GET", "/items/7", { json = { id = 7 } })
        local shop = t:api("shop")
        local item = shop.calls.item:resource{ id = "7", lang = "de" }
        t.expect(item.url):to_match("/v2/items/7%?lang=de$")
        t.expect(item:load()):to_succeed()
        t.expect(shop.calls.item{ id = "7" }):to_succeed()
        t.expect(t.exchanges):to_have_count(2)
        t.expect(function() t:api("shop", { tape = "x" }) end):to_raise("t:api knows cassette, match and hide, not 'tape'")
      """)
  }

  @Test(arguments: [
    (
      #"t.network:on("GET", "users", {})"#,
      "expected a path that begins with / or a whole URL, got 'users'"
    ),
    (#"t.network:on("GET", "/users")"#, "t.network:on needs an answer"),
    (
      #"t.network:on("GET", "/users", 7)"#,
      "an answer is a table such as { json = … } or a function, got 7"
    ),
    (#"t.network:on("GET", "/users", { jsn = {} })"#, "unknown setting 'jsn'"),
    (
      #"t.network:on("GET", "/users", { delay = -1 })"#,
      "'delay' must be a number of seconds, 0 or more"
    ),
    (#"t.network:on("G T", "/users", {})"#, "G T"),
    (
      #"t.network:fail("GET", "/users", "gone")"#,
      "expected a network failure, one of 'refused', 'reset', 'cut', 'timeout', got 'gone'"
    ),
    (#"t.netwrk:on()"#, "t has no 'netwrk'"),
    (#"t.clock.now = 5"#, "t.clock: 'now' cannot be set"),
  ])
  func `PRV-36 what is said wrongly of the network raises at its line`(
    text: String, problem: String
  ) throws {
    let ending = try files.prove("  " + text)
    #expect(ending.code == 1)
    #expect(ending.output.contains("lull: one_test.lua:3: "), "\(ending.output)")
    #expect(ending.output.contains(problem), "\(ending.output)")
  }

  @Test func `PRV-26 a timer that is set by the last that can happen is waited for`() throws {
    try passes(
      """
        local api = t:service("https://x.test", { networking = function(_, complete) Kept = nil end })
        local _, err = api("/a"):load():await()
        t.expect(err.cause.kind):to_be("script_error")
        local before = lull.now()
        lull.sleep(1)
        t.expect(lull.now() - before):to_be(1.0)
      """)
  }

  @Test func `PRV-37 answers have the limits of the request, those of functions too`() throws {
    try passes(
      """
        t.network:on("GET", "/large", { text = ("x"):rep(2000) })
        t.network:on("GET", "/made", function() return { text = ("x"):rep(2000) } end)
        t.network:on("GET", "/slow", function() lull.sleep(100) return { text = "" } end)
        local api = t:service("https://x.test", { max_body_size = 1000, timeout = 10 })
        t.expect(api("/large"):load()):to_fail_with{ kind = "body_too_large" }
        t.expect(api("/made"):load()):to_fail_with{ kind = "body_too_large" }
        local before = lull.now()
        t.expect(api("/slow"):load()):to_fail_with{ kind = "timeout" }
        t.expect(lull.now() - before):to_be(10.0)
      """)
  }

  @Test func `CAS-43 the time of a recording is not set once a request has been sent`() throws {
    try files.folder.write(
      "cassettes/a.har",
      HARFile(
        creator: HARFile.Creator(name: "test", version: "1"),
        entries: [
          HAREntry(
            started: 1_735_689_600, milliseconds: 0,
            request: HARRequest(method: "GET", url: "https://x.test/a"),
            response: HARResponse(status: 204))
        ]
      ).encoded())
    try passes(
      """
        t.network:on("GET", "/x", { status = 204 })
        t.expect(t:service("https://x.test")("/x"):load()):to_succeed()
        t:cassette("a")
        t.expect(lull.now()):to_be(1767225600.0)
      """)
  }
}
