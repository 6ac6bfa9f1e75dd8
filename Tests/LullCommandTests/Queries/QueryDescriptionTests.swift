import LullCassettes
import Testing

/// Queries in what describes, checks and compares APIs, and in the cache.
@Suite("Queries: types, drift, diff, describe, check and cache", .timeLimit(.minutes(20)))
struct QueryDescriptionTests {
  private let folder: TemporaryFolder
  private let sample: SampleAPI

  init() throws {
    folder = try TemporaryFolder()
    sample = try SampleAPI()
  }

  private func run(_ words: String...) throws -> Child.Ending {
    try Child(
      Binaries.lull, words,
      environment: ["XDG_CACHE_HOME": folder.path + "/cache", "NO_COLOR": "1"],
      folder: folder.path, input: .nothing
    ).wait()
  }

  @discardableResult
  private func write(_ calls: String, _ settings: String = "", _ name: String = "apis/shop.lua")
    throws -> String
  {
    try folder.write(
      name,
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "\(sample.url)" }
      \(settings)
      return { service = api, calls = {
      \(calls)
      } }
      """)
  }

  private static let calls = """
    find = { method = "QUERY", path = "/search", params = { topic = "string", size = "integer" } },
    search = { method = "POST", safe = true, path = "/search", params = { topic = "string", size = "integer" } },
    list = { path = "/search" },
    """

  private static let caches =
    #"api:configure{ expiration_time = 600, pipeline = { parsing = { cache = lull.cache.file() } } }"#

  @Test func `QUERY-42 QUERY-57 lull query answers from the cache, whose entries are shown`() throws
  {
    try write(QueryDescriptionTests.calls, QueryDescriptionTests.caches)
    let first = try run("query", "shop", "/search", "topic=tea", "size:=1", "-v", "-f", "#x.rows")
    #expect(first.output == "1\n" && first.errors.contains("> QUERY /search"), "\(first)")
    #expect(!first.errors.lowercased().contains("accept: application/json"), "\(first)")
    let second = try run("query", "shop", "/search", "size:=1", "topic=tea", "-v", "-f", "#x.rows")
    #expect(second.output == "1\n" && !second.errors.contains("> QUERY"), "\(second)")
    let offline = try run(
      "query", "shop", "/search", "size:=1", "topic=tea", "--offline", "-f", "#x.rows")
    #expect(offline.output == "1\n", "\(offline)")
    // A call asks the same question.
    let call = try run(
      "call", "shop", "find", "--topic", "tea", "--size", "1", "-v", "-f", "#x.rows")
    #expect(call.output == "1\n" && !call.errors.contains("> QUERY"), "\(call)")
    for words in [
      ["query", "shop", "/search", "topic=tea", "size:=2"],
      ["query", "shop", "/search", "topic=tea", "size:=1", "--query-method", "POST"],
    ] {
      let other = try Child(
        Binaries.lull, words + ["-v"], environment: ["XDG_CACHE_HOME": folder.path + "/cache"],
        folder: folder.path, input: .nothing
      ).wait()
      #expect(other.code == 0 && other.errors.contains(" /search HTTP"), "\(other)")
    }
    let url = sample.url + "/search"
    let shown = try run("cache", "show", url)
    let queries = shown.output.split(separator: "\n").filter { $0.hasPrefix("query ") }
      .map { $0.dropFirst("query     ".count) }
    #expect(queries.count == 3 && Set(queries).count == 3, "\(shown.output)")
    #expect(queries.filter { $0.hasPrefix("POST ") }.count == 1)
    let one = try run("cache", "show", "\(url) \(queries[0])")
    #expect(one.code == 0 && one.output.contains("query     \(queries[0])\n"), "\(one)")
    #expect(one.output.split(separator: "\n").filter { $0.hasPrefix("query ") }.count == 1)
    let cleared = try run("cache", "clear", url)
    #expect(cleared.output == "3 entries removed\n", "\(cleared)")
    #expect(try run("cache", "show", url).code == 1)
  }

  @Test func `QUERY-52 responses to queries belong to their calls in types and drift`() throws {
    try write(QueryDescriptionTests.calls, QueryDescriptionTests.caches)
    for size in ["1", "2"] {
      for call in ["find", "search"] {
        #expect(try run("call", "shop", call, "--topic", "tea", "--size", size).code == 0)
      }
    }
    let cached = try run("types", "shop", "--from-cache")
    #expect(cached.code == 0, "\(cached)")
    var types = try #require(folder.text("apis/types/shop.lua"))
    #expect(types.contains("From traffic: find (2), search (2)"), "\(types)")
    #expect(types.contains("FindRequest") && types.contains("SearchRequest"), "\(types)")
    let drift = try run("drift", "shop", "--from-cache")
    #expect(drift.code == 0 && drift.errors.contains("4 responses of 4 compared"), "\(drift)")
    // A browser's recording: queries of one URL with different content, and one that has changed.
    func entry(_ method: String, _ body: String, _ answer: String) -> HAREntry {
      RecordedTraffic.entry(sample.url + "/search", answer, method: method, sent: body)
    }
    let rows = #"{"rows":[{"id":1,"title":"a","topic":"tea","words":3}],"total":1,"next":2}"#
    try folder.write(
      "traffic.har",
      RecordedTraffic.file(
        entry("QUERY", #"{"topic":"tea"}"#, rows),
        entry("QUERY", #"{"topic":"ale"}"#, #"{"rows":7}"#),
        entry("POST", #"{"topic":"tea"}"#, rows), entry("GET", "", "[]")))
    let other = try run("drift", "shop", "--from-har", "traffic.har")
    #expect(other.errors == "lull: 3 responses of 4 compared: 3 breaking\n", "\(other)")
    let places = other.output.split(separator: "\n").dropFirst()
      .map { $0.split(separator: " ").map(String.init) }
    #expect(places.filter { $0[0] == "breaking" }.allSatisfy { $0[2] == "find" }, "\(other)")
    #expect(!other.output.contains(" search "), "\(other)")
    #expect(try run("types", "shop", "--from-har", "traffic.har").code == 0)
    types = try #require(folder.text("apis/types/shop.lua"))
    #expect(types.contains("find (4)") && types.contains("search (2)"), "\(types)")
  }

  @Test func `QUERY-53 a diff shows when a call becomes a query, and the settings of queries`()
    throws
  {
    try write(
      """
      search = { method = "POST", path = "/search", params = { topic = "string" } },
      find = { method = "QUERY", path = "/find", params = { topic = "string" } },
      """, "", "old.lua")
    try write(
      """
      search = { method = "POST", safe = true, path = "/search", params = { topic = "string" } },
      find = { method = "POST", path = "/find", params = { topic = "string" } },
      """, "", "new.lua")
    let ending = try run("diff", "old.lua", "new.lua")
    #expect(
      ending.output.contains("safe  none → true\n")
        && ending.output.contains("method  QUERY → POST\n"), "\(ending)")
    #expect(!ending.output.contains("timeout"), "\(ending)")
    // A query has the settings of GET, also if it is sent by POST. A write has not.
    let calls = """
      search = { method = "POST", safe = true, path = "/search", params = { topic = "string" } },
      write = { method = "POST", path = "/write", params = { topic = "string" } },
      """
    func configured(_ seconds: Int, _ name: String) throws {
      try write(
        calls, "api:configure(\"**\", { timeout = \(seconds) }, { methods = { \"GET\" } })", name)
    }
    try configured(5, "five.lua")
    try configured(6, "six.lua")
    let settings = try run("diff", "five.lua", "six.lua")
    #expect(settings.output.contains("timeout"), "\(settings)")
    #expect(
      settings.output.contains("/search") && !settings.output.contains("/write"), "\(settings)")
  }

  @Test func `QUERY-54 descriptions say which calls only read`() throws {
    try write(
      QueryDescriptionTests.calls
        + "\nwrite = { method = \"POST\", path = \"/w\", params = { a = \"string\" } },")
    let list = try run("describe", "shop")
    #expect(list.output.contains("search  POST /search (safe)\n"), "\(list)")
    #expect(list.output.contains("write   POST /w\n"), "\(list)")
    for (call, safe) in [("find", true), ("search", true), ("list", true), ("write", false)] {
      let json = try run("describe", "shop", call, "-o", "json")
      #expect(json.output.contains("\"safe\": \(safe)"), "\(call): \(json)")
    }
    #expect(try run("call", "shop", "search", "--help").output.contains("POST /search (safe)"))
    #expect(try run("skill", "shop").output.contains("`POST /search (safe)`"))
  }

  @Test func `QUERY-45 a check notes a query that always has the same content`() throws {
    try write(
      """
      bare = { method = "QUERY", path = "/a/{id}", params = { id = "integer", q = { type = "string", place = "query" } } },
      meant = { method = "QUERY", path = "/b", body_required = true },
      raw = { method = "QUERY", path = "/c", body = "raw", content_type = "application/sql" },
      find = { method = "QUERY", path = "/d", params = { term = "string" } },
      post = { method = "POST", safe = true, path = "/e" },
      """)
    let ending = try run("check", "apis/shop.lua")
    #expect(ending.code == 0, "\(ending)")
    let lines = (ending.output + ending.errors).split(separator: "\n")
      .filter { $0.contains("always has the same content") }
    #expect(lines.count == 1 && lines[0].contains(":5: call 'bare'"), "\(ending)")
  }
}
