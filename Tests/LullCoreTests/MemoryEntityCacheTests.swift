import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct MemoryEntityCacheTests {
  private func key(_ harness: Harness, _ path: String, _ stage: PipelineStageKey = .model)
    throws -> (MemoryEntityCache) throws -> MemoryEntityCache.Key
  {
    let resource = harness.service.resource(path)
    return { try #require($0.key(for: resource, at: stage)) }
  }

  private func read(_ cache: MemoryEntityCache, _ key: MemoryEntityCache.Key) -> Entity? {
    var found: Entity?
    cache.readEntity(forKey: key) { found = $0 }
    return found
  }

  @Test
  func `CACHE-27 CACHE-31 CACHE-37 what is written is read, with its timestamp, until removed`()
    throws
  {
    try withHarness { harness in
      let cache = MemoryEntityCache()
      let key = try key(harness, "/a")(cache)
      #expect(read(cache, key) == nil)
      cache.writeEntity(.text("x", headers: [("ETag", "1")], at: 5), forKey: key) {}
      #expect(read(cache, key)?.text == "x")
      #expect(read(cache, key)?.timestamp == 5)
      #expect(read(cache, key)?.etag == "1")
      cache.writeEntity(.text("y", at: 6), forKey: key) {}
      #expect(read(cache, key)?.text == "y")
      cache.removeEntity(forKey: key) {}
      #expect(read(cache, key) == nil)
      cache.writeEntity(.text("z"), forKey: key) {}
      #expect(read(cache, key)?.text == "z")
    }
  }

  @Test func `CACHE-26 updating a timestamp changes nothing else, and makes no entry`() throws {
    try withHarness { harness in
      let cache = MemoryEntityCache()
      let key = try key(harness, "/a")(cache)
      cache.updateEntityTimestamp(7, forKey: key) {}
      #expect(read(cache, key) == nil)
      cache.writeEntity(.text("x", at: 5), forKey: key) {}
      cache.updateEntityTimestamp(7, forKey: key) {}
      #expect(read(cache, key)?.timestamp == 7)
      #expect(read(cache, key)?.text == "x")
    }
  }

  @Test
  func `CACHE-40 a 304 about one entity leaves alone what another service has put in its place`()
    throws
  {
    let cache = MemoryEntityCache()
    try withHarness { harness in
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      let resource = harness.loaded("/a", .json("1", etag: "\"v1\""))
      let key = try key(harness, "/a")(cache)
      cache.writeEntity(.text("other", headers: [("ETag", "\"v2\"")], at: 1010), forKey: key) {}
      harness.stub("GET", "/a", .init(status: 304))
      harness.advance(by: 100)
      resource.load()
      harness.settle()
      #expect(resource.timestamp == 1100)
      #expect(read(cache, key)?.timestamp == 1010)
      cache.writeEntity(.text("same", headers: [("ETag", "\"v1\"")], at: 1010), forKey: key) {}
      resource.load()
      harness.settle()
      #expect(read(cache, key)?.timestamp == 1100)
    }
  }

  @Test func `CACHE-15 CACHE-25 one object keeps several stages and resources apart`() throws {
    try withHarness { harness in
      let cache = MemoryEntityCache()
      let keys = try [
        key(harness, "/a", .parsing)(cache), key(harness, "/a", .model)(cache),
        key(harness, "/b", .model)(cache),
      ]
      for (number, key) in keys.enumerated() {
        cache.writeEntity(.text("\(number)"), forKey: key) {}
      }
      #expect(keys.map { read(cache, $0)?.text } == ["0", "1", "2"])
      cache.removeEntity(forKey: keys[1]) {}
      #expect(keys.map { read(cache, $0)?.text } == ["0", nil, "2"])
    }
  }

  @Test func `CACHE-28 beyond its limit the entries written longest ago go, and the host is told`()
    throws
  {
    try withHarness { harness in
      let cache = MemoryEntityCache(countLimit: 3)
      let keys = try (1...4).map { try key(harness, "/\($0)")(cache) }
      var changes: [String] = []
      cache.onChange = { key, entity in changes.append("\(key.url.suffix(1)) \(entity != nil)") }
      for (number, key) in keys.prefix(3).enumerated() {
        cache.writeEntity(.text("\(number)"), forKey: key) {}
      }
      cache.writeEntity(.text("again"), forKey: keys[0]) {}
      cache.writeEntity(.text("3"), forKey: keys[3]) {}
      #expect(keys.map { read(cache, $0)?.text } == ["again", nil, "2", "3"])
      #expect(changes == ["1 true", "2 true", "3 true", "1 true", "4 true", "2 false"])
      cache.removeEntity(forKey: keys[1]) {}
      cache.removeEntity(forKey: keys[2]) {}
      #expect(changes.suffix(1) == ["3 false"], "only what was there is told to have gone")
      #expect(MemoryEntityCache(countLimit: 0).countLimit == 1)
    }
  }

  @Test func `CACHE-01 CACHE-14 CACHE-37 a service that begins anew finds what another left`() {
    let cache = MemoryEntityCache()
    withHarness { harness in
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      _ = harness.loaded("/a", .text("x"))
    }
    withHarness { harness in
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(load?.outcome == "x")
      #expect(recorder.take() == ["newData(cache) L D", "notModified D"])
      #expect(harness.sent == [])
    }
  }
}
