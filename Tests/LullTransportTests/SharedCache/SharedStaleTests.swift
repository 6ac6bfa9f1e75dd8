import LullCore
import LullTesting
import Testing

@testable import LullTransport

/// What hosts that share a server make of entities that were written to or invalidated.
@Suite(.timeLimit(.minutes(20)))
struct SharedStaleTests {
  @Test(arguments: [nil, "geheim"] as [String?])
  func `AGE-07 INV-59 what one host has invalidated is asked for again by the others`(
    secret: String?
  ) throws {
    let server = try #require(RedisServer(""))
    func host() throws -> SharedCacheHost {
      try SharedCacheHost(server.url) { $0.secret = secret.map { SecretText($0) } }
    }
    let first = try host()
    let resource = first.loaded("/a", .json("1", etag: "\"v\""))
    first.provider.stub("PUT", "https://api.test/a", .init(status: 204))
    for isWrite in [false, true] {
      if isWrite {
        let put = resource.request("PUT")
        first.loop.turn { put.isCompleted }
      } else {
        resource.invalidate()
      }
      first.settle()
      let second = try host()
      second.stub("/a", .init(status: 304, headers: [("ETag", "\"v\"")]))
      #expect(second.content("/a") == "1")
      #expect(second.provider.requests.map { $0.headers["if-none-match"] } == ["\"v\""])
      second.settle()
      let third = try host()
      #expect(third.content("/a") == "1", "confirmed by the 304")
      #expect(third.provider.requests.isEmpty)
    }
  }

  @Test func `AGE-07 a mark leaves alone what another host has written later`() throws {
    let server = try #require(RedisServer(""))
    let first = try SharedCacheHost(server.url)
    let resource = first.loaded("/a", .text("old"))
    let mark = first.service.pump.clock.now
    let second = try SharedCacheHost(server.url)
    second.loaded("/a", .text("new"))
    let key = try #require(first.cache.key(for: resource, at: .parsing))
    first.cache.expireEntity(asOf: mark, forKey: key) {}
    first.settle()
    let third = try SharedCacheHost(server.url)
    #expect(third.content("/a") == "new")
    #expect(third.provider.requests.isEmpty)
    #expect(server.entities.count == 1)
  }

  @Test
  func `QUERY-74 AGE-07 a mark without an entry lasts a minute and is not taken for one`() throws {
    let server = try #require(RedisServer(""))
    let first = try SharedCacheHost(server.url)
    first.service.resource("/a").invalidate()
    first.settle()
    let key = try #require(server.entities.first)
    let left = server.say("--raw pttl '\(key)'").compactMap { Int($0) }.first ?? -1
    #expect((1...60_000).contains(left))
    first.stub("/a", .text("new"))
    #expect(first.content("/a") == "new")
    #expect(first.provider.requests.count == 1)
    // What was requested after the mark is kept as any other entry, and fresh.
    let kept = server.say("--raw pttl '\(key)'").compactMap { Int($0) }.first ?? -1
    #expect(kept > 60_000)
    let second = try SharedCacheHost(server.url)
    #expect(second.content("/a") == "new")
    #expect(second.provider.requests.isEmpty)
  }
}
