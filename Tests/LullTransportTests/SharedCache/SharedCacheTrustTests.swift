import LullCore
import LullLibC
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// What comes from a server that is damaged, hostile, full, or no place for writing.
@Suite(.timeLimit(.minutes(20)))
struct SharedCacheTrustTests {
  private func server(_ options: String = "") throws -> RedisServer {
    try #require(RedisServer(options))
  }

  /// Bytes that differ somehow.
  private func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    switch random.below(6) {
    case 0 where !bytes.isEmpty:
      bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
    case 1: bytes = Array(bytes.prefix(random.below(bytes.count)))
    case 2: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count + 1))
    case 3: bytes = (0..<random.below(200)).map { _ in UInt8(random.below(256)) }
    case 4: bytes += bytes
    default:
      let count = min(8, bytes.count)
      let start = random.below(bytes.count - count + 1)
      for index in start..<(start + count) { bytes[index] = random.chance(2) ? 0xff : 0 }
    }
    return bytes
  }

  private static let place = CacheKey(url: "https://api.test/a", stage: "parsing", version: 1)

  private func form(_ secret: String?, _ place: CacheKey = place) throws -> SharedEntityForm {
    let settings = try ShareSettings(Share(url: "redis://127.0.0.1"))
    let secret = secret.flatMap { SharedCacheSecret($0.utf8) }
    let shared = try #require(SharedCacheKey(place, settings, secret))
    return SharedEntityForm(place: shared, seal: secret?.seal)
  }

  @Test(arguments: [nil, "geheim"])
  func `SCA-11 no bytes that are not the ones which were written are believed`(secret: String?)
    throws
  {
    var random = SeededGenerator(seed: 20)
    let form = try form(secret)
    let place = SharedCacheTrustTests.place
    var entity = Entity(
      content: .text("content"),
      headers: Headers([("Content-Type", "text/plain"), ("ETag", "1")]),
      timestamp: 1000)
    entity.exchange = Exchange(HTTPResponse(status: 200, url: "https://api.test/b", elapsed: 0.5))
    let pack = try #require(form.packed(entity, at: place))
    let wanted = CacheVariant.answering(Headers())
    let head = try #require(form.head(pack.head, "-", wanted))
    let read = try #require(form.entity(head, pack.body, "-", at: place, wanted))
    #expect(SharedCacheHost.text(read) == "content")
    #expect(read.exchange == entity.exchange)
    #expect(read.headers == entity.headers)
    for _ in 0..<3000 {
      let other = mutated(pack.head, &random)
      if other != pack.head { #expect(form.head(other, "-", wanted) == nil) }
      let body = mutated(pack.body, &random)
      if body != pack.body {
        #expect(form.entity(head, body, "-", at: place, wanted)?.timestamp == nil)
      }
      // Also where the sum is right.
      _ = SharedEntityHead(mutated(head.bytes, &random))
    }
    // Whole, and of somewhere else.
    let second = try #require(form.packed(entity, at: place))
    #expect(form.entity(head, second.body, "-", at: place, wanted) == nil)
    #expect(form.head(pack.body, "-", wanted) == nil)
    #expect(form.head(pack.head, "00", wanted) == nil)
    for other in [
      CacheKey(url: "https://api.test/b", stage: "parsing", version: 1),
      CacheKey(url: "https://api.test/a", stage: "model", version: 1),
      CacheKey(url: "https://api.test/a", stage: "parsing", version: 2),
      CacheKey(url: "https://api.test/a", stage: "parsing", version: 1, identity: [1]),
    ] {
      #expect(try self.form(secret, other).head(pack.head, "-", wanted) == nil)
    }
    #expect(try self.form(secret == nil ? "geheim" : nil).head(pack.head, "-", wanted) == nil)
    #expect(try self.form("anders").head(pack.head, "-", wanted) == nil)
  }

  @Test func `SCA-11 answers of any shape are read without harm`() throws {
    var random = SeededGenerator(seed: 21)
    func value(_ depth: Int) -> RESPValue {
      switch random.below(depth > 2 ? 5 : 7) {
      case 0: .null
      case 1: .integer(Int64(random.below(5)) - 1)
      case 2: .status("x")
      case 3: .failure("ERR x")
      case 4: .bytes((0..<random.below(5)).map { _ in UInt8(random.below(256)) })
      default: .array((0..<random.below(9)).map { _ in value(depth + 1) })
      }
    }
    let form = try form(nil)
    for _ in 0..<20000 {
      let value = value(0)
      _ = SharedEntityScript.written(value)
      _ = FetchLeaseScript.answer(value)
      for found in SharedEntityScript.found(value) {
        #expect(form.head(found.head, found.variant, .answering(Headers())) == nil)
      }
    }
  }

  @Test(arguments: [nil, "geheim"])
  func `SCA-11 whatever stands on the server, a load brings what is right`(secret: String?) throws {
    let server = try server()
    func host() throws -> SharedCacheHost {
      try SharedCacheHost(server.url) { $0.secret = secret.map { SecretText($0) } }
    }
    let first = try host()
    first.loaded("/a", .text("right"))
    let key = try #require(server.entities.first)
    let client = try first.client
    func run(_ text: String, _ payload: [[UInt8]]) -> RESPValue? {
      var outcome: ShareLink.Outcome?
      client.run(
        ScriptCall(
          script: ServerScript(text), keys: [key], arguments: [], payload: payload),
        on: .entities
      ) { outcome = $0 }
      first.loop.turn { outcome != nil }
      if case .reply(let value)? = outcome { return value }
      return nil
    }
    let all = run("return redis.call('HGETALL', KEYS[1])", [])?.array ?? []
    let parts = all.compactMap(\.bytes)
    #expect(parts.count == 8)
    var random = SeededGenerator(seed: 22)
    for round in 0..<60 {
      var mutation = parts
      if round > 0 {
        for _ in 0...random.below(3) {
          let index = random.below(mutation.count)
          mutation[index] = mutated(mutation[index], &random)
        }
      }
      _ = run(
        "redis.call('DEL', KEYS[1]) return redis.call('HSET', KEYS[1], unpack(ARGV))", mutation)
      let other = try host()
      other.stub("/a", .text("right"))
      #expect(other.content("/a") == "right")
      if round == 0 { #expect(other.provider.requests.isEmpty) }
      #expect(try other.client.isUsable("", on: .entities))
    }
    // Keys of other types.
    for kind in ["'SET', KEYS[1], 'x'", "'RPUSH', KEYS[1], 'x'", "'SADD', KEYS[1], 'x'"] {
      _ = run("redis.call('DEL', KEYS[1]) return redis.call(\(kind))", [])
      let other = try host()
      other.stub("/a", .text("right"))
      #expect(other.content("/a") == "right")
      #expect(other.provider.requests.count == 1)
      #expect(try host().content("/a") == "right", "it has been put in the place of that")
    }
    for index in ["used", "ends", "sizes"] {
      _ = server.say("set '\(key.prefix { $0 != "}" })}:\(index)' x")
    }
    first.loaded("/a", .text("again"))
    #expect(try host().content("/a") == "again")
  }

  @Test func `SCA-11 a server that answers with anything at all is a miss`() throws {
    var random = SeededGenerator(seed: 23)
    let head = [UInt8](repeating: 65, count: 300)
    let answers: [[UInt8]] = [
      Array("*0\r\n".utf8), Array("$-1\r\n".utf8), Array("*-1\r\n".utf8), Array(":7\r\n".utf8),
      Array("*3\r\n$1\r\n-\r\n$300\r\n".utf8) + head + Array("\r\n$2\r\nxx\r\n".utf8),
      Array("*3\r\n*0\r\n*0\r\n*0\r\n".utf8), Array("*65000\r\n".utf8),
      Array("*3\r\n$1\r\n-\r\n$99999999\r\n".utf8), Array("-WRONGTYPE x\r\n".utf8),
      Array("*2\r\n:3\r\n:9\r\n".utf8), Array("*2\r\n:3\r\n:9223372036854775807\r\n".utf8),
      Array("*2\r\n:1\r\n:-9223372036854775808\r\n".utf8), Array("*2\r\n:9\r\n:1\r\n".utf8),
      (0..<2000).map { _ in UInt8(random.below(256)) },
    ]
    for answer in answers {
      let server = try #require(
        RawServer { connection in
          connection.readSome(1000)
          connection.write("+OK\r\n+PONG\r\n")
          for _ in 0..<20 {
            guard connection.readSome(100_000) > 0 else { return }
            connection.write(answer)
          }
        })
      defer { server.stop() }
      let host = try SharedCacheHost("redis://127.0.0.1:\(server.port)")
      host.stub("/a", .text("asked"))
      #expect(host.content("/a") == "asked")
      #expect(host.provider.requests.count == 1)
    }
  }

  @Test func `SCA-12 on a full server older entities make room, if there are any`() throws {
    let server = try server("--maxmemory-policy noeviction")
    let host = try SharedCacheHost(server.url)
    let body = String(repeating: "x", count: 100_000)
    host.loaded("/0", .text(body))
    let used = server.say("--raw info memory | tr -d '\\r'")
      .first { $0.hasPrefix("used_memory:") }?.dropFirst(12).prefix { $0.isNumber }
    let base = try #require(used.flatMap { Int($0) })
    _ = server.say("config set maxmemory \(base + 2_000_000)")
    for number in 1...60 { host.loaded("/\(number)", .text(body)) }
    let kept = server.entities.count
    #expect((4...30).contains(kept))
    let second = try SharedCacheHost(server.url)
    second.stub("/60", .text("asked"))
    #expect(second.content("/60")?.utf8.count == body.utf8.count, "the last one is there")
    #expect(try host.client.isUsable("", on: .entities))
    // Full of what others have.
    _ = server.say("config set maxmemory 1")
    #expect(second.content("/60")?.utf8.count == body.utf8.count)
    let third = try SharedCacheHost(server.url)
    #expect(third.content("/60")?.utf8.count == body.utf8.count)
    #expect(third.provider.requests.isEmpty)
    for number in 100..<200 { host.loaded("/\(number)", .text("small")) }
    #expect(server.entities.count <= kept)
    #expect(try host.client.isUsable("", on: .entities))
    _ = server.say("config set maxmemory 0")
    host.loaded("/60", .text("again"))
    #expect(try SharedCacheHost(server.url).content("/60") == "again")
  }

  @Test func `SCA-12 of a replica entities are read, and what is brought stays on the machine`()
    throws
  {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    host.loaded("/a", .text("one"))
    _ = server.say("replicaof 127.0.0.1 1")
    let second = try SharedCacheHost(server.url)
    #expect(second.content("/a") == "one")
    #expect(second.provider.requests.isEmpty)
    second.loaded("/b", .text("two"))
    #expect(server.entities.count == 1)
    let third = try SharedCacheHost(nil, folder: second.folder)
    #expect(third.content("/b") == "two")
    _ = server.say("replicaof no one")
    let client = try second.client
    second.loop.turn { client.isUsable("", on: .entities) }
    second.loaded("/b", .text("three"))
    #expect(try SharedCacheHost(server.url).content("/b") == "three")
  }
}
