import Testing

/// Queries in tests of scripts: stubs, messages, coverage and recordings.
@Suite("Queries: lull test", .timeLimit(.minutes(20)))
struct QueryTestRunnerTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  @Test func `QUERY-49 a stub may be for one body`() throws {
    let ending = try files.prove(
      """
      local api = t:service("https://a.test")
      t.network:on("QUERY", "/search", { json = { which = "any" } })
      t.network:on("QUERY", { path = "/search", json = { term = "tea", page = 1 } },
        { json = { which = "tea" } }, { json = { which = "again" } })
      t.network:on("QUERY", { path = "/search", form = { b = "2", a = "x y" } }, { json = { which = "form" } })
      t.network:on("QUERY", { path = "/search", data = "\\xff\\xfe" }, { json = { which = "bytes" } })
      t.network:on("QUERY", { path = "/search", text = "" }, { json = { which = "empty" } })
      t.network:on("QUERY", { path = "/search", json = { key = lull.secret{ env = "KEY" } } }, { json = { which = "secret" } })
      t.network:fail("QUERY", { path = "/search", json = { term = "down" } }, "refused")
      t.network:on("POST", { path = "/search", json = lull.array{} }, { json = { which = "post" } })
      local function ask(query) return t.expect(api("/search"):query(query):load()):to_succeed().content.which end
      t.expect(ask{ json = { term = "ale" } }):to_be("any")
      local search = api("/search"):query{ json = { page = 1.0, term = "tea" } }
      t.expect(t.expect(search:load()):to_succeed().content.which):to_be("tea")
      t.expect(t.expect(search:load()):to_succeed().content.which):to_be("again")
      t.expect(t.expect(search:load()):to_succeed().content.which):to_be("again")
      t.expect(ask{ data = "a=x%20y&b=2", content_type = "application/x-www-form-urlencoded" }):to_be("form")
      t.expect(ask{ data = "\\xff\\xfe" }):to_be("bytes")
      t.expect(ask{ data = "\\xff" }):to_be("any")
      t.expect(ask{ data = "" }):to_be("empty")
      t.expect(ask{ json = { key = lull.secret{ env = "KEY" } } }):to_be("secret")
      t.expect(api("/search"):query{ json = { term = "down" } }:load()):to_fail_with{ kind = "connection" }
      t.expect(ask{ json = lull.array{}, method = "POST" }):to_be("post")
      t.expect(t.expect(api("/search"):post{ data = " [ ] " }):to_succeed().content.which):to_be("post")
      -- The same stub again replaces its responses, and leaves the others.
      t.network:on("QUERY", { path = "/search", data = '{"page":1e0,"term":"tea"}', content_type = "application/json" },
        { json = { which = "new" } })
      t.expect(t.expect(search:load()):to_succeed().content.which):to_be("new")
      t.expect(ask{ json = { term = "ale" } }):to_be("any")
      """, environment: ["KEY": "hunter2"])
    #expect(ending.code == 0, "\(ending)")
  }

  @Test(arguments: [
    (#"{ json = { 1 } }"#, "needs a method and a path"),
    (#"{ path = "/a", json = 1, form = {} }"#, ", not both"),
    (#"{ path = "/a", jsn = 1 }"#, "unknown"),
    (#"{ path = "/a", json = 0/0 }"#, "cannot be encoded"),
    (#"{ path = "a", json = 1 }"#, "begins with /"),
  ])
  func `QUERY-49 a stub that cannot match is refused at its line`(
    stub: String, problem: String
  ) throws {
    let ending = try files.prove("t.network:on(\"QUERY\", \(stub), { json = 1 })")
    #expect(ending.code == 1, "\(ending)")
    #expect(ending.output.contains("one_test.lua:3:"), "\(ending)")
    #expect(ending.output.contains(problem), "\(ending)")
  }

  @Test func `QUERY-50 the message about a missing stub has the beginning of the query`() throws {
    let ending = try files.prove(
      """
      local api = t:service("https://a.test")
      t.network:on("QUERY", { path = "/search", json = { term = "ale", token = "hunter2" } }, { json = 1 })
      api("/search"):query{ json = { term = "tea", password = "hunter2" } }:load():await()
      api("/search"):query{ data = ("\\xff"):rep(5000), method = "POST" }:load():await()
      api("/search"):query{ text = ("long "):rep(100) }:load():await()
      """)
    #expect(ending.code == 1, "\(ending)")
    for text in [
      #"no stub for QUERY https://a.test/search with {"password":"***","term":"tea"}: "#,
      #"no stub for POST https://a.test/search with 5000 bytes: "#,
      #"no stub for QUERY https://a.test/search with long long "#,
      #"stubs: QUERY /search with {"term":"ale","token":"***"}"#,
    ] {
      #expect(ending.output.contains(text), "\(text)\n\(ending.output)")
    }
    #expect(!ending.output.contains("hunter2"))
  }

  @Test func `QUERY-51 coverage tells the calls of one URL apart by their content and method`()
    throws
  {
    try files.folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "https://a.test" }
      api:configure("/posted", { query_method = "POST" })
      local params = { term = { type = "string", required = true }, kind = { type = { "x", "y" } } }
      return { service = api, calls = {
        one = { method = "QUERY", path = "/rpc", params = params },
        other = { method = "QUERY", path = "/rpc", params = params },
        posted = { method = "QUERY", path = "/posted", params = params },
        safe = { method = "POST", safe = true, path = "/safe", params = params },
        unused = { method = "QUERY", path = "/rpc", params = params },
      } }
      """)
    try files.write(
      "shop_test.lua",
      """
      test("together", function(t)
        local calls = t:api("shop").calls
        for _, path in ipairs{ "/rpc", "/posted", "/safe" } do
          t.network:on("QUERY", path, { json = { 1 } })
          t.network:on("POST", path, { json = { 1 } })
        end
        local a, b = calls.one{ term = "a", kind = "x" }, calls.other{ term = "b" }
        local c, d = calls.posted{ term = "a" }, calls.safe{ term = "a" }
        for _, request in ipairs{ a, b, c, d } do t.expect(request):to_succeed() end
        t.expect(calls.one{ term = "c" }):to_succeed()
        t.expect(t.exchanges[3].method):to_be("POST")
      end)
      """)
    let ending = try files.run("shop_test.lua", "--coverage", "shop")
    #expect(ending.code == 0, "\(ending)")
    #expect(ending.output.contains("4 of 5 calls"), "\(ending.output)")
    let counts = ending.output.split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0.count > 1 && ["one", "other", "posted", "safe", "unused"].contains($0[0]) }
      .map { "\($0[0]) \($0[1])" }
    #expect(counts == ["one 2", "other 1", "posted 1", "safe 1", "unused none"], "\(counts)")
  }

  @Test func `QUERY-47 a recorded query answers again, and another one names the difference`()
    throws
  {
    let sample = try SampleAPI()
    try files.write(
      "search_test.lua",
      """
      for _, method in ipairs{ "QUERY", "POST" } do
        test("searches by " .. method, function(t)
          local api = t:service("\(sample.url)", { cassette = "search" })
          local function total(size)
            local search = api("/search"):query{ json = { topic = "tea", size = size }, method = method }
            return #t.expect(search:load()):to_succeed().content.rows
          end
          t.expect(total(1)):to_be(1)
          t.expect(total(3)):to_be(3)
          t.expect(total(1)):to_be(1)
        end)
      end
      """)
    let recorded = try files.run("search_test.lua", "--record", "all")
    #expect(recorded.code == 0, "\(recorded)")
    let text = try #require(files.text("cassettes/search.har"))
    #expect(text.contains("postData") && text.contains("\"_safe\": true"), "\(text)")
    let again = try files.run("search_test.lua")
    #expect(again.code == 0 && again.output.contains("2 passed"), "\(again)")
    try files.write(
      "search_test.lua",
      """
      test("another", function(t)
        local api = t:service("\(sample.url)", { cassette = "search" })
        api("/search"):query{ json = { topic = "ale", size = 1 } }:load():await()
      end)
      """)
    let miss = try files.run("search_test.lua")
    #expect(miss.code == 1, "\(miss)")
    #expect(miss.output.contains(#"body: ~ topic: "tea" → "ale""#), "\(miss)")
  }
}
