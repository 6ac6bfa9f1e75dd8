import LullCore
import LullTestSupport
import LullTesting
import Testing

/// What successful unsafe requests and invalidations make of data in memory and in caches.
@Suite(.timeLimit(.minutes(20)))
struct WriteInvalidationTests {
  private func cached(_ harness: Harness) -> SpyCache {
    let cache = SpyCache()
    harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
    return cache
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "LOCK"] as [RequestMethod])
  func
    `AGE-07 STA-02 a successful unsafe request makes data and entries stale before its hooks run`(
      method: RequestMethod
    )
  {
    withHarness { harness in
      let cache = cached(harness)
      harness.stub(method, "/a", .init(status: 204))
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      let journal = Journal()
      resource.request(method).onSuccess { _ in
        journal("up to date: \(resource.isUpToDate)")
      }
      harness.settle()
      #expect(journal.take() == ["up to date: false"])
      #expect(recorder.take() == [])
      #expect(resource.text == "x")
      #expect(resource.timestamp == 1000)
      #expect(cache.marks == ["model a": 1000])
      #expect(cache.texts == ["model a": "x"])
    }
  }

  @Test func `AGE-07 a safe request, a failure and writesInvalidate = false change nothing`() {
    withHarness { harness in
      let cache = cached(harness)
      harness.stub("HEAD", "/a", .init(status: 200))
      harness.stub("QUERY", "/a", .init(status: 200))
      harness.stub("PUT", "/a", .init(status: 409), .init(status: 204))
      let resource = harness.loaded("/a", .text("x"))
      for method in ["HEAD", "QUERY", "PUT"] as [RequestMethod] {
        resource.request(method)
        harness.settle()
        #expect(resource.isUpToDate, "\(method)")
      }
      harness.service.configure(requestMethods: ["PUT"]) { $0.writesInvalidate = false }
      resource.request("PUT")
      harness.settle()
      #expect(resource.isUpToDate)
      #expect(cache.marks == [:])
    }
  }

  @Test func `AGE-07 what Location and Content-Location of the same origin name is stale too`() {
    withHarness { harness in
      let cache = cached(harness)
      for path in ["/b", "/c", "/d"] { _ = harness.loaded(path, .text("x")) }
      harness.stub(
        "POST", "/a",
        .init(
          status: 201,
          headers: [
            ("Location", "b"), ("Content-Location", "https://api.test/v1/c"),
            ("Link", "</v1/d>; rel=next"),
          ]),
        .init(
          status: 201,
          headers: [("Location", "https://other.test/v1/d"), ("Content-Location", "http://[")]))
      let resource = harness.service.resource("/a")
      for _ in 0..<2 {
        resource.request("POST")
        harness.settle()
      }
      #expect(cache.marks.keys.sorted() == ["model b", "model c"])
      #expect(
        ["/b", "/c", "/d"].map { harness.service.resource($0).isUpToDate }
          == [false, false, true])
    }
  }

  @Test func `AGE-07 without caches no resource is made for what an answer names`() {
    withHarness { harness in
      harness.stub("POST", "/a", .init(status: 201, headers: [("Location", "/v1/b")]))
      harness.service.resource("/a").request("POST")
      harness.settle()
      #expect(!harness.service.table.all.contains { $0.url.text.hasSuffix("/b") })
    }
  }

  @Test func `AGE-07 OVR-11 an override or a load in a hook is fresh afterwards`() {
    withHarness { harness in
      let cache = cached(harness)
      harness.stub("PUT", "/a", .init(status: 204))
      let resource = harness.loaded("/a", .text("x"))
      resource.request("PUT").onSuccess { _ in
        resource.overrideLocalContent(with: .text("own"))
      }
      harness.settle()
      #expect(resource.isUpToDate)
      #expect(resource.text == "own")
      #expect(cache.texts == [:])
      harness.stub("GET", "/a", .text("y"))
      resource.request("PUT").onSuccess { _ in resource.load() }
      harness.settle()
      #expect(resource.isUpToDate)
      #expect(cache.texts == ["model a": "y"])
      #expect(cache.marks == [:])
    }
  }

  @Test func `AGE-07 LOAD-32 the answer to a promoted request is data, whenever it is promoted`() {
    withHarness { harness in
      harness.stub("PUT", "/a", .text("saved"))
      let resource = harness.loaded("/a", .text("x"))
      let other = harness.loaded("/b", .text("other"))
      resource.load(using: resource.request("PUT"))
      harness.settle()
      #expect(resource.text == "saved")
      #expect(resource.isUpToDate)
      let late = resource.request("PUT")
      late.onSuccess { _ in resource.load(using: late) }
      harness.settle()
      #expect(resource.isUpToDate)
      // It is the data of the other resource, and not of its own.
      other.load(using: resource.request("PUT"))
      harness.settle()
      #expect(other.text == "saved")
      #expect(other.isUpToDate)
      #expect(!resource.isUpToDate)
    }
  }

  @Test func `AGE-07 INV-07 what a load in flight brings is stale in caches too`() {
    for invalidates in [false, true] {
      withHarness { harness in
        let cache = cached(harness)
        harness.stub("PUT", "/a", .init(status: 204))
        let resource = harness.loaded("/a", .json("1", etag: "\"v\""))
        harness.provider.holdsAnswers = true
        harness.stub("GET", "/a", .text("old"), .init(status: 304))
        for _ in 0..<2 {
          resource.load()
          harness.advance(by: 1)
          if invalidates {
            resource.invalidate()
          } else {
            resource.request("PUT")
            harness.provider.release(1)
            harness.settle()
          }
          harness.advance(by: 1)
          harness.provider.release()
          harness.settle()
          #expect(resource.text == "old")
          #expect(!resource.isUpToDate)
          #expect(cache.marks["model a"] == harness.clock.now)
        }
      }
    }
  }

  @Test func `INV-59 an invalidation outlives the resource, in what caches keep`() {
    for isMemory in [false, true] {
      withHarness { harness in
        if isMemory {
          let cache = MemoryEntityCache()
          harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
        } else {
          _ = cached(harness)
        }
        do {
          let resource = harness.loaded("/a", .json("1", etag: "\"v\""))
          harness.advance(by: 1)
          resource.invalidate()
        }
        harness.service.flushUnusedResources()
        harness.stub("GET", "/a", .init(status: 304))
        let resource = harness.service.resource("/a")
        let load = resource.loadIfNeeded()
        harness.settle()
        #expect(load?.response?.isSuccess == true)
        #expect(harness.provider.requests.count == 2)
        #expect(harness.provider.requests.last?.headers["if-none-match"] == "\"v\"")
        #expect(resource.isUpToDate)
        resource.wipe()
        _ = resource.loadIfNeeded()
        harness.settle()
        #expect(harness.provider.requests.count == 2, "the 304 has confirmed it")
      }
    }
  }

  @Test func `INV-59 invalidateResources reaches entries of resources that are not in use`() {
    withHarness { harness in
      let cache = cached(harness)
      _ = harness.loaded("/a", .text("x"))
      _ = harness.loaded("/b", .text("x"))
      harness.service.invalidateResources { $0.url.text.hasSuffix("/a") }
      #expect(cache.marks == ["model a": 1000])
      #expect(harness.service.table.count == 0)
    }
  }

  @Test func `INV-59 a stale entry is still the data of an offline service`() {
    withHarness { harness in
      _ = cached(harness)
      do { harness.loaded("/a", .text("x")).invalidate() }
      harness.service.flushUnusedResources()
      harness.service.isOffline = true
      let load = harness.service.resource("/a").load()
      harness.settle()
      #expect(load.outcome == "x (not new)")
    }
  }

  @Test func `INV-59 CACHE-13 a stale hit of an early stage is stale in the caches of later ones`()
  {
    withHarness { harness in
      let early = SpyCache()
      harness.service.configure { $0.pipeline[.parsing].cacheUsing(early) }
      do { harness.loaded("/a", .text("x")).invalidate() }
      harness.service.flushUnusedResources()
      let late = SpyCache()
      harness.service.configure { $0.pipeline[.model].cacheUsing(late) }
      let resource = harness.service.resource("/a")
      _ = resource.latestData
      harness.settle()
      #expect(resource.text == "x")
      #expect(!resource.isUpToDate)
      #expect(late.marks == ["model a": 1000])
    }
  }
}
