import LullCassettes
import Testing

/// Queries that `lull mock` answers.
@Suite("Queries: lull mock", .timeLimit(.minutes(20)))
struct QueryMockTests {
  private static let calls = """
    find = { method = "QUERY", path = "/find", params = { term = "string", size = "integer" }, examples = {
      { json = { 1 }, when = { term = "tea" } },
      { json = { 2 }, when = { term = "ale", size = 2 }, headers = { ["Content-Location"] = "/v2/results/2" } },
      { json = {}, headers = { ["Accept-Query"] = "own" } } } },
    search = { method = "POST", safe = true, path = "/search", params = { term = "string" },
      examples = { { json = { 1 }, when = { term = "tea" } }, { json = { 2 } } } },
    sql = { method = "QUERY", path = "/sql", body = "raw", content_type = "application/sql; charset=utf-8",
      params = { q = { place = "body", whole = true } },
      examples = { { json = { 1 }, when = { q = "SELECT 1" } }, { json = { 2 } } } },
    any = { method = "QUERY", path = "/any", body = "raw", params = { q = { place = "body", whole = true } }, example = { 1 } },
    form = { method = "QUERY", path = "/any", body = "form", params = { a = "string" } },
    write = { method = "POST", path = "/write", example = { 1 } },
    """

  private func header(_ name: String, _ answer: String) -> String? {
    answer.split(separator: "\n").first { $0.lowercased().hasPrefix(name + ": ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }

  @Test func `QUERY-46 examples are chosen by the body, and have a validator for each query`()
    throws
  {
    let mock = try MockProcess(calls: QueryMockTests.calls)
    func find(_ body: String, _ words: String...) throws -> String {
      try Child(
        "curl",
        ["-si", "--max-time", "120", "-X", "QUERY", mock.url + "/find", "--json", body] + words
      ).wait().output.replacing("\r\n", with: "\n")
    }
    let tea = try find(#"{"term":"tea"}"#)
    let ale = try find(#"{"size":2.0,"term":"ale"}"#)
    #expect(tea.hasPrefix("HTTP/1.1 200 ") && tea.hasSuffix("\n[1]"), "\(tea)")
    #expect(ale.hasSuffix("\n[2]") && header("content-location", ale) == "/v2/results/2", "\(ale)")
    #expect(try find(#"{"term":"gin"}"#).hasSuffix("\n{}"))
    let tag = try #require(header("etag", tea))
    #expect(header("etag", ale) != nil && header("etag", ale) != tag)
    let same = try find(#"{"term":"tea"}"#, "-H", "If-None-Match: \(tag)")
    #expect(same.hasPrefix("HTTP/1.1 304 ") && header("etag", same) == tag, "\(same)")
    let other = try find(#"{"term":"ale","size":2}"#, "-H", "If-None-Match: \(tag)")
    #expect(other.hasPrefix("HTTP/1.1 200 ") && other.hasSuffix("\n[2]"), "\(other)")
    // A POST that is declared safe creates nothing.
    let search = try mock.curl("/search", "--json", #"{"term":"tea"}"#)
    #expect(search.hasPrefix("HTTP/1.1 200 ") && search.hasSuffix("\n[1]"), "\(search)")
    let known = try #require(header("etag", search))
    let again = try mock.curl(
      "/search", "--json", #"{"term":"tea"}"#, "-H", "If-None-Match: \(known)")
    #expect(again.hasPrefix("HTTP/1.1 304 "), "\(again)")
    // Another POST has no validator.
    let write = try mock.curl("/write", "--json", "{}")
    #expect(write.hasPrefix("HTTP/1.1 201 ") && header("etag", write) == nil, "\(write)")
    let sql = ["-H", "Content-Type: application/sql", "-X", "QUERY", "--data-raw"]
    #expect(
      try mock.curl("/sql", sql[0], sql[1], sql[2], sql[3], sql[4], "SELECT 1").hasSuffix("[1]"))
    #expect(
      try mock.curl("/sql", sql[0], sql[1], sql[2], sql[3], sql[4], "SELECT 2").hasSuffix("[2]"))
  }

  @Test func `QUERY-46 Lull confirms the answer of a mock for each query`() throws {
    let mock = try MockProcess(calls: QueryMockTests.calls)
    let script = """
      local lull = require "lull"
      local api = lull.service("\(mock.url)")
      for _, term in ipairs { "tea", "other" } do
        local search = api("/find"):query{ json = { term = term } }
        local first = assert(search:load():await())
        local request = search:load()
        assert(request:await())
        print(lull.json.encode(search.content), first.equivalent)
      end
      local size = api("/find"):query{ json = { term = "ale", size = 2 } }
      print(assert(size:load():await()).equivalent.url == "\(mock.url)/v2/results/2")
      """
    let ending = try lull("-e", script)
    #expect(ending.code == 0, "\(ending)")
    #expect(ending.output == "[1]\tnil\n{}\tnil\ntrue\n", "\(ending)")
    let lines = try mock.end().errors.split(separator: "\n").filter { $0.hasPrefix("QUERY /find") }
    #expect(
      lines.map { String($0.split(separator: " ")[2]) } == ["200", "304", "200", "304", "200"],
      "\(lines)")
  }

  @Test func `QUERY-48 the media types of a query, and what is refused`() throws {
    let mock = try MockProcess(calls: QueryMockTests.calls)
    func ask(_ path: String, _ method: String, _ words: String...) throws -> String {
      try Child(
        "curl", ["-si", "--max-time", "120", "-X", method, mock.url + path] + words
      ).wait().output.replacing("\r\n", with: "\n")
    }
    for (path, types) in [
      ("/find", #""application/json""#), ("/sql", #""application/sql""#),
      ("/any", #""*/*", "application/x-www-form-urlencoded""#),
    ] {
      let options = try ask(path, "OPTIONS")
      #expect(header("allow", options) == "OPTIONS, QUERY", "\(options)")
      #expect(header("accept-query", options) == types, "\(options)")
    }
    #expect(header("accept-query", try ask("/search", "OPTIONS")) == nil)
    let get = try ask("/find", "GET")
    #expect(get.hasPrefix("HTTP/1.1 405 ") && header("allow", get) == "OPTIONS, QUERY", "\(get)")
    let form = try ask("/find", "QUERY", "-d", "a=1")
    #expect(form.hasPrefix("HTTP/1.1 415 "), "\(form)")
    #expect(header("accept-query", form) == #""application/json""#, "\(form)")
    let bare = try ask("/find", "QUERY", "-d", "{}", "-H", "Content-Type:")
    #expect(bare.hasPrefix("HTTP/1.1 400 ") && bare.contains("needs the header Content-Type"))
    // An example may set the header.
    let own = try ask("/find", "QUERY", "--json", #"{"term":"x"}"#)
    #expect(header("accept-query", own) == "own", "\(own)")
    #expect(try ask("/none", "QUERY", "--json", "{}").hasPrefix("HTTP/1.1 404 "))
    let other = try ask("/search", "QUERY", "--json", "{}")
    #expect(other.hasPrefix("HTTP/1.1 405 ") && header("allow", other) == "OPTIONS, POST")
    // Bytes that are not UTF-8, and no content at all.
    let broken = try shell(
      "printf '\\377{' | curl -s --max-time 120 -o /dev/null -w '%{http_code}' -X QUERY "
        + "-H 'Content-Type: application/json' --data-binary @- \(mock.url)/find")
    #expect(broken.output == "400", "\(broken)")
    let raw = try shell(
      "printf '\\377\\376' | curl -s --max-time 120 -o /dev/null -w '%{http_code}' -X QUERY "
        + "-H 'Content-Type: application/x' --data-binary @- \(mock.url)/any")
    #expect(raw.output == "400", "\(raw)")
    let empty = try ask("/find", "QUERY", "-H", "Content-Type: application/json")
    #expect(empty.hasPrefix("HTTP/1.1 200 "), "\(empty)")
  }

  private static func entry(
    _ method: String, _ path: String, _ answer: String, _ body: String? = nil,
    isSafe: Bool = false, headers: [HARHeader] = []
  ) -> HAREntry {
    var request = HARRequest(
      method: method, url: "https://api.shop.test" + path,
      body: body.map { HARBody(Array($0.utf8), type: "application/json") })
    request.isDeclaredSafe = isSafe
    return HAREntry(
      started: 1, milliseconds: 1, request: request,
      response: HARResponse(
        status: 200, headers: [HARHeader("Content-Type", "application/json")] + headers,
        body: HARBody(Array(answer.utf8), type: "application/json")))
  }

  @Test func `QUERY-47 a recording answers the query that was asked, and is not past it`() throws {
    let file = HARFile(
      creator: .init(name: "test", version: "1"),
      entries: [
        QueryMockTests.entry("QUERY", "/v2/find", "1", #"{"term":"a","size":1}"#),
        QueryMockTests.entry("QUERY", "/v2/find", "2", #"{"term":"b"}"#),
        QueryMockTests.entry("QUERY", "/v2/find", "3", #"{"term":"a","size":1}"#),
        QueryMockTests.entry("GET", "/v2/search", "\"before\""),
        // Recorded by a browser, without a mark.
        QueryMockTests.entry("POST", "/v2/search", "4", #"{"term":"a"}"#),
        QueryMockTests.entry("GET", "/v2/search", "\"between\""),
        QueryMockTests.entry("POST", "/v2/search", "5", #"{"term":"b"}"#, isSafe: true),
      ]
    ).encoded()
    let mock = try MockProcess(
      calls: QueryMockTests.calls + "\nlist = { path = \"/search\" },", files: ["a.har": file],
      "--cassette", "a.har")
    func find(_ body: String) throws -> String {
      try mock.body("/find", "-X", "QUERY", "--json", body)
    }
    #expect(try find(#"{"term":"b"}"#) == "2")
    #expect(try find(#"{"size":1.0,"term":"a"}"#) == "1")
    #expect(try find(#"{"term":"b"}"#) == "2")
    #expect(try find(#"{"term":"a","size":1}"#) == "3")
    #expect(try find(#"{"term":"a","size":1}"#) == "3")
    // A query by POST writes nothing, so the first of the reads is not past.
    #expect(try mock.body("/search", "--json", #"{"term":"a"}"#) == "4")
    #expect(try mock.body("/search") == "\"before\"")
    #expect(try mock.body("/search", "--json", #"{"term":"b"}"#) == "5")
    #expect(try mock.body("/search", "--json", #"{"term":"a"}"#) == "4")
    #expect(try mock.body("/search") == "\"between\"")
    // Other queries fall back to the examples.
    #expect(try find(#"{"term":"tea"}"#) == "[1]")
  }
}
