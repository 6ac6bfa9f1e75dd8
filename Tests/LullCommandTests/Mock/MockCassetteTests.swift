import LullCassettes
import Testing

/// Recordings that `lull mock` answers from.
@Suite("lull mock: cassettes", .timeLimit(.minutes(20)))
struct MockCassetteTests {
  private static func entry(
    _ method: String, _ path: String, _ answer: String, status: Int = 200,
    headers: [HARHeader] = [], body: String? = nil, origin: String = "https://api.shop.test"
  ) -> HAREntry {
    HAREntry(
      started: 1, milliseconds: 5000,
      request: HARRequest(
        method: method, url: origin + path,
        body: body.map { HARBody(Array($0.utf8), type: "application/json") }),
      response: HARResponse(
        status: status, headers: [HARHeader("Content-Type", "application/json")] + headers,
        body: HARBody(Array(answer.utf8), type: "application/json")))
  }

  private static func file(_ entries: HAREntry...) -> [UInt8] {
    HARFile(creator: .init(name: "test", version: "1"), entries: entries).encoded()
  }

  @Test
  func `MCK-07 recordings answer as in tests: in order, by query and body, and past writes`() throws
  {
    let recorded = MockCassetteTests.file(
      MockCassetteTests.entry("GET", "/v2/items?q=a&api_key=hunter2hunter2", "1"),
      MockCassetteTests.entry("GET", "/v2/items?q=a&api_key=hunter2hunter2", "2"),
      MockCassetteTests.entry("GET", "/v2/items", "\"before\""),
      MockCassetteTests.entry("POST", "/v2/items", "{}", status: 201, body: #"{"a":1,"b":2}"#),
      MockCassetteTests.entry("GET", "/v2/items", "\"after\""),
      MockCassetteTests.entry("GET", "/elsewhere/7", "\"undeclared\""),
      MockCassetteTests.entry("GET", "/v2/other", "x", origin: "https://other.test"))
    let second = MockCassetteTests.file(MockCassetteTests.entry("GET", "/v2/second", "22"))
    let mock = try MockProcess(
      calls: """
        items = { path = "/items", params = { q = "string" }, example = "example" },
        add = { path = "/items", method = "POST" },
        second = { path = "/second" },
        """, files: ["a.har": recorded, "b.har": second], "--cassette", "a.har", "--cassette",
      "b.har")
    // A secret is compared as its mask.
    #expect(try mock.body("/items?q=a&api_key=another-secret") == "1")
    #expect(try mock.body("/v2/items?q=a&api_key=another-secret") == "2")
    #expect(try mock.body("/v2/items?q=a&api_key=another-secret") == "2")
    #expect(try mock.body("/items") == "\"before\"")
    let miss = try mock.curl("/items", "--json", #"{"a":1,"b":3}"#)
    #expect(miss.hasPrefix("HTTP/1.1 501 "))
    #expect(miss.contains("a.har: POST") && miss.contains("nearest is exchange 4"))
    #expect(try mock.curl("/items", "--json", #"{"b":2,"a":1}"#).hasPrefix("HTTP/1.1 201 "))
    #expect(try mock.body("/items") == "\"after\"")
    #expect(try mock.body("/items?q=new") == "\"example\"")
    #expect(try mock.body("/elsewhere/7") == "\"undeclared\"")
    #expect(try mock.body("/second") == "22")
    #expect(try mock.curl("/other").hasPrefix("HTTP/1.1 404 "))
    #expect(try mock.curl("/items", "-I").contains("\nContent-Length: 7\n"))
    let errors = try mock.end().errors
    #expect(errors.contains("GET /items?q=a&api_key=*** 200 cassette "))
    #expect(!errors.contains("another-secret"))
  }

  @Test func `MCK-08 what a recorded head says leads to the mock, and lets no other page in`()
    throws
  {
    let recorded = MockCassetteTests.file(
      MockCassetteTests.entry(
        "GET", "/v2/items", #"{"self":"https://api.shop.test/v2/items"}"#,
        headers: [
          HARHeader(
            "Link",
            #"<https://api.shop.test/v2/items?page=2>; rel="next", <https://api.shop.test.evil/x>; rel="x""#
          ),
          HARHeader(
            "Set-Cookie", "id=7; Domain=shop.test; Path=/; Secure; SameSite=None; HttpOnly"),
          HARHeader("Access-Control-Allow-Origin", "*"), HARHeader("Content-Encoding", "gzip"),
          HARHeader("Strict-Transport-Security", "max-age=1"), HARHeader("X-A", [0x61, 0xE9]),
        ]),
      MockCassetteTests.entry(
        "GET", "/v2/moved", "", status: 301,
        headers: [HARHeader("Location", "https://api.shop.test/v2/items")]))
    let mock = try MockProcess(
      calls: "items = { path = \"/items\" }, moved = { path = \"/moved\" },",
      files: ["a.har": recorded], "--cassette=a.har")
    let answer = try mock.curl("/items")
    #expect(
      answer.contains(
        "\nlink: <\(mock.url)/v2/items?page=2>; rel=\"next\", <https://api.shop.test.evil/x>"))
    #expect(answer.contains("\nset-cookie: id=7; Path=/; HttpOnly\n"))
    #expect(answer.contains("\nx-a: a\u{FFFD}\n"))
    for name in ["access-control", "content-encoding", "strict-transport"] {
      #expect(!answer.lowercased().contains("\n\(name)"))
    }
    // Content is what was recorded, byte for byte.
    #expect(answer.hasSuffix(#"{"self":"https://api.shop.test/v2/items"}"#))
    #expect(try mock.body("/moved", "-L").contains("self"))
  }

  @Test func `MCK-20 where a failure was recorded the connection ends`() throws {
    var failed = MockCassetteTests.entry("GET", "/v2/items", "")
    failed.response = nil
    failed.failure = HARFailure(kind: "connection", message: "refused")
    let mock = try MockProcess(
      calls: "items = { path = \"/items\" },",
      files: ["a.har": MockCassetteTests.file(failed)], "--cassette", "a.har")
    #expect(try Child("curl", ["-s", mock.url + "/items"]).wait().code == 52)
    #expect(try mock.curl("/other").hasPrefix("HTTP/1.1 404 "))
    #expect(try mock.end().errors.contains("GET /items cut cassette "))
  }
}
