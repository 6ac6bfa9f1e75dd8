import LullCore
import LullLibC
import LullTesting
import Testing

@testable import LullTransport

/// How much there is on a server, for how long, and how long is waited for it.
@Suite(.timeLimit(.minutes(20)))
struct SharedCacheBoundsTests {
  /// Of all parts: entries, and bytes.
  private func look(_ host: SharedCacheHost) throws -> (count: Int, bytes: Int) {
    let client = try host.client
    var sum = (0, 0)
    for part in 0..<SharedCacheKey.parts {
      var outcome: ShareLink.Outcome?
      client.run(SharedEntityScript.look(SharedCacheKey.tag(part, "lull")), on: .entities) {
        outcome = $0
      }
      host.loop.turn { outcome != nil }
      guard case .reply(let value)? = outcome, let parts = value.array, parts.count == 2 else {
        continue
      }
      sum.0 += Int(parts[0].integer ?? 0)
      sum.1 += Int(parts[1].integer ?? 0)
    }
    return sum
  }

  @Test func `SCA-09 what has not been used for longest goes`() throws {
    let server = try #require(RedisServer())
    let host = try SharedCacheHost(server.url) { $0.maxSize = 1 << 20 }
    let body = String(repeating: "x", count: 10_000)
    for number in 0..<250 { host.loaded("/\(number)", .text(body)) }
    let (count, bytes) = try look(host)
    #expect(bytes <= 1 << 20)
    #expect(bytes > 1 << 19)
    #expect(count == server.entities.count)
    let second = try SharedCacheHost(server.url)
    for number in 245..<250 { #expect(second.content("/\(number)")?.utf8.count == body.utf8.count) }
    second.stub("/0", .text("asked"))
    #expect(second.content("/0") == "asked")
    // An eighth of an eighth.
    host.loaded("/249", .text(body + body))
    #expect(try look(host).count == count)
    second.stub("/249", .text("asked"))
    #expect(second.content("/249")?.utf8.count == body.utf8.count, "nothing has asked again")
    let third = try SharedCacheHost(server.url)
    third.stub("/249", .text("asked"))
    #expect(third.content("/249") == "asked", "what was there is of the past")
  }

  @Test func `SCA-10 entries end by themselves`() throws {
    let server = try #require(RedisServer())
    let host = try SharedCacheHost(server.url) { $0.maxAge = 4 }
    host.loaded("/a", .text("one"))
    let key = try #require(server.entities.first)
    let left = try #require(server.say("--raw pttl '\(key)'").first.flatMap { Int($0) })
    #expect((1...4000).contains(left))
    for _ in 0..<2000 where !server.entities.isEmpty { usleep(5000) }
    #expect(server.entities.isEmpty)
    let lasting = try SharedCacheHost(server.url)
    lasting.loaded("/b", .text("two"))
    let days = try #require(
      server.say("--raw pttl '\(server.entities.first ?? "")'").first.flatMap { Double($0) })
    #expect(days > 29.9 * 86_400_000)
    #expect(days <= 30 * 86_400_000)
    // The indexes forget what has ended with the next writes to their parts.
    usleep(1_100_000)
    for number in 0..<40 { lasting.loaded("/\(number)", .text("x")) }
    #expect(try look(lasting).count == 41)
    let sizes = server.say("--raw keys 'lull:*:sizes'").map {
      (server.say("--raw hlen '\($0)'").first.flatMap { Int($0) } ?? 0) - 1
    }
    #expect(sizes.reduce(0, +) == 41)
  }

  @Test func `SCA-10 what is older than max_age is not found`() throws {
    let server = try #require(RedisServer())
    let host = try SharedCacheHost(server.url)
    let resource = host.service.resource("/a")
    let key = try #require(host.cache.key(for: resource, at: .parsing))
    host.cache.writeEntity(
      Entity(content: .text("old"), timestamp: host.loop.now - 100), forKey: key
    ) {}
    host.settle()
    let second = try SharedCacheHost(server.url) { $0.maxAge = 50 }
    second.stub("/a", .text("asked"))
    #expect(second.content("/a") == "asked")
  }

  @Test func `SCA-13 large entities are as good as small ones`() throws {
    let server = try #require(RedisServer())
    let host = try SharedCacheHost(server.url) {
      $0.maxSize = 1 << 30
      $0.secret = SecretText("geheim")
    }
    let large = String(repeating: "0123456789abcdef", count: 200_000)
    host.loaded("/large", .text(large))
    for number in 0..<30 { host.stub("/\(number)", .text(large)) }
    let requests = (0..<30).map { host.service.resource("/\($0)").load() }
    host.loop.turn { requests.allSatisfy(\.isCompleted) }
    host.settle()
    let second = try SharedCacheHost(server.url) {
      $0.maxSize = 1 << 30
      $0.secret = SecretText("geheim")
    }
    let loads = (["large"] + (0..<30).map { "\($0)" }).map { path in
      second.stub("/" + path, .text("asked"))
      return second.service.resource("/" + path).loadIfNeeded()
    }
    second.loop.turn { loads.allSatisfy { $0?.isCompleted ?? true } }
    let found = SharedCacheHost.text(second.service.resource("/large").latestData)
    #expect(found?.utf8.count == large.utf8.count)
    #expect(second.provider.requests.isEmpty)
    #expect(try second.client.isUsable("", on: .entities))
    host.loaded("/large", .text(large + large))
    let third = try SharedCacheHost(server.url) { $0.secret = SecretText("geheim") }
    third.stub("/large", .text("asked"))
    #expect(third.content("/large") == "asked", "above 4 MB nothing is kept")
  }

  @Test(arguments: [(10.0, true), (0.0, false)])
  func `SCA-13 an answer whose bytes are moving is waited for`(patience: Double, isWaitedFor: Bool)
    throws
  {
    let server = try #require(
      RawServer { connection in
        connection.readSome(1000)
        connection.write("+PONG\r\n")
        connection.readSome(1000)
        connection.write("$40\r\n")
        for _ in 0..<20 {
          RawConnection.pause(seconds: 0.05)
          guard connection.write("ab") else { return }
        }
        connection.write("\r\n")
        connection.waitForClose()
      })
    defer { server.stop() }
    let loop = try EventLoop()
    defer { loop.close() }
    let link = ShareLink(
      .host("127.0.0.1", port: Int(server.port), isTLS: false), pump: loop.pump,
      authorities: CertificateAuthorities(file: nil),
      patience: .init(operation: 0.5, whileMoving: patience)
    ) { $0(.success([.init(command: RESPCommand("PING"))])) }
    defer { link.close() }
    var outcome: ShareLink.Outcome?
    link.run(RESPCommand("GET", "a")) { outcome = $0 }
    loop.turn { outcome != nil }
    if case .reply(let value)? = outcome {
      #expect(isWaitedFor)
      #expect(value.bytes?.count == 40)
    } else {
      #expect(!isWaitedFor)
    }
  }
}
