import Testing

@Suite("Pages from the shell", .timeLimit(.minutes(20)))
struct VerbPageTests {
  private let sample: SampleAPI

  init() throws { sample = try SampleAPI() }

  private func url(_ path: String) -> String { sample.url + path }

  @Test func `loads pages as one list`() throws {
    let all = try lull("get", url("/users?per_page=10"), "--all", "-f", "map(x, 'id')")
    #expect(all.output == "[" + (1...25).map(String.init).joined(separator: ",") + "]\n")
    let two = try lull(
      "get", url("/users"), "per_page==3", "--pages", "2", "-o", "lines", "-f",
      "map(x, 'id')")
    #expect(two.output == "1\n2\n3\n4\n5\n6\n")
  }

  /// Whatever is made of it is made of all pages.
  @Test(arguments: [
    ("json", "{ n = sum(x, 'id'), m = #x }", #"{"m":25,"n":325}"# + "\n"),
    ("ndjson", "sum(x, 'id')", "325\n"),
    ("lines", "sum(x, 'id')", "325\n"),
    ("csv", "{ n = sum(x, 'id') }", "n\n325\n"),
    ("table", "{ n = sum(x, 'id') }", "n\n325\n"),
    ("lines", "map(first(reverse(x), 2), 'id')", "25\n24\n"),
  ])
  func `expressions see all pages`(format: String, expression: String, output: String) throws {
    let ending = try lull(
      "get", url("/users?per_page=10"), "--all", "-o", format, "-f", expression)
    #expect(ending.output == output, "\(ending.errors)")
  }

  /// Nothing would come of it, as if there were nothing.
  @Test func `the list of all pages is not taken for a page`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "api.lua",
      """
      local api = require "lull".service{ base_url = "https://a.invalid",
        networking = function(http)
          local isLast = http.url:find "c=" ~= nil
          return { json = { items = { { id = isLast and 2 or 1 } }, next = not isLast and "b" or nil } }
        end }
      return { service = api, calls = {
        some = { path = "/", pages = { cursor = { param = "c", field = "next" } } } } }
      """)
    let taken = try lull("call", file, "some", "--pages", "2", "-f", "map(x.items, 'id')")
    #expect(taken.output == "")
    #expect(taken.errors.contains("x is the list of all pages, and has no fields"))
    #expect(taken.code == 1)
    let list = "map(flatten(map(x, 'items')), 'id')"
    #expect(try lull("call", file, "some", "--pages", "2", "-f", list).output == "[1,2]\n")
    #expect(try lull("call", file, "some", "-f", "map(x.items, 'id')").output == "[1]\n")
  }

  @Test func `pages without elements are an empty list`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "api.lua",
      """
      local api = require "lull".service{ base_url = "https://a.invalid",
        networking = function() return { json = require "lull".array{} } end }
      return { service = api, calls = { none = { path = "/", pages = { page = { param = "p" } } } } }
      """)
    #expect(try lull("call", file, "none", "--all", "-f", "sum(x, 'id')").output == "0\n")
    #expect(try lull("call", file, "none", "--all").output == "[]\n")
  }

  @Test(arguments: [
    ("</2; rel=next", "has a next page that cannot be parsed: '</2; rel=next'"),
    ("<http://elsewhere.invalid/>; rel=next", "The next page is on another origin"),
    ("<>; rel=next", "The pages repeat"), ("<http://[/>; rel=next", "is not a URL"),
  ])
  func `pages that cannot go on tell it`(link: String, problem: String) throws {
    let server = try HeldServer([
      [
        HeldServer.head(
          "200 OK", "Content-Type: application/json", "Content-Length: 3", "Link: \(link)"),
        Array("[1]".utf8),
      ]
    ])
    defer { server.stop() }
    let ending = try lull("get", server.url, "--all")
    #expect(ending.code == 1)
    #expect(ending.output == "[1]\n")
    #expect(ending.errors.contains(problem), "\(ending.errors)")
    let filtered = try lull("get", server.url, "--all", "-f", "#x")
    #expect(filtered.code == 1)
    #expect(filtered.output == "")
    #expect(server.requests.count == 2)
  }

  @Test func `pages go by links with spaces`() throws {
    let server = try HeldServer([
      [
        HeldServer.head(
          "200 OK", "Content-Type: application/json", "Content-Length: 3",
          "Link: </p?q=a b&page=2>; rel=\"next\""), Array("[1]".utf8),
      ],
      [
        HeldServer.head("200 OK", "Content-Type: application/json", "Content-Length: 3"),
        Array("[2]".utf8),
      ],
    ])
    defer { server.stop() }
    let ending = try lull("get", server.url, "--all")
    #expect(ending.output == "[1,2]\n", "\(ending.errors)")
    #expect(server.requests.last?.hasPrefix("GET /p?q=a%20b&page=2 HTTP/1.1") == true)
  }

  /// A sum of some pages is no sum.
  @Test func `expressions are not applied to some pages`() throws {
    let server = try HeldServer([
      [
        HeldServer.head(
          "200 OK", "Content-Type: application/json", "Content-Length: 3",
          "Link: </2>; rel=next"), Array("[1]".utf8),
      ], [HeldServer.head("500 No", "Content-Length: 0")],
    ])
    defer { server.stop() }
    let ending = try lull("get", server.url, "--all", "-f", "sum(x)")
    #expect(ending.output == "")
    #expect(ending.code == 5)
    #expect(ending.errors.contains("-f needs all pages, but some are missing: nothing is"))
    #expect(try lull("get", server.url, "--all").code == 5)
  }

  @Test func `pages that fail tell it`() throws {
    let missing = try lull("get", url("/nothing"), "--all")
    #expect(missing.code == 4)
    #expect(missing.output.hasPrefix(#"{"error":"not_found""#))
    #expect(missing.errors.contains("404"))
    #expect(try lull("get", url("/status/503"), "--pages", "3").code == 5)
    #expect(try lull("get", "http://127.0.0.1:9/", "--all").code == 6)
  }

  @Test func `shows the exchange of every page`() throws {
    let ending = try lull("get", url("/users?per_page=10"), "--all", "-v", "-f", "{ #x }")
    #expect(ending.output == "[25]\n")
    let lines = ending.errors.split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("> GET ") } == [
        "> GET /users?per_page=10 HTTP/1.1", "> GET /users?page=2&per_page=10 HTTP/1.1",
        "> GET /users?page=3&per_page=10 HTTP/1.1",
      ])
    #expect(lines.filter { $0 == "< HTTP/1.1 200 OK" }.count == 3)
    #expect(lines.filter { $0.hasPrefix("* ") && $0.contains("total ") }.count == 3)
    #expect(lines.filter { $0.contains("a reused connection") }.count == 2)
  }
}
