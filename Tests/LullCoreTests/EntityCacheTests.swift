import LullCore
import LullTestSupport
import LullTesting
import Testing

/// What is written to caches.
@Suite(.timeLimit(.minutes(20)))
struct EntityCacheTests {
  /// Raw bytes become `dec`, `decpar`, `decparmod`, `decparmodcle`.
  private func stages(_ harness: Harness) {
    harness.service.configure {
      $0.pipeline = Pipeline()
      $0.pipeline[.decoding].add(.appending("dec"))
      $0.pipeline[.parsing].add(.appending("par"))
      $0.pipeline[.model].add(.appending("mod"))
      $0.pipeline[.cleanup].add(.appending("cle"))
    }
    harness.stub("GET", "/a", .bytes([]))
  }

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

  // MARK: Writing

  @Test
  func `CACHE-14 CACHE-15 each cached stage of a GET load is written with that stage's output`() {
    withHarness { harness in
      stages(harness)
      let journal = Journal()
      let cache = cached(harness, journal, .rawData, .parsing, .cleanup)
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      #expect(
        writes(journal) == [
          "write raw_data a: data", "write parsing a: decpar", "write cleanup a: decparmodcle",
        ])
      #expect(resource.text == "decparmodcle")
      #expect(cache.entries.values.map(\.timestamp) == [1000, 1000, 1000])
    }
  }

  @Test
  func `CACHE-16 CACHE-17 a failure at a stage: that one and later are not written, earlier are`() {
    withHarness { harness in
      stages(harness)
      let journal = Journal()
      let cache = cached(harness, journal, .decoding, .parsing, .cleanup)
      harness.service.configure {
        $0.pipeline[.parsing].add(
          FunctionTransformer(description: "fail") { _ in .failure(.failure("refused")) })
      }
      cache.entries = ["cleanup a": .text("before")]
      let resource = harness.service.resource("/a")
      let load = resource.load()
      harness.settle()
      #expect(load.outcome == "refused")
      #expect(writes(journal) == ["write decoding a: dec"])
    }
  }

  struct Plain: CustomTestStringConvertible {
    let id: String
    let expected: [String]
    let act: @Sendable (Resource) -> Request

    var testDescription: String { id }
  }

  static let requests = [
    Plain(id: "CACHE-14: a load", expected: ["write model a: new"]) { $0.load() },
    Plain(id: "CACHE-14: load_if_needed", expected: ["write model a: new"]) {
      $0.loadIfNeeded() ?? $0.load()
    },
    Plain(id: "CACHE-14: load_using a GET of its own", expected: ["write model a: new"]) {
      $0.load(using: $0.request("GET"))
    },
    Plain(id: "CACHE-14, DEC-07: a chain around one", expected: ["write model a: new"]) {
      $0.load(using: $0.request("GET").chained { _ in .useThisResponse })
    },
    Plain(id: "CACHE-29: a plain GET", expected: []) { $0.request("GET") },
    Plain(id: "CACHE-29: a plain POST", expected: []) { $0.request("POST") },
    Plain(id: "CACHE-29: load_using a POST", expected: ["remove model a"]) {
      $0.load(using: $0.request("POST"))
    },
    Plain(id: "CACHE-29: a chain that ends with a POST", expected: ["remove model a"]) { resource in
      resource.load(
        using: Resource.failedRequest(returning: .failure()).chained { _ in
          .passTo(resource.request("POST"))
        })
    },
    Plain(id: "CACHE-29: load_using another's GET", expected: ["remove model a"]) {
      $0.load(using: $0.service.resource("/b").request("GET"))
    },
    Plain(id: "CACHE-29: load_using a hard-wired one", expected: ["remove model a"]) {
      $0.load(using: Resource.hardWiredRequest(returning: .success(.text("new"))))
    },
    Plain(id: "CACHE-29: load_using a plain GET that has ended", expected: ["remove model a"]) {
      resource in
      let request = resource.request("GET")
      request.onCompletion { [unowned resource, unowned request] _ in
        resource.load(using: request)
      }
      return request
    },
    Plain(
      id: "CACHE-29: load_using a load that has ended",
      expected: ["write model a: new", "remove model a"]
    ) { resource in
      let request = resource.load()
      request.onCompletion { [unowned resource, unowned request] _ in
        resource.load(using: request)
      }
      return request
    },
    Plain(id: "CACHE-29: a chain that ends with one", expected: ["remove model a"]) { resource in
      let request = resource.request("GET")
      request.onCompletion { [unowned resource, unowned request] _ in
        resource.load(
          using: Resource.failedRequest(returning: .failure()).chained { _ in .passTo(request) })
      }
      return request
    },
    Plain(id: "CACHE-29: load_using a POST that fails", expected: []) {
      $0.load(using: $0.service.resource("/missing").request("POST"))
    },
    Plain(id: "CACHE-18: a load that fails", expected: []) {
      $0.load(using: $0.service.resource("/missing").request("GET"))
    },
  ]

  @Test(arguments: requests)
  func `what a request writes to the cache, or removes from it`(row: Plain) {
    withHarness { harness in
      let journal = Journal()
      let cache = cached(harness, journal, .model)
      for path in ["/a", "/b"] {
        harness.stub("GET", path, .text("new"))
        harness.stub("POST", path, .text("new"))
      }
      cache.entries["model a"] = .text("old", at: 0)
      let resource = harness.service.resource("/a")
      let request = row.act(resource)
      harness.settle()
      #expect(request.isCompleted)
      #expect(writes(journal) == row.expected)
      let expected =
        row.expected.isEmpty ? "old" : row.expected.last == "remove model a" ? nil : "new"
      #expect(cache.texts["model a"] == expected)
    }
  }

  @Test func `CACHE-18 an HTTP error writes and removes nothing, even if a transformer rescues it`()
  {
    for rescues in [false, true] {
      withHarness { harness in
        let journal = Journal()
        let cache = cached(harness, journal, .rawData, .cleanup)
        harness.service.configure {
          guard rescues else { return }
          $0.pipeline[.model].add(
            FunctionTransformer(description: "rescue") { _ in .success(.text("rescued")) })
        }
        harness.stub("GET", "/a", .init(status: 500))
        cache.entries["cleanup a"] = .text("old", at: 0)
        let load = harness.service.resource("/a").load()
        harness.settle()
        #expect(load.outcome == (rescues ? "rescued" : "Internal server error"))
        #expect(writes(journal) == [])
      }
    }
  }

  @Test func `CFG-18 CACHE-14 the caches written are those configured when the answer arrives`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("1"), .text("2"))
      let resource = harness.service.resource("/a")
      resource.load()
      let journal = Journal()
      _ = cached(harness, journal, .model)
      harness.provider.release()
      harness.settle()
      #expect(journal.take() == ["write model a: 1"])
      resource.load()
      harness.service.configure { $0.pipeline.removeAllCaches() }
      harness.provider.release()
      harness.settle()
      #expect(resource.text == "2")
      #expect(journal.take() == [])
    }
  }

  @Test func `CACHE-28 a cache may decline to keep what it is given`() {
    withHarness { harness in
      let cache = cached(harness, Journal(), .model)
      cache.declinesWrites = true
      let resource = harness.loaded("/a", .text("x"))
      #expect(resource.text == "x")
      #expect(cache.texts == [:])
    }
  }

  // MARK: Superseded loads

  @Test func `STA-11 a superseded load writes no cache, in the same turn or later`() {
    for oneTurn in [false, true] {
      withHarness { harness in
        let journal = Journal()
        let cache = cached(harness, journal, .rawData, .model)
        harness.provider.holdsAnswers = true
        harness.stub("GET", "/a", .text("1"), .text("2"))
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        let loads = [resource.load(), resource.load()]
        harness.provider.release(1)
        if !oneTurn { harness.settle() }
        harness.provider.release(0)
        harness.settle()
        #expect(loads.map(\.outcome) == ["1", "2"])
        #expect(writes(journal) == ["write raw_data a: data", "write model a: 2"])
        #expect(cache.texts["model a"] == "2")
        #expect(resource.text == "2")
        #expect(
          recorder.take() == [
            "requested L", "requested L", "newData(network) L D", "notModified D",
          ])
      }
    }
  }

  @Test func `STA-11 answers in the order of the loads are written in that order`() {
    for oneTurn in [false, true] {
      withHarness { harness in
        let journal = Journal()
        _ = cached(harness, journal, .model)
        harness.provider.holdsAnswers = true
        harness.stub("GET", "/a", .text("1"), .text("2"))
        let resource = harness.service.resource("/a")
        resource.load()
        resource.load()
        harness.provider.release()
        if !oneTurn { harness.settle() }
        harness.provider.release()
        harness.settle()
        #expect(writes(journal) == ["write model a: 1", "write model a: 2"])
      }
    }
  }

  @Test func `STA-11 a later load that fails or is cancelled keeps an earlier one from nothing`() {
    for cancels in [false, true] {
      withHarness { harness in
        let journal = Journal()
        _ = cached(harness, journal, .model)
        harness.provider.holdsAnswers = true
        harness.stub("GET", "/a", .text("1"), .init(status: 500))
        let resource = harness.service.resource("/a")
        resource.load()
        let later = resource.load()
        if cancels { later.cancel() } else { harness.provider.release(1) }
        harness.settle()
        harness.provider.release(0)
        harness.settle()
        #expect(writes(journal) == ["write model a: 1"])
        #expect(resource.text == "1")
      }
    }
  }

  @Test func `STA-11 OVR-12 the answer to a promoted POST removes what a later load has written`() {
    withHarness { harness in
      let journal = Journal()
      let cache = cached(harness, journal, .model)
      harness.provider.holdsAnswers = true
      harness.stub("POST", "/a", .text("posted"))
      harness.stub("GET", "/a", .text("loaded"), .text("too late"), .text("after"))
      let resource = harness.service.resource("/a")
      resource.load(using: resource.request("POST"))
      resource.load()
      resource.load()
      harness.provider.release(1)
      harness.settle()
      harness.provider.release(0)
      harness.settle()
      #expect(resource.text == "posted")
      #expect(writes(journal) == ["write model a: loaded", "remove model a"])
      #expect(cache.texts == [:])
      harness.provider.release(0)
      harness.settle()
      #expect(writes(journal) == [], "sent before the answer to the POST arrived")
      resource.load()
      harness.provider.release(0)
      harness.settle()
      #expect(cache.texts == ["model a": "after"])
    }
  }

  @Test func `STA-11 OVR-12 a superseded POST removes nothing`() {
    withHarness { harness in
      let journal = Journal()
      let cache = cached(harness, journal, .model)
      harness.stub("POST", "/a", .text("posted"))
      harness.stub("GET", "/a", .text("loaded"))
      let resource = harness.service.resource("/a")
      let post = resource.request("POST")
      harness.settle()
      resource.load()
      harness.settle()
      resource.load(using: post)
      harness.settle()
      #expect(resource.text == "loaded")
      #expect(cache.texts == ["model a": "loaded"])
    }
  }

  @Test func `WIPE-03 an answer that comes for a wiped resource writes no cache`() {
    withHarness { harness in
      let journal = Journal()
      _ = cached(harness, journal, .model)
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("1"))
      let resource = harness.service.resource("/a")
      resource.load()
      resource.wipe()
      harness.provider.releaseCancelled()
      harness.settle()
      #expect(writes(journal) == [])
    }
  }
}
