import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Entries that are touched and removed, and the keys they are kept under.
@Suite(.timeLimit(.minutes(20)))
struct CacheUpkeepTests {
  private func cached(_ harness: Harness, _ journal: Journal, _ stages: PipelineStageKey...)
    -> SpyCache
  {
    let cache = SpyCache(journal)
    harness.service.configure {
      for stage in stages { $0.pipeline[stage].cacheUsing(cache) }
    }
    return cache
  }

  private func writes(_ journal: Journal) -> [String] {
    journal.take().filter { !$0.hasPrefix("read") }
  }

  // MARK: Touching and removing

  @Test
  func `NM-04 CACHE-19 a 304 to a GET load makes every stage's entry as young as the resource`() {
    withHarness { harness in
      let journal = Journal()
      let cache = cached(harness, journal, .rawData, .model)
      let resource = harness.loaded("/a", .text("x"))
      _ = journal.take()
      harness.stub("GET", "/a", .init(status: 304))
      harness.advance(by: 100)
      resource.request("GET")
      harness.settle()
      #expect(journal.take() == [], "NM-07")
      #expect(cache.entries.values.map(\.timestamp) == [1000, 1000])
      resource.load()
      harness.settle()
      #expect(resource.timestamp == 1100)
      #expect(cache.entries.values.map(\.timestamp) == [1100, 1100])
      #expect(cache.texts["model a"] == "x")
      cache.entries["model a"] = nil
      resource.load()
      harness.settle()
      #expect(cache.texts == ["raw_data a": "data"], "CACHE-26: nothing if absent")
    }
  }

  @Test func `NM-04 CACHE-40 a 304 to data without validators makes its own entries young only`() {
    withHarness { harness in
      let spy = cached(harness, Journal(), .rawData)
      let (early, late) = (MemoryEntityCache(), MemoryEntityCache())
      harness.service.configure {
        $0.pipeline[.parsing].cacheUsing(early)
        $0.pipeline[.model].cacheUsing(late)
      }
      let resource = harness.loaded("/a", .init(body: "x"))
      #expect(resource.latestData?.condition == nil)
      func timestamps() -> [Double?] {
        var found = [spy.entries["raw_data a"]?.timestamp]
        for (cache, stage) in [(early, PipelineStageKey.parsing), (late, .model)] {
          guard let key = cache.key(for: resource, at: stage) else { continue }
          cache.readEntity(forKey: key) { found.append($0?.timestamp) }
        }
        return found
      }
      #expect(timestamps() == [1000, 1000, 1000])
      harness.stub("GET", "/a", .init(status: 304))
      harness.advance(by: 100)
      // Another service has replaced one of them meanwhile.
      if let key = late.key(for: resource, at: .model) {
        late.updateEntityTimestamp(1050, forKey: key) {}
      }
      resource.load()
      harness.settle()
      #expect(resource.timestamp == 1100)
      #expect(timestamps() == [1100, 1100, 1050])
      harness.advance(by: 100)
      resource.load()
      harness.settle()
      #expect(timestamps() == [1200, 1200, 1050])
    }
  }

  @Test func `STA-11 CACHE-19 a 304 to a superseded load touches no cache`() {
    withHarness { harness in
      let journal = Journal()
      _ = cached(harness, journal, .model)
      let resource = harness.loaded("/a", .text("x"))
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .init(status: 304), .text("y"))
      resource.load()
      resource.load()
      _ = journal.take()
      harness.provider.release(1)
      harness.settle()
      harness.provider.release()
      harness.settle()
      #expect(journal.take() == ["write model a: y"])
    }
  }

  @Test func `OVR-12 CACHE-20 an override removes the entries of every stage and is not written`() {
    for whole in [false, true] {
      withHarness { harness in
        let journal = Journal()
        let cache = cached(harness, journal, .rawData, .model)
        let resource = harness.loaded("/a", .text("x"))
        _ = journal.take()
        if whole {
          resource.overrideLocalData(with: .text("local"))
        } else {
          resource.overrideLocalContent(with: .text("local"))
        }
        #expect(journal.take() == ["remove raw_data a", "remove model a"])
        #expect(cache.texts == [:])
        harness.settle()
        #expect(journal.take() == [])
      }
    }
  }

  @Test func `OVR-12 an override removes the entries of GET's caches only`() {
    withHarness { harness in
      let journal = Journal()
      let (get, post) = (SpyCache(journal), SpyCache(journal))
      harness.service.configure(requestMethods: ["GET"]) { $0.pipeline[.model].cacheUsing(get) }
      harness.service.configure(requestMethods: ["POST"]) { $0.pipeline[.parsing].cacheUsing(post) }
      harness.stub("POST", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      resource.overrideLocalContent(with: .text("local"))
      #expect(journal.take() == ["remove model a"])
      resource.load(using: resource.request("POST"))
      harness.settle()
      #expect(journal.take() == ["remove model a"], "CACHE-29")
    }
  }

  @Test func `OVR-12 CACHE-03 an override during the check leaves no entry behind at any stage`() {
    withHarness { harness in
      let journal = Journal()
      let (early, late) = (SpyCache(journal), SpyCache(journal))
      harness.service.configure {
        $0.pipeline[.parsing].cacheUsing(early)
        $0.pipeline[.model].cacheUsing(late)
      }
      early.entries["parsing a"] = .text("cached", at: 990)
      early.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.overrideLocalContent(with: .text("local"))
      early.releaseAll()
      harness.settle()
      #expect(recorder.take() == ["newData(localOverride) D"])
      #expect([early.texts, late.texts] == [[:], [:]])
      #expect(resource.text == "local")
    }
  }

  // MARK: Keys

  @Test func `CACHE-23 the key function is asked for reads and writes alike`() {
    withHarness { harness in
      let journal = Journal()
      let cache = cached(harness, journal, .model)
      cache.makeKey = { resource, stage in
        journal("key \(stage) of \(resource.url.text)")
        return "k"
      }
      _ = harness.loaded("/a", .text("x"))
      let key = "key model of https://api.test/v1/a"
      #expect(journal.take() == [key, "read k", key, "write k: x"])
    }
  }

  @Test func `CACHE-24 without a key a cache is not used, and alone makes no asynchronous phase`() {
    withHarness { harness in
      let journal = Journal()
      let cache = cached(harness, journal, .model)
      cache.makeKey = { _, _ in nil }
      harness.stub("GET", "/a", .text("x"), .init(status: 304))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.loadIfNeeded()
      #expect(recorder.take() == ["requested L"])
      harness.settle()
      resource.load()
      harness.settle()
      resource.overrideLocalContent(with: .text("local"))
      #expect(journal.take() == [])
    }
  }

  @Test func `CACHE-24 without a key at one stage the caches of others are used all the same`() {
    withHarness { harness in
      let journal = Journal()
      let cache = cached(harness, journal, .parsing, .model)
      cache.makeKey = { _, stage in stage == .model ? nil : "k" }
      cache.entries["k"] = .text("cached", at: 990)
      let resource = harness.service.resource("/a")
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(load?.outcome == "cached")
      #expect(journal.take() == ["read k"])
    }
  }

  @Test func `CACHE-25 each cache is given its own keys only`() {
    withHarness { harness in
      let journal = Journal()
      let (first, second) = (SpyCache(journal), SpyCache(journal))
      first.makeKey = { _, _ in "first" }
      second.makeKey = { _, _ in "second" }
      harness.service.configure {
        $0.pipeline[.parsing].cacheUsing(first)
        $0.pipeline[.model].cacheUsing(second)
        $0.pipeline[.cleanup].cacheUsing(MemoryEntityCache())
      }
      let resource = harness.loaded("/a", .text("x"))
      resource.overrideLocalContent(with: .text("local"))
      #expect(
        journal.take() == [
          "read second", "read first", "write first: x", "write second: x", "remove first",
          "remove second",
        ])
    }
  }

  @Test func `PIPE-14 CACHE-29 caches of other methods' pipelines are never used`() {
    withHarness { harness in
      let journal = Journal()
      let cache = SpyCache(journal)
      harness.service.configure(requestMethods: ["POST"]) { $0.pipeline[.model].cacheUsing(cache) }
      harness.stub("POST", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load(using: resource.request("POST"))
      harness.settle()
      #expect(journal.take() == [])
      #expect(recorder.take() == ["requested L", "newData(network) D"])
    }
  }
}
