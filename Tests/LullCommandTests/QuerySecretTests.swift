import LullTesting
import Testing

/// What stands around a secret in a URL, of which nobody sees more than its mask.
@Suite("Secrets in queries", .timeLimit(.minutes(20)))
struct QuerySecretTests {
  private let folder: TemporaryFolder
  private let server: EchoServer
  private var base: String { "http://127.0.0.1:\(server.port)" }
  private let environment = ["KEY": "s3cr3tKEY99", "PW": "geheim"]

  init() throws {
    folder = try TemporaryFolder()
    server = try EchoServer { request, _ in
      let target = request.line.dropFirst(4)
      let path = target.prefix { $0 != "?" }
      let query = target.dropFirst(path.count)
      let json = "Content-Type: application/json"
      switch path {
      case "/v1/slash":
        return .init(
          status: "301 Moved", headers: ["Location: /v1/slash/\(query)", json], body: "{}")
      case "/v1/pages" where !query.contains("page=2"):
        return .init(
          headers: [
            "Link: <http://\(Self.host(request))/v1/pages\(query)&page=2>; rel=\"next\"", json,
          ],
          body: "[1]")
      case "/v1/old":
        return .init(
          status: "302 Found", headers: ["Location: /v2/items\(query)", json], body: "{}")
      case "/v2/items" where !query.contains("page=2"):
        return .init(headers: ["Link: <items?page=2>; rel=\"next\"", json], body: "[1]")
      case "/v1/digest" where !request.head.contains("uthorization: Digest"):
        return .init(
          status: "401 No",
          headers: [
            "WWW-Authenticate: Digest realm=\"a\", nonce=\"abc\", qop=\"auth\", algorithm=MD5"
          ])
      case "/v1/bad": return .init(headers: [json], body: "{nope")
      default: return .init(headers: [json], body: "[{\"id\":7}]")
      }
    }
    try folder.write(
      "apis/kv.lua",
      """
      local lull = require "lull"
      return { service = lull.service{ base_url = "\(base)/v1",
          auth = lull.auth.query("api_key", lull.secret{ env = "KEY" }) },
        calls = { o = { path = "/orders", schema = { type = "object" } }, s = { path = "/slash" },
          p = { path = "/pages", pages = true }, b = { path = "/bad" }, count = { path = "/count" } } }
      """)
    try folder.write(
      "apis/par.lua",
      """
      local lull = require "lull"
      local api = lull.service{ base_url = "\(base)/v1",
        auth = lull.auth.digest("ann", lull.secret{ env = "PW" }) }
      local params = { api_key = { type = "string", default = lull.secret{ env = "KEY" } } }
      return { service = api, calls = { d = { path = "/digest", params = params },
        o = { path = "/orders", params = params, schema = { type = "object" } },
        old = { path = "/old", params = params, pages = true } } }
      """)
  }

  private static func host(_ request: EchoServer.Request) -> Substring {
    request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host: ") }?.dropFirst(
      6)
      ?? ""
  }

  private func run(_ words: String...) throws -> Child.Ending {
    let ending = try Child(
      Binaries.lull, words, environment: environment, folder: folder.path
    ).wait()
    #expect(!ending.output.contains("s3cr3t") && !ending.errors.contains("s3cr3t"))
    return ending
  }

  @Test(arguments: ["kv", "par"])
  func `QRY-10 answers are held against their schemas also where a secret stands in the URL`(
    api: String
  ) throws {
    let failed = try run("call", api, "o", "--validate", "fail")
    #expect(failed.code == 1 && failed.errors.contains("must be an object"), "\(failed)")
    #expect(failed.errors.contains("/v1/orders → 200") || api == "par", "\(failed)")
    let warned = try run("call", api, "o", "--validate", "warn")
    #expect(warned.code == 0 && warned.errors.contains("must be an object"), "\(warned)")
    server.stop()
  }

  @Test func `QRY-10 errors behind the transport are told without the credential`() throws {
    let bad = try run("call", "kv", "b")
    #expect(bad.errors.contains("(GET \(base)/v1/bad → 200)"), "\(bad)")
    server.stop()
  }

  @Test
  func `QRY-10 a challenge is answered, and links of pages lead on, beside a secret in the URL`()
    throws
  {
    let digest = try run("call", "par", "d")
    #expect(digest.code == 0 && digest.output.contains("\"id\""), "\(digest)")
    let pages = try run("call", "par", "old", "--all")
    #expect(pages.code == 0, "\(pages)")
    #expect(server.requests.last?.line.hasPrefix("GET /v2/items?page=2") == true)
    server.stop()
  }

  @Test func `SHOW-05 what stands beside a secret in the first line is masked as well`() throws {
    let ending = try run(
      "get", "kv", "/x?access_token=hunter2hunter&since=2026-01-01T10:00:00Z", "-v")
    #expect(
      ending.errors.contains(
        "> GET /v1/x?access_token=***&since=2026-01-01T10:00:00Z&api_key=‹secret KEY› HTTP/1.1\n"),
      "\(ending)")
    server.stop()
  }

  @Test func `QRY-11 recordings with a secret in their URLs answer again, and are the API's`()
    throws
  {
    let test = { (lines: String) in
      """
      local test = require "lull.test"
      test("recorded", function(t)
        local calls = t:api("kv", { cassette = "kv" }).calls
      \(lines)
        for _ in calls.p:pages{} do end
      end)
      """
    }
    try folder.write("tests/kv_test.lua", test("  t.expect(calls.s{}):to_succeed()"))
    #expect(try run("test", "--record", "all").code == 0)
    let again = try run("test")
    #expect(again.code == 0, "\(again)")
    try folder.write(
      "tests/kv_test.lua",
      test("  t.expect(calls.s{}):to_succeed()\n  t.expect(calls.count{}):to_succeed()"))
    let missing = try run("test", "--record", "missing")
    #expect(missing.code == 0, "\(missing)")
    let third = try run("test")
    #expect(third.code == 0, "\(third)")
    let text = try #require(folder.text("tests/cassettes/kv.har"))
    #expect(!text.contains("lull-token") && !text.contains("s3cr3t"), "\(text)")
    let types = try run("types", "kv", "--from-har", "tests/cassettes/kv.har")
    #expect(types.code == 0 && types.errors == "", "\(types)")
    server.stop()
  }
}
