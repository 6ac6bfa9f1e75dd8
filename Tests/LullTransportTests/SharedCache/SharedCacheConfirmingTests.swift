import LullCore
import LullTesting
import Testing

@testable import LullTransport

/// What a 304 does where others have written something else meanwhile.
@Suite(.timeLimit(.minutes(20)))
struct SharedCacheConfirmingTests {
  private func server(_ options: String = "") throws -> RedisServer {
    try #require(RedisServer(options))
  }

  /// What a host without memories or files finds, without asking.
  private func found(_ server: RedisServer, _ path: String = "/a") throws -> Entity? {
    let host = try SharedCacheHost(server.url)
    let key = try #require(host.cache.key(for: host.service.resource(path), at: .parsing))
    return read(host, key)
  }

  private func read(_ host: SharedCacheHost, _ key: SharedEntityCache.Key) -> Entity? {
    var answer: Entity??
    host.cache.readEntity(forKey: key) { answer = .some($0) }
    host.loop.turn { answer != nil }
    return answer ?? nil
  }

  @Test(arguments: [false, true])
  func `SCA-07 CACHE-40 a 304 about one entity leaves another on the server alone`(
    changesHeaders: Bool
  ) throws {
    let server = try server()
    let slow = try SharedCacheHost(server.url)
    if changesHeaders { slow.service.configure { $0.expirationTime = .http } }
    slow.loaded("/a", .json("1", etag: "\"v1\""))
    slow.stub("/a", .init(status: 304, headers: [("ETag", "\"v1\""), ("X-New", "yes")]))
    slow.provider.holdsAnswers = true
    let request = slow.service.resource("/a").load()
    slow.loop.turn { slow.provider.heldCount == 1 }
    #expect(slow.provider.requests.last?.headers["if-none-match"] == "\"v1\"")
    let quick = try SharedCacheHost(server.url)
    let other = quick.loaded("/a", .json("2", etag: "\"v2\""))
    slow.provider.release()
    slow.loop.turn { request.isCompleted }
    slow.settle()
    let entity = try #require(try found(server))
    #expect(SharedCacheHost.text(entity) == "2")
    #expect(entity.etag == "\"v2\"")
    #expect(entity.headers["x-new"] == nil)
    #expect(entity.timestamp == other.latestData?.timestamp)
  }

  @Test func `SCA-07 CACHE-40 what the server has lost it is not told by a 304 about another`()
    throws
  {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    host.loaded("/a", .json("2", etag: "\"v2\""))
    let other = try SharedCacheHost(nil, folder: host.folder)
    other.loaded("/a", .json("1", etag: "\"v1\""))
    _ = server.say("flushall")
    host.stub("/a", .init(status: 304))
    let request = host.service.resource("/a").load()
    host.loop.turn { request.isCompleted }
    host.settle()
    #expect(host.provider.requests.last?.headers["if-none-match"] == "\"v2\"")
    #expect(server.entities.isEmpty)
    let third = try SharedCacheHost(nil, folder: host.folder)
    #expect(third.content("/a") == "1")
    let before = try #require(other.service.resource("/a").latestData?.timestamp)
    #expect(third.service.resource("/a").latestData?.timestamp == before)
  }

  @Test func `SCA-07 SCA-24 with headers of its own, too, what was lost is told anew`() throws {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    host.service.configure { $0.expirationTime = .http }
    host.loaded("/a", .json("1", etag: "\"v1\""))
    _ = server.say("flushall")
    host.stub(
      "/a", .init(status: 304, headers: [("ETag", "W/\"v1\""), ("Cache-Control", "max-age=60")]))
    let request = host.service.resource("/a").load()
    host.loop.turn { request.isCompleted }
    host.settle()
    let entity = try #require(try found(server))
    #expect(SharedCacheHost.text(entity) == "1")
    #expect(entity.etag == "W/\"v1\"")
    #expect(entity.timestamp == host.service.resource("/a").latestData?.timestamp)
  }

  @Test func `SCA-15 without the server a machine does not go back behind what it has had of it`()
    throws
  {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    host.loaded("/a", .json("1", etag: "\"v1\""))
    let other = try SharedCacheHost(server.url)
    let newer = other.loaded("/a", .json("2", etag: "\"v2\""))
    other.loaded("/b", .json("3"))
    let again = try SharedCacheHost(server.url, folder: host.folder)
    #expect(again.content("/a") == "2")
    #expect(again.content("/b") == "3")
    let alone = try SharedCacheHost(nil, folder: host.folder)
    #expect(alone.content("/a") == "2")
    let data = alone.service.resource("/a").latestData
    #expect(data?.etag == "\"v2\"")
    #expect(data?.timestamp == newer.latestData?.timestamp)
    alone.stub("/b", .json("9"))
    #expect(alone.content("/b") == "9", "the file has what this machine has brought")
  }

  @Test func `SCA-12 a 304 on a full server leaves the entry as old as it was`() throws {
    let server = try server("--maxmemory-policy noeviction")
    let host = try SharedCacheHost(server.url)
    let before = host.loaded("/a", .json("1", etag: "\"v1\"")).latestData?.timestamp
    _ = server.say("config set maxmemory 1")
    host.stub("/a", .init(status: 304))
    for _ in 0..<3 {
      let request = host.service.resource("/a").load()
      host.loop.turn { request.isCompleted }
      host.settle()
      #expect(try host.client.isUsable("", on: .entities))
    }
    let entity = try #require(try found(server))
    #expect(SharedCacheHost.text(entity) == "1")
    #expect(entity.timestamp == before)
    _ = server.say("config set maxmemory 0")
    host.loaded("/b", .text("x"))
    #expect(server.entities.count == 2, "nothing is owed")
  }

  @Test func `SCA-24 what is written and kept is worth waiting for again`() throws {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    host.loaded("/a", .text("one"))
    let entry = try #require(server.entities.first)
    let lease = entry.replacing(":e:", with: ":f:")
    _ = server.say("set '\(lease)' open px 60000")
    host.loaded("/a", .text("two"))
    #expect(server.say("--raw exists '\(lease)'") == ["0"])
    _ = server.say("set '\(lease)' somebody px 60000")
    let key = try #require(host.cache.key(for: host.service.resource("/a"), at: .parsing))
    host.cache.writeEntity(Entity(content: .text("x"), timestamp: host.loop.now), forKey: key) {}
    host.settle()
    #expect(server.say("--raw get '\(lease)'") == ["somebody"])
  }

  @Test(arguments: ["del", "set"])
  func `SCA-09 when an index is lost, what the others say does not count`(how: String) throws {
    let server = try server()
    let host = try SharedCacheHost(server.url) { $0.maxSize = 1 << 20 }
    let body = String(repeating: "x", count: 10_000)
    for number in 0..<100 { host.loaded("/\(number)", .text(body)) }
    for key in server.say("--raw keys 'lull:*:used'") {
      _ = server.say(how == "del" ? "del '\(key)'" : "set '\(key)' x")
    }
    let before = server.entities.count
    for number in 200..<240 { host.loaded("/\(number)", .text("small")) }
    #expect(server.entities.count == before + 40, "nothing has had to go")
    for key in server.say("--raw keys 'lull:*:sizes'") {
      let total = server.say("--raw hget '\(key)' total").first.flatMap { Int($0) }
      #expect((1...20_000).contains(total ?? 0), "\(total ?? -1)")
    }
  }
}
