import LullCore
import LullLibC
import LullTesting
import Testing

@testable import LullTransport

/// What news take of memory, whatever comes.
@Suite(.timeLimit(.minutes(20)))
struct UpdateBoundsTests {
  /// A cache that has those told who follow it.
  private final class Follower: CoordinatedEntityCache {
    let operations = CacheOperations()
    let news: ShareUpdates

    init(_ news: ShareUpdates) {
      self.news = news
    }

    func key(for resource: Resource, at stage: PipelineStageKey) -> String? { resource.url.text }

    func follow(_ key: String, _ make: () -> EntityUpdates) { news.follow(key, make()) }

    func readEntity(forKey key: String, completion: @escaping (Entity?) -> Void) {
      completion(nil)
    }

    func writeEntity(_ entity: Entity, forKey key: String, completion: @escaping () -> Void) {
      completion()
    }

    func removeEntity(forKey key: String, completion: @escaping () -> Void) { completion() }
  }

  @Test func `NEWS-42 when those have gone who were followed there is room for others`() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    let settings = try ShareSettings(Share(url: "unix:///nowhere/redis.sock"))
    let news = ShareUpdates(loop.pump, mostFollowed: 2000, warn: { _ in }) { tell in
      ShareChannel(
        "c", pump: loop.pump, authorities: settings.authorities,
        place: { _ in settings.address.place }, greet: { $0(.success([])) }, tell: tell)
    }
    defer { news.close() }
    let service = Service(
      baseURL: "https://api.test", networking: StubProvider(), pump: loop.pump)
    let cache = Follower(news)
    service.configure { $0.pipeline[.parsing].cacheUsing(cache) }
    func follow(_ round: Int, _ count: Int) -> [Resource] {
      let resources = (0..<count).map { service.resource("/\(round)/\($0)") }
      for resource in resources { _ = resource.latestData }
      loop.turn(.noWait)
      return resources
    }
    var held = follow(1, 4000)
    #expect(held.count == 4000)
    #expect(news.followedCount == 2000)
    held = []
    service.flushUnusedResources()
    held = follow(2, 1500)
    #expect(news.followedCount < 1500, "those that have gone are not counted")
    #expect(news.followedCount > 0)
    held = []
  }

  @Test func `NEWS-43 a flood that never ends takes no more memory than what is to be read`() throws
  {
    let server = try #require(RedisServer())
    let host = try SharedCacheHost(server.url)
    let resources = (0..<60).map { host.service.resource("/\($0)") }
    let recorder = EventRecorder()
    for resource in resources { resource.addObserver(recorder) }
    let news = try host.client.updates
    host.loop.turn { news.channelState == .open }
    host.settle()
    let settings = try host.client.settings
    let digests = try (0..<60).map { number in
      try #require(
        SharedCacheKey(
          CacheKey(url: "https://api.test/\(number)", stage: "parsing", version: 1), settings,
          nil)?.digest)
    }
    let total = 60_000
    let script =
      "for i = 0, ARGV[1] - 1 do redis.call('publish', 'lull:{lull}:news', "
      + "'1 b w 2763948712345678 ' .. ARGV[2 + i % 60]) end"
    let line = "eval \"\(script)\" 0 \(total) \(digests.joined(separator: " "))"
    ChildProcess("redis-cli -s \(server.socket) \(line) >/dev/null 2>&1")?.wait()
    var most = 0
    host.loop.turn {
      most = max(most, news.orderPlaceCount)
      return news.count == total && news.waitingCount == 0
    }
    #expect(most > 0)
    #expect(most <= 150, "60 are followed")
  }
}
