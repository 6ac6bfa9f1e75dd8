import LullCore
import LullLibC
import LullTesting
import Synchronization
import Testing

@testable import LullTransport

/// How many hosts a machine knows of, by which limits are divided when the server is lost.
@Suite(.timeLimit(.minutes(20)))
struct ShareHostsTests {
  private func client(
    _ url: String, _ loop: EventLoop, _ folder: CacheFolderFixture
  ) throws -> ShareClient {
    let client = ShareClient(
      try ShareSettings(Share(url: url)), loop.pump, limitsPath: folder.path
    ) { _ in }
    client.patience = ShareBench.patience
    loop.pump.add(client)
    return client
  }

  /// Of how many hosts a client knows.
  private func hosts(_ client: ShareClient) -> Int {
    100_000 / client.part(of: RateLimit(requests: 100_000, per: 1)).requests
  }

  @Test func `SHR-99 the number of hosts comes with each answer about a limit`() throws {
    let bench = try ShareBench()
    for (host, requests, expected) in [
      ("a", 3, 1), ("b", 3, 2), ("a", 3, 2), ("c", 3, 3), ("a", 3, 3),
    ] {
      let asker = bench.asker(requests, per: 60, host: host)
      let value = try #require(bench.run(asker.ask(bench.client.makeNumber())))
      #expect(asker.hosts(value) == expected)
      #expect(asker.answer(value, to: 1) != nil)
      #expect(asker.lesson(value) == nil)
    }
    // With what was learned as well, granted or not.
    let asker = bench.asker(3, per: 60, host: "a")
    _ = bench.run(asker.learn(LimitLesson(budget: .init(left: 2, resetsAfter: 60)), from: nil))
    for requests in [3, 10] {
      let asker = bench.asker(requests, per: 0.001, host: "a")
      let value = try #require(bench.run(asker.ask(bench.client.makeNumber())))
      #expect(asker.hosts(value) == 3)
      #expect(asker.lesson(value)?.budget != nil)
    }
    // Those that have not asked for five minutes are not counted.
    let time = Int(bench.say("time").first ?? "") ?? 0
    _ = bench.say("zadd '\(bench.tag):hosts' \(time - 301)000000 b")
    let value = try #require(bench.run(asker.ask(bench.client.makeNumber())))
    #expect(asker.hosts(value) == 2)
  }

  @Test func `SHR-99 a client believes an answer that says that there are more, and not fewer`()
    throws
  {
    let folder = try #require(CacheFolderFixture())
    let loop = try EventLoop()
    defer { loop.close() }
    let count = Mutex(8)
    let server = try #require(
      PlainShareServer { words in
        words.contains("ask") ? "*2\r\n:1\r\n:\(count.withLock { $0 })\r\n" : ":3\r\n"
      })
    let client = try client(server.url, loop, folder)
    let log = ServerAdmissionLog(
      RateLimit(requests: 100, per: 60), LimitKey(name: "a"), client, loop.pump,
      machine: MachineLimits(loop.pump, path: folder.path))
    for next in [2, 100_000_000, 9] {
      var answer: AdmissionAnswer?
      log.ask { answer = $0 }
      loop.turn { answer != nil }
      count.withLock { $0 = next }
    }
    #expect(hosts(client) == 8)
    loop.turn {
      log.ask { _ in }
      return hosts(client) == 9
    }
    server.stop()
  }

  @Test func `SHR-99 hosts that start together know of each other soon`() throws {
    let server = try #require(RedisServer())
    let loop = try EventLoop()
    defer { loop.close() }
    var clients: [ShareClient] = []
    var folders: [CacheFolderFixture] = []
    for _ in 0..<8 {
      let folder = try #require(CacheFolderFixture())
      let client = try client(server.url, loop, folder)
      // It asks once, of a limit of its own.
      let asker = LimitAsker(
        RateLimit(requests: 1, per: 60), LimitKey(name: "a"), tag: "lull:{\(clients.count)}",
        host: client.host)
      client.run(asker.ask(client.makeNumber())) { _ in }
      clients.append(client)
      folders.append(folder)
    }
    // The first of two beats that are 20 s apart would do, but not for those before them.
    loop.turn { clients.allSatisfy { hosts($0) == 8 } }
    withExtendedLifetime(folders) {}
  }

  @Test func `SHR-99 a host beats often at first, and then every 20 seconds`() throws {
    let folder = try #require(CacheFolderFixture())
    let loop = try EventLoop()
    defer { loop.close() }
    let server = try #require(PlainShareServer { _ in ":1\r\n" })
    let client = try client(server.url, loop, folder)
    client.run(
      LimitAsker(RateLimit(requests: 1, per: 1), LimitKey(name: "a"), tag: "{t}", host: "h")
        .leave()
    ) { _ in }
    // Four would take a minute otherwise, which is longer than is waited here.
    loop.turn { server.commands.count { $0.contains("lull:{lull:hosts}") } >= 5 }
    let beat = try #require(server.commands.last { $0.contains("lull:{lull:hosts}") })
    #expect(beat.suffix(2) == [client.host, "300"])
    server.stop()
  }

  @Test func `SHR-37 the server counts a host for as long as the host has existed, within bounds`()
    throws
  {
    let bench = try ShareBench()
    // Not the one in which the client counts itself.
    let key = "lull:{other}:hosts"
    func beat(_ host: String, _ span: Int) throws -> Int? {
      let call = ScriptCall(script: .hosts, keys: [key], arguments: [host, "\(span)"])
      return try #require(bench.run(call)).integer.map { Int($0) }
    }
    #expect(try beat("young", 300) == 1)
    #expect(try beat("old", 90_000) == 2)
    func end(_ host: String) -> Int {
      (bench.say("zscore '\(key)' \(host)").first.flatMap { Int($0) } ?? 0) + 300
    }
    let now = Int(bench.say("time").first ?? "") ?? 0
    #expect(abs(end("young") - now - 300) < 30)
    #expect(abs(end("old") - now - 90_000) < 30)
    // A host of version 0.2 that was there 301 and 290 seconds ago.
    _ = bench.say("zadd '\(key)' \(now - 301) before \(now - 200) lately")
    #expect(try beat("young", 300) == 3)
    #expect(bench.say("zscore '\(key)' before") == [])
    let left = Int(bench.say("ttl '\(key)'").first ?? "") ?? 0
    #expect(left > 90_000)
  }

  @Test func `SHR-37 a machine has existed since it got its name`() throws {
    let folder = try #require(CacheFolderFixture())
    #expect(ShareMemory(of: "a", beside: folder.path).hostSpan == 300)
    #expect(ShareMemory(of: "a", beside: nil).hostSpan == 300)
    for (age, span) in [(0, 300.0), (7200, 7200), (10_000_000, 90_000), (-5000, 300)] {
      let then = timeval(tv_sec: time(nil) - age, tv_usec: 0)
      var times = [then, then]
      #expect(utimes(folder.path + "-host", &times) == 0)
      let found = ShareMemory(of: "a", beside: folder.path).hostSpan
      #expect(abs(found - span) < 60, "\(age)")
    }
  }
}
