import LullCore
import LullLibC
import LullTesting
import Testing

@testable import LullTransport

/// Hosts that share entities, and hear of what the others write while they run.
@Suite(.timeLimit(.minutes(20)))
struct SharedUpdatesTests {
  /// A host that observes `/a`, and hears of it.
  private func listener(
    _ url: String, _ path: String = "/a",
    _ change: (inout SharedEntityCache.Options) -> Void = { _ in }
  ) throws -> (host: SharedCacheHost, recorder: EventRecorder) {
    let host = try SharedCacheHost(url, change)
    let recorder = EventRecorder()
    host.service.resource(path).addObserver(recorder)
    let news = try host.client.updates
    host.loop.turn { news.channelState == .open }
    try waitForLook(host, path)
    _ = recorder.take()
    return (host, recorder)
  }

  /// Until the resource has looked into its cache.
  private func waitForLook(_ host: SharedCacheHost, _ path: String) throws {
    let resource = host.service.resource(path)
    let key = try #require(host.cache.key(for: resource, at: .parsing))
    var isOver = false
    _ = resource.latestData
    // Behind the look.
    host.cache.readEntity(forKey: key) { _ in isOver = true }
    host.loop.turn { isOver }
    host.settle()
  }

  private func text(_ host: SharedCacheHost, _ path: String = "/a") -> String? {
    SharedCacheHost.text(host.service.resource(path).latestData)
  }

  @Test func `NEWS-30 what one host loads others hear of, and have without a request`() throws {
    let server = try #require(RedisServer())
    let (second, recorder) = try listener(server.url)
    let first = try SharedCacheHost(server.url)
    for number in 1...3 {
      let loaded = first.loaded("/a", .json("[\(number)]"))
      second.loop.turn { recorder.events.count == number }
      #expect(text(second) == "[\(number)]")
      #expect(second.service.resource("/a").timestamp == loaded.timestamp)
    }
    #expect(recorder.take() == Array(repeating: "newData(shared) D", count: 3))
    #expect(second.provider.requests.isEmpty)
    #expect(try first.client.updates.count == 0, "its own are none")
    // What was taken is not written again.
    #expect(try second.client.updates.count == 3)
    first.loop.turn()
    #expect(try first.client.updates.count == 0)
  }

  @Test func `NEWS-31 with a secret and an identity those hear of it who have both`() throws {
    let server = try #require(RedisServer())
    func secret(_ text: String) -> (inout SharedEntityCache.Options) -> Void {
      {
        $0.secret = SecretText(text)
        $0.identity = "me"
      }
    }
    let (second, recorder) = try listener(server.url, "/a", secret("geheim"))
    let (other, otherRecorder) = try listener(server.url, "/a", secret("anders"))
    let first = try SharedCacheHost(server.url, secret("geheim"))
    first.loaded("/a", .text("1"))
    second.loop.turn { !recorder.events.isEmpty }
    #expect(text(second) == "1")
    let heard = try other.client.updates
    other.loop.turn { heard.count == 1 }
    other.settle()
    #expect(otherRecorder.take() == [])
    // Without the secret it stays on the machine, and nobody is told.
    let third = try SharedCacheHost(server.url) { $0.identity = "me" }
    third.loaded("/a", .text("2"))
    first.loaded("/a", .text("3"))
    other.loop.turn { heard.count == 2 }
    #expect(text(other) == nil)
  }

  @Test func `NEWS-32 a 304 of another host makes what is here as young, without new data`() throws
  {
    let server = try #require(RedisServer())
    let (second, recorder) = try listener(server.url)
    let first = try SharedCacheHost(server.url)
    first.loaded("/a", .json("[1]", etag: "\"v1\""))
    second.loop.turn { recorder.take() == ["newData(shared) D"] }
    usleep(2000)
    let again = first.loaded("/a", .init(status: 304))
    second.loop.turn { recorder.take() == ["notModified D"] }
    #expect(second.service.resource("/a").timestamp == again.timestamp)
    #expect(text(second) == "[1]")
  }

  @Test func `NEWS-33 that an entity was removed is told to nobody`() throws {
    let server = try #require(RedisServer())
    let (second, recorder) = try listener(server.url)
    let first = try SharedCacheHost(server.url)
    first.loaded("/a", .text("1"))
    second.loop.turn { !recorder.take().isEmpty }
    first.service.resource("/a").overrideLocalContent(with: .text("mine"))
    first.settle()
    first.service.resource("/a").wipe()
    // What comes behind it has come.
    first.loaded("/b", .text("x"))
    let news = try second.client.updates
    second.loop.turn { news.count == 2 }
    second.settle()
    #expect(recorder.take() == [])
    #expect(text(second) == "1")
  }

  @Test
  func `NEWS-34 what was missed while the channel was away changes nothing until it is looked for`()
    throws
  {
    let server = try #require(RedisServer())
    let (second, recorder) = try listener(server.url)
    let first = try SharedCacheHost(server.url)
    first.loaded("/a", .text("1"))
    second.loop.turn { recorder.take() == ["newData(shared) D"] }
    server.stop()
    let news = try second.client.updates
    second.loop.turn { news.channelState == .down }
    #expect(text(second) == "1", "nothing is flushed")
    #expect(second.service.resource("/a").isUpToDate)
    #expect(server.start())
    second.loop.turn { news.openCount == 2 }
    #expect(recorder.take() == [])
    // Whatever has found the server says so to the connection that entities are read by.
    let client = try second.client
    second.loop.turn { client.isUsable("", on: .entities) }
    try SharedCacheHost(server.url).loaded("/a", .text("2"))
    second.loop.turn { recorder.take() == ["newData(shared) D"] }
    #expect(text(second) == "2")
  }

  @Test func `NEWS-35 a flood is one read and one event in a turn, and few reads at a time`() throws
  {
    let server = try #require(RedisServer())
    let (second, recorder) = try listener(server.url)
    let news = try second.client.updates
    // Far more places than are read at a time.
    let resources = (0..<100).map { second.service.resource("/\($0)") }
    let counter = Counter()
    for resource in resources {
      resource.addObserver(owner: counter) { [unowned counter] _, event in
        if case .newData = event { counter.count += 1 }
      }
    }
    for number in 0..<100 { try waitForLook(second, "/\(number)") }
    let first = try SharedCacheHost(server.url)
    for number in 0..<100 { first.loaded("/\(number)", .text("\(number)")) }
    for number in 1...200 { first.loaded("/a", .text("\(number)")) }
    // Not one of them has been looked at yet.
    usleep(50_000)
    second.loop.turn { news.count == 300 }
    second.loop.turn { counter.count == 100 && text(second) == "200" }
    second.settle()
    // As many as there were turns in which some came.
    #expect(recorder.take().count < 20)
    #expect(counter.count == 100)
    #expect(news.waitingCount == 0)
    #expect(second.provider.requests.isEmpty)
  }

  private final class Counter {
    var count = 0
  }

  @Test func `NEWS-36 what is followed goes with its resource, and is bounded`() throws {
    let server = try #require(RedisServer())
    let host = try SharedCacheHost(server.url)
    let news = try host.client.updates
    for round in 0..<4 {
      for number in 0..<2000 { _ = host.service.resource("/\(round)/\(number)").latestData }
      host.settle()
      host.service.flushUnusedResources()
    }
    #expect(news.followedCount <= 4096)
    let first = try SharedCacheHost(server.url)
    first.loaded("/0/0", .text("x"))
    host.loop.turn { news.count == 1 }
    host.settle()
    #expect(host.service.resource("/0/0").record.state.latestData == nil, "it is not brought back")
  }

  @Test func `NEWS-37 what was heard of and is not there, or is damaged, changes nothing`() throws {
    let server = try #require(RedisServer())
    let (second, recorder) = try listener(server.url)
    let first = try SharedCacheHost(server.url)
    first.loaded("/a", .text("1"))
    second.loop.turn { recorder.take() == ["newData(shared) D"] }
    let news = try second.client.updates
    let digest = try #require(
      try SharedCacheKey(
        CacheKey(url: "https://api.test/a", stage: "parsing", version: 1),
        second.client.settings, nil)?.digest)
    func say(_ line: String) {
      ChildProcess("redis-cli -s \(server.socket) \(line) >/dev/null 2>&1")?.wait()
    }
    for damage in [
      "flushall", "hset $(redis-cli -s \(server.socket) keys '*:e:*') h x b y", "flushall",
    ] {
      say(damage)
      let count = news.count
      for time in ["1", "999999999999000000", "2763948712345678"] {
        say("publish 'lull:{lull}:news' '1 b w \(time) \(digest)'")
        say("publish 'lull:{lull}:news' '1 b r \(time) \(digest)'")
      }
      second.loop.turn { news.count == count + 6 }
      second.settle()
    }
    #expect(recorder.take() == [])
    #expect(text(second) == "1")
  }

  @Test func `NEWS-39 who waits for another host's load asks when that has written`() throws {
    let server = try #require(RedisServer())
    let hosts = try (0..<2).map { _ in try SharedCacheHost(server.url) }
    for host in hosts {
      host.stub("/a", .text("x"))
      host.provider.holdsAnswers = true
      // Left to chance is how long one waits to ask again: for years.
      host.loop.pump.random = { 1e9 }
      _ = host.service.resource("/a").latestData
      let news = try host.client.updates
      host.loop.turn { news.channelState == .open }
      try waitForLook(host, "/a")
    }
    let fetching = try #require(hosts[0].service.resource("/a").loadIfNeeded())
    hosts[0].loop.turn { hosts[0].provider.heldCount == 1 }
    let waiting = try #require(hosts[1].service.resource("/a").loadIfNeeded())
    let news = try hosts[1].client.updates
    hosts[1].loop.turn { news.waiterCount == 1 }
    hosts[0].provider.release()
    hosts[0].loop.turn { fetching.isCompleted }
    hosts[0].settle()
    hosts[1].loop.turn { waiting.isCompleted }
    hosts[1].settle()
    #expect(text(hosts[1]) == "x")
    #expect(hosts[1].provider.requests.isEmpty)
    #expect(news.waiterCount == 0)
  }

  @Test func `NEWS-38 a home ends while it listens`() throws {
    let server = try #require(RedisServer())
    let (host, _) = try listener(server.url)
    host.loop.close()
    for _ in 0..<200 where say(server).last != "0" { usleep(10_000) }
    #expect(say(server).last == "0")
  }

  private func say(_ server: RedisServer) -> [String] {
    let file = server.socket + ".said"
    ChildProcess("redis-cli -s \(server.socket) pubsub numsub 'lull:{lull}:news' >\(file) 2>&1")?
      .wait()
    let text = String(decoding: contents(file) ?? [], as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }
}
