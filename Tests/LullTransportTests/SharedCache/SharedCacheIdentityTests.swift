import LullCore
import LullTesting
import Testing

@testable import LullTransport

/// Whose entries get to the server.
@Suite(.timeLimit(.minutes(20)))
struct SharedCacheIdentityTests {
  private static let ways: [String: @Sendable (inout Configuration) -> Void] = [
    "command": {
      $0.headers.add("Authorization", SecretText(Secret(.command(["token", "print"]))))
    },
    "shell": { $0.headers.add("X-Api-Key", SecretText(Secret(.shell("token print")))) },
    "no file": { $0.headers.add("X-Api-Key", SecretText(Secret(.file("/nowhere/token")))) },
    "mutation": { $0.mutateRequests { $0.headers["Authorization"] = "Bearer hush" } },
    "cookie": { $0.mutateRequests { $0.headers["Cookie"] = "session=hush" } },
    "other": {
      $0.headers["Authorization"] = "Bearer known"
      $0.mutateRequests { $0.headers["Authorization"] = "Bearer hush" }
    },
    "auth": {
      $0.auth = .bearer(SecretText("known"))
      $0.mutateRequests { $0.headers["Authorization"] = "Bearer hush" }
    },
    "query": {
      $0.mutateRequests { $0.url += "?access_token=hush" }
    },
    "user": {
      $0.mutateRequests {
        $0.url = $0.url.replacing("https://", with: "https://ann:hush@")
      }
    },
    "jar": { $0.setOptions { $0.cookies = CookieJar() } },
  ]

  @Test(arguments: ways.keys.sorted())
  func `SCA-16 what nobody knows the owner of stays on the machine`(way: String) throws {
    let server = try #require(RedisServer())
    let change = try #require(SharedCacheIdentityTests.ways[way])
    func stub(_ host: SharedCacheHost, _ answer: StubProvider.Answer) {
      for url in ["api.test/a", "api.test/a?access_token=hush", "ann:hush@api.test/a"] {
        host.provider.stub("GET", "https://" + url, answer)
      }
    }
    func host(_ name: String? = nil, _ folder: CacheFolderFixture? = nil) throws -> SharedCacheHost
    {
      let host = try SharedCacheHost(server.url, folder: folder) {
        $0.secret = SecretText("geheim")
        $0.identity = name
      }
      host.service.configure { change(&$0) }
      return host
    }
    let first = try host()
    var lines: [String] = []
    first.loop.pump.log.enabled = [.cache]
    first.loop.pump.log.messageHandler = { lines.append($1) }
    func load(_ host: SharedCacheHost, _ answer: StubProvider.Answer) {
      stub(host, answer)
      let request = host.service.resource("/a").load()
      host.loop.turn { request.isCompleted }
      host.settle()
    }
    load(first, .json("1", etag: "\"v1\""))
    #expect(first.provider.requests.count == 1)
    #expect(server.entities.isEmpty)
    #expect(lines.count { $0.contains("stored on this machine only") } == 1, "\(lines)")
    load(first, .init(status: 304))
    #expect(server.entities.isEmpty, "a 304 does not bring it there either")
    server.stop()
    #expect(try host(nil, first.folder).content("/a") == "1", "the file has it")
    #expect(server.start())
    let named = try host("ann")
    load(named, .json("1"))
    #expect(server.entities.count == 1)
    #expect(try host("ann").content("/a") == "1")
  }

  @Test func `QRY-07 a credential in the query is one, what a mutation puts there is none`() throws
  {
    let server = try #require(RedisServer())
    let key = SecretText(Secret(.literal("known"), name: "KEY"))
    func host() throws -> SharedCacheHost {
      let host = try SharedCacheHost(server.url) { $0.secret = SecretText("geheim") }
      host.service.configure { $0.auth = .query("api_key", key) }
      return host
    }
    func load(_ host: SharedCacheHost, _ url: String) {
      host.provider.stub("GET", url, .json("1"))
      let request = host.service.resource("/a").load()
      host.loop.turn { request.isCompleted }
      host.settle()
      #expect(request.response?.error == nil)
    }
    let other = try host()
    other.service.configure { $0.mutateRequests { $0.url += "?api_key=hush" } }
    load(other, "https://api.test/a?api_key=hush")
    #expect(server.entities.isEmpty)
    load(try host(), "https://api.test/a?api_key=‹secret KEY›")
    #expect(server.entities.count == 1)
    #expect(try host().content("/a") == "1")
  }

  @Test func `SCA-04 SCA-16 credentials that are configured and known are those of one identity`()
    throws
  {
    let ways: [@Sendable (inout Configuration) -> Void] = [
      { $0.auth = .bearer(SecretText("known")) },
      { $0.auth = .basic(user: "ann", password: SecretText(Secret(.literal("open sesame")))) },
      { $0.headers["Cookie"] = "session=known" },
      { $0.headers.add("X-Api-Key", SecretText(Secret(.literal("known")))) },
      { $0.mutateRequests { $0.headers["X-Trace"] = "7" } },
    ]
    for change in ways {
      let server = try #require(RedisServer())
      func host() throws -> SharedCacheHost {
        let host = try SharedCacheHost(server.url) { $0.secret = SecretText("geheim") }
        host.service.configure { change(&$0) }
        return host
      }
      try host().loaded("/a", .text("one"))
      #expect(server.entities.count == 1)
      #expect(try host().content("/a") == "one")
    }
  }
}
