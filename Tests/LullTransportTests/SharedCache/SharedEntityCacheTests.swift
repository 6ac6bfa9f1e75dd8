import LullCore
import LullLibC
import LullTesting
import Testing

@testable import LullTransport

/// Hosts that share entities by a server of Debian's.
@Suite(.timeLimit(.minutes(20)))
struct SharedEntityCacheTests {
  private func server(_ options: String = "") throws -> RedisServer {
    try #require(RedisServer(options))
  }

  @Test func `SCA-01 another host finds what was loaded, with its age and its headers`() throws {
    let server = try server()
    let first = try SharedCacheHost(server.url)
    let text = #"{"z":1,"a":[1.5,null,"ü\n"],"m":{"x":true}}"#
    let loaded = first.loaded("/a", .json(text, etag: "\"v1\""))
    first.loaded("/bytes", .bytes([0, 255, 10], type: "application/octet-stream"))
    first.loaded("/lines", .text("{\"a\":1}\n2\n", type: "application/x-ndjson"))
    first.loaded("/empty", .text(""))
    #expect(server.entities.count == 4)
    let second = try SharedCacheHost(server.url)
    #expect(second.content("/a") == text, "keys keep their order")
    let data = second.service.resource("/a").latestData
    #expect(data?.timestamp == loaded.latestData?.timestamp)
    #expect(data?.etag == "\"v1\"")
    #expect(data?.exchange?.status == 200)
    #expect(data?.exchange?.url == "https://api.test/a")
    #expect(second.content("/bytes") == "[0, 255, 10]")
    #expect(second.content("/lines") == #"[{"a":1},2]"#)
    #expect(second.content("/empty") == "")
    #expect(second.provider.requests.isEmpty)
  }

  @Test func `SCA-01 stages, versions and names are apart`() throws {
    let server = try server()
    try SharedCacheHost(server.url).loaded("/a", .text("one"))
    let others = [
      try SharedCacheHost(server.url, stage: .model),
      try SharedCacheHost(server.url) { $0.version = 2 },
      try SharedCacheHost(server.url) { $0.secret = SecretText("geheim") },
      try SharedCacheHost(server.url) {
        $0.secret = SecretText("geheim")
        $0.identity = "me"
      },
    ]
    for (number, other) in others.enumerated() {
      other.stub("/a", .text("other \(number)"))
      #expect(other.content("/a") == "other \(number)")
    }
    #expect(server.entities.count == 5)
    #expect(try SharedCacheHost(server.url).content("/a") == "one")
    #expect(try SharedCacheHost(server.url) { $0.version = 2 }.content("/a") == "other 1")
  }

  @Test func `SCA-01 variants are apart, and each is found by whom it answers`() throws {
    let server = try server()
    func host(_ language: String) throws -> SharedCacheHost {
      let host = try SharedCacheHost(server.url)
      host.service.configure { $0.headers["Accept-Language"] = language }
      return host
    }
    let languages = (0..<10).map { "l\($0)" }
    for language in languages {
      let headers = [("Content-Type", "text/plain"), ("Vary", "Accept-Language")]
      try host(language).loaded("/a", .init(headers: headers, body: "in \(language)"))
    }
    for language in languages.suffix(8) {
      #expect(try host(language).content("/a") == "in \(language)")
    }
    let other = try host("l0")
    other.stub("/a", .text("asked"))
    #expect(other.content("/a") == "asked", "of more than eight those dated longest ago go")
  }

  @Test func `SCA-02 what says no-store is not written, and removes what is there`() throws {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    host.loaded(
      "/a", .init(headers: [("Content-Type", "text/plain"), ("Set-Cookie", "hush=1")], body: "x"))
    #expect(server.entities.count == 1)
    let second = try SharedCacheHost(server.url)
    #expect(second.content("/a") == "x")
    #expect(second.service.resource("/a").latestData?.headers["set-cookie"] == nil)
    host.loaded(
      "/a", .init(headers: [("Content-Type", "text/plain"), ("Cache-Control", "no-store")]))
    #expect(server.entities.isEmpty)
  }

  @Test func `SCA-03 without a server the file of the machine is the cache`() throws {
    for url in [nil, "unix:///nowhere/redis.sock"] {
      let folder = try #require(CacheFolderFixture())
      try SharedCacheHost(url, folder: folder).loaded("/a", .text("one"))
      let second = try SharedCacheHost(url, folder: folder)
      #expect(second.content("/a") == "one")
      #expect(second.provider.requests.isEmpty)
    }
  }

  @Test func `SCA-03 SCA-08 a server that is lost is done without, and told when it is back`()
    throws
  {
    let server = try server("--appendonly yes")
    let host = try SharedCacheHost(server.url)
    host.loaded("/a", .text("one"))
    host.loaded("/b", .text("kept"))
    server.stop()
    #expect(host.content("/b") == "kept")
    let second = try SharedCacheHost(server.url, folder: host.folder)
    #expect(second.content("/b") == "kept", "the file has it too")
    host.service.resource("/a").overrideLocalContent(with: .text("mine"))
    host.loaded("/b", .text("newer"))
    #expect(second.provider.requests.isEmpty)
    #expect(server.start())
    #expect(server.entities.count == 2)
    let client = try host.client
    host.loop.turn { client.isUsable("", on: .entities) }
    host.loaded("/c", .text("else"))
    #expect(server.entities.count == 1)
    let third = try SharedCacheHost(server.url)
    third.stub("/a", .text("asked"))
    third.stub("/b", .text("asked"))
    #expect(third.content("/a") == "asked")
    #expect(third.content("/b") == "asked")
    #expect(third.content("/c") == "else")
  }

  @Test func `SCA-04 SCA-05 entries of an identity are sealed, or stay on the machine`() throws {
    let server = try server()
    func host(_ secret: String?, _ folder: CacheFolderFixture? = nil) throws -> SharedCacheHost {
      let host = try SharedCacheHost(server.url, folder: folder) {
        $0.secret = secret.map { SecretText($0) }
      }
      host.service.configure { $0.headers["Authorization"] = "Bearer hush" }
      return host
    }
    let alone = try host(nil)
    var lines: [String] = []
    alone.loop.pump.log.enabled = [.cache]
    alone.loop.pump.log.messageHandler = { lines.append($1) }
    alone.loaded("/private-place", .text("private content"))
    #expect(server.entities.isEmpty)
    alone.loaded("/private-place", .text("private content"))
    #expect(lines.count { $0.contains("stored on this machine only") } == 1, "\(lines)")
    #expect(try host(nil, alone.folder).content("/private-place") == "private content")
    let first = try host("geheim")
    first.loaded("/private-place", .text("private content"))
    let found = server.entities
    #expect(found.count == 1)
    let all = (found + server.say("--raw hgetall '\(found.first ?? "")'")).joined()
    for word in ["private", "hush", "text/plain", "geheim", "Bearer"] {
      #expect(!all.contains(word))
    }
    let second = try host("geheim")
    #expect(second.content("/private-place") == "private content")
    for other in [try host("anders"), try host(nil)] {
      other.stub("/private-place", .text("asked"))
      #expect(other.content("/private-place") == "asked")
    }
  }

  @Test func `SHR-38 SCA-09 a cluster spreads what is kept, and is asked where it is`() throws {
    let cluster = try #require(RedisCluster())
    let host = try SharedCacheHost(cluster.url)
    for number in 0..<40 { host.loaded("/\(number)", .json("\(number)", etag: "\"v\"")) }
    let counts = cluster.nodes.map(\.entities.count)
    #expect(counts.reduce(0, +) == 40)
    #expect(!counts.contains(0), "\(counts)")
    let second = try SharedCacheHost(cluster.url)
    for number in 0..<40 { #expect(second.content("/\(number)") == "\(number)") }
    #expect(second.provider.requests.isEmpty)
    let first = try #require(second.service.resource("/0").latestData?.timestamp)
    second.service.configure { $0.expirationTime = 0 }
    second.stub("/0", .init(status: 304))
    #expect(second.content("/0") == "0")
    second.settle()
    let third = try SharedCacheHost(cluster.url)
    #expect(third.content("/0") == "0")
    #expect(third.service.resource("/0").latestData?.timestamp ?? 0 > first)
  }

  @Test func `SCA-05 keys are digests; without a secret what is kept can be read`() throws {
    let server = try server()
    let link = [
      ("Content-Type", "text/plain"), ("Link", "<https://api.test/next-place>; rel=next"),
    ]
    for (secret, isReadable) in [(nil, true), (SecretText("geheim"), false)] {
      _ = server.say("flushall")
      try SharedCacheHost(server.url) { $0.secret = secret }
        .loaded("/some-place", .init(headers: link, body: "x"))
      let key = try #require(server.entities.first)
      #expect(!server.say("--raw keys '*'").joined().contains("place"))
      let all = server.say("--raw hgetall '\(key)'").joined()
      #expect(!all.contains("some-place"))
      #expect(all.contains("next-place") == isReadable)
    }
  }

  @Test func `SCA-06 an older entity takes the place of no newer one`() throws {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    let resource = host.service.resource("/a")
    let key = try #require(host.cache.key(for: resource, at: .parsing))
    func write(_ text: String, _ timestamp: Double) {
      host.cache.writeEntity(Entity(content: .text(text), timestamp: timestamp), forKey: key) {}
      host.settle()
    }
    func read() -> Entity? {
      var answer: Entity??
      host.cache.readEntity(forKey: key) { answer = .some($0) }
      host.loop.turn { answer != nil }
      return answer ?? nil
    }
    let now = host.loop.now
    write("newer", now - 10)
    write("older", now - 20)
    #expect(SharedCacheHost.text(read()) == "newer")
    write("same", now - 10)
    #expect(SharedCacheHost.text(read()) == "same")
    write("ahead", now + 5000)
    #expect(SharedCacheHost.text(read()) == "ahead")
    #expect(read()?.timestamp == 0)
    write("right", now)
    #expect(SharedCacheHost.text(read()) == "right")
    host.cache.updateEntityTimestamp(now - 5, forKey: key) {}
    #expect(read()?.timestamp == now, "a 304 of before says nothing")
    host.cache.updateEntityTimestamp(now + 1, forKey: key) {}
    #expect(read()?.timestamp == now + 1)
    #expect(SharedCacheHost.text(read()) == "right")
    host.cache.removeEntity(forKey: key) {}
    #expect(read() == nil)
    host.cache.updateEntityTimestamp(now + 2, forKey: key) {}
    #expect(read() == nil)
  }

  @Test func `SCA-07 stale entities are asked for with their validators, and made young by a 304`()
    throws
  {
    let server = try server()
    try SharedCacheHost(server.url).loaded("/a", .json("1", etag: "\"v1\""))
    let second = try SharedCacheHost(server.url)
    second.service.configure { $0.expirationTime = 0 }
    second.stub("/a", .init(status: 304, headers: [("X-New", "yes")]))
    let before = second.loop.now
    #expect(second.content("/a") == "1")
    #expect(second.provider.requests.map { $0.headers["if-none-match"] } == ["\"v1\""])
    second.settle()
    let third = try SharedCacheHost(server.url)
    #expect(third.content("/a") == "1")
    #expect(third.service.resource("/a").latestData?.timestamp ?? 0 >= before)
    #expect(third.provider.requests.isEmpty)
  }

  @Test func `SCA-07 what the server has lost it is told anew, if the machine has it`() throws {
    let server = try server()
    let host = try SharedCacheHost(server.url)
    let stranger = try SharedCacheHost(server.url)
    for one in [host, stranger] { one.service.configure { $0.expirationTime = 0 } }
    host.loaded("/a", .json("1", etag: "\"v1\""))
    stranger.stub("/a", .init(status: 304))
    #expect(stranger.content("/a") == "1")
    _ = server.say("flushall")
    #expect(stranger.content("/a") == "1")
    stranger.settle()
    #expect(server.entities.isEmpty, "its file has nothing of it")
    host.stub("/a", .init(status: 304))
    #expect(host.content("/a") == "1")
    host.settle()
    #expect(server.entities.count == 1)
    let third = try SharedCacheHost(server.url)
    #expect(third.content("/a") == "1")
    #expect(third.provider.requests.isEmpty)
  }
}
