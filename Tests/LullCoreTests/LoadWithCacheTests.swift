import LullCore
import LullTestSupport
import LullTesting
import Testing

/// What load_if_needed returns while the caches have not answered.
@Suite(.timeLimit(.minutes(20)))
struct LoadWithCacheTests {
  // MARK: load_if_needed

  @Test func `LOAD-29 CACHE-05 CACHE-06 CACHE-09 CACHE-38 a fresh hit is the load; its age stays`()
  {
    withHarness { harness in
      let journal = Journal()
      _ = harness.cache(journal, age: 10)
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      #expect(load != nil)
      #expect(resource.loadIfNeeded() === load, "LOAD-16")
      #expect(resource.isLoading)
      #expect(!resource.isRequesting)
      #expect(resource.loadRequests.map { $0 === load } == [true])
      #expect(recorder.take() == [])
      load?.onSuccess { [unowned resource] in
        #expect($0.text == "cached")
        #expect(!resource.isLoading)
      }
      harness.settle()
      #expect(recorder.take() == ["newData(cache) L D", "notModified D"])
      #expect(load?.state == .completed)
      #expect(load?.response?.entity?.etag == "c")
      #expect(load?.response?.isNew == true)
      #expect(resource.timestamp == 990)
      #expect(resource.loadIfNeeded() == nil, "CACHE-06")
      #expect(harness.sent == [])
      #expect(journal.take() == ["read model a"], "nothing is written back")
    }
  }

  @Test func `CACHE-07 a miss becomes a real load, which completes what was returned`() {
    withHarness { harness in
      _ = harness.cache(age: nil)
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      #expect(load?.outcome == "network")
      #expect(harness.sent == ["GET a"])
      #expect(!resource.isLoading)
    }
  }

  @Test func `CACHE-08 CACHE-31 a stale hit is delivered, then loaded, conditionally`() {
    withHarness { harness in
      _ = harness.cache(age: 31)
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(
        recorder.take() == ["newData(cache) L D", "requested L D", "newData(network) D"])
      #expect(load?.outcome == "network")
      #expect(harness.provider.requests.map { $0.headers["if-none-match"] } == ["c"])
    }
  }

  @Test func `CACHE-38 data that somebody else has brought meanwhile is not new to the load`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let load = resource.loadIfNeeded()
      resource.overrideLocalData(with: .text("own", at: harness.clock.now))
      harness.settle()
      #expect(load?.outcome == "own (not new)")
      cache.releaseAll()
      harness.settle()
    }
  }

  @Test func `CACHE-33 LOAD-29 without a cache there is no phase: requested is synchronous`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("network"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      #expect(recorder.take() == ["requested L"])
      #expect(resource.allRequests.map { $0 === load } == [true])
      #expect(harness.sent == ["GET a"])
    }
  }

  @Test func `INV-02 CACHE-08 an invalidated resource takes a fresh hit, and loads all the same`() {
    withHarness { harness in
      _ = harness.cache(age: 1)
      let resource = harness.service.resource("/a")
      resource.invalidate()
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(
        recorder.take() == ["newData(cache) L D", "requested L D", "newData(network) D"])
      #expect(load?.outcome == "network")
      #expect(resource.loadIfNeeded() == nil)
    }
  }

  @Test func `CACHE-22 LOAD-29 a cache that answers later keeps the load waiting until then`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.advance(by: 5)
      #expect(load?.state == .inProgress)
      #expect(recorder.take() == [])
      cache.release()
      harness.settle()
      #expect(recorder.take() == ["newData(cache) L D", "notModified D"])
      #expect(load?.outcome == "cached")
    }
  }

  // MARK: Cancelling

  @Test
  func `CACHE-35 cancelled while it waits for the cache, no event is sent and no hit is taken`() {
    for answered in [false, true] {
      withHarness { harness in
        let cache = harness.cache(age: 10)
        cache.answering = answered ? .atOnce : .whenReleased
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        let load = resource.loadIfNeeded()
        load?.cancel()
        #expect(!resource.isLoading, "STA-13")
        #expect(load?.causeKind == "request_cancelled")
        harness.settle()
        cache.releaseAll()
        harness.settle()
        #expect(harness.sent == [])
        #expect(recorder.take() == [])
        #expect(resource.latestData == nil)
      }
    }
  }

  @Test func `CACHE-35 LOAD-30 the next load_if_needed after that goes to the network`() {
    withHarness { harness in
      let cache = harness.cache(age: nil)
      cache.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let first = resource.loadIfNeeded()
      first?.cancel()
      let second = resource.loadIfNeeded()
      #expect(second !== first)
      #expect(resource.isLoading)
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      #expect(second?.outcome == "network")
      cache.releaseAll()
    }
  }

  @Test func `CHN-14 LOAD-29 cancelled in its network phase, the real load is cancelled with it`() {
    withHarness { harness in
      _ = harness.cache(age: nil)
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(recorder.take() == ["requested L"])
      let real = resource.loadRequests.first
      #expect(real !== load)
      load?.cancel()
      #expect(real?.causeKind == "request_cancelled")
      #expect(!resource.isLoading)
      harness.settle()
      #expect(recorder.take() == ["requestCancelled"])
    }
  }

  @Test func `CACHE-35 cancelled by an observer of the cached data, it ends without an event`() {
    for age in [10.0, 1000] {
      withHarness { harness in
        _ = harness.cache(age: age)
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        recorder.onEvent = { resource, _ in
          for request in resource.loadRequests { request.cancel() }
        }
        let load = resource.loadIfNeeded()
        harness.settle()
        #expect(recorder.take() == ["newData(cache) L D"])
        #expect(load?.causeKind == "request_cancelled")
        #expect(!resource.isLoading)
        #expect(resource.text == "cached")
        #expect(harness.sent == [])
      }
    }
  }

  @Test func `CAN-01 without observers a load that waits for the cache is cancelled as well`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let load = resource.loadIfNeeded()
      resource.cancelLoadIfUnobserved()
      #expect(load?.causeKind == "request_cancelled")
      cache.releaseAll()
      harness.settle()
      #expect(resource.text == "")
    }
  }

  // MARK: Data that comes another way

  struct Arrival: CustomTestStringConvertible {
    let id: String
    let events: [String]
    let text: String
    let act: @Sendable (Resource) -> Void

    var testDescription: String { id }
  }

  static let arrivals = [
    Arrival(
      id: "a load", events: ["requested L", "newData(network) L D", "notModified D"],
      text: "network"
    ) { $0.load() },
    Arrival(
      id: "an override", events: ["newData(localOverride) L D", "notModified D"], text: "local"
    ) { $0.overrideLocalContent(with: .text("local")) },
    Arrival(
      id: "another request", events: ["requested L", "newData(network) L D", "notModified D"],
      text: "made"
    ) {
      $0.load(using: Resource.hardWiredRequest(returning: .success(.text("made", at: 1000))))
    },
  ]

  @Test(arguments: arrivals)
  func `CACHE-03 CACHE-34 data that comes before the caches answer ends the check`(arrival: Arrival)
  {
    withHarness { harness in
      let journal = Journal()
      let cache = harness.cache(journal, age: 10)
      cache.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      arrival.act(resource)
      harness.settle()
      #expect(recorder.take() == arrival.events)
      #expect(load?.outcome == arrival.text + " (not new)")
      #expect(!resource.isLoading)
      harness.advance(by: 100)
      resource.loadIfNeeded()
      #expect(recorder.take() == ["requested L D"], "straight to the network")
      cache.releaseAll()
      harness.settle()
      #expect(recorder.take() == ["newData(network) D"])
      #expect(journal.take().filter { $0.hasPrefix("read") } == ["read model a"])
    }
  }

  @Test func `CACHE-34 a cache that never answers does not block loads`() {
    withHarness { harness in
      harness.cache(age: 10).answering = .never
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load()
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      harness.advance(by: 100)
      resource.loadIfNeeded()
      harness.settle()
      #expect(recorder.take() == ["requested L D", "newData(network) D"])
    }
  }

  @Test(arguments: [false, true])
  func `CACHE-34 CACHE-36 a check that never ends keeps nothing alive`(loads: Bool) {
    withHarness { harness, leakCheck in
      leakCheck.watch(harness.cache(age: 10)).answering = .never
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      if loads { resource.loadIfNeeded() }
      harness.settle()
      #expect(recorder.take() == [])
      #expect(resource.isLoading == loads)
    }
  }

  @Test
  func `STA-07 CACHE-03 a failure does not end the check; what the cache has clears the error`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      harness.stub("GET", "/a", .init(status: 500))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load()
      harness.settle()
      #expect(recorder.take() == ["requested L", "error E"])
      cache.release()
      harness.settle()
      #expect(recorder.take() == ["newData(cache) D"])
    }
  }

  @Test
  func `CACHE-34 while a cache never answers, a load that waits for it can still be cancelled`() {
    withHarness { harness in
      harness.cache(age: nil).answering = .never
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let waiting = resource.loadIfNeeded()
      harness.advance(by: 100)
      #expect(waiting?.state == .inProgress)
      waiting?.cancel()
      harness.settle()
      let load = resource.loadIfNeeded()
      #expect(recorder.take() == ["requested L"])
      harness.settle()
      #expect(load?.outcome == "network")
    }
  }

  @Test func `LOAD-16 CHN-03 a load that somebody starts meanwhile is the one a miss passes to`() {
    withHarness { harness in
      let cache = harness.cache(age: nil)
      cache.answering = .whenReleased
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let waiting = resource.loadIfNeeded()
      let load = resource.load()
      cache.release()
      harness.settle()
      #expect(resource.loadRequests.map { $0 === load } == [true])
      harness.provider.release()
      harness.settle()
      #expect([waiting?.outcome, load.outcome] == ["network", "network"])
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      #expect(harness.sent == ["GET a"])
      cache.releaseAll()
    }
  }

  @Test func `LOAD-35 CHN-03 loads made of the waiting one are not what a miss passes to`() {
    withHarness { harness in
      _ = harness.cache(age: nil)
      let resource = harness.service.resource("/a")
      let waiting = resource.loadIfNeeded()
      let chain = waiting?.chained { _ in .useThisResponse }
      if let chain { resource.load(using: chain) }
      harness.settle()
      #expect([waiting?.outcome, chain?.outcome] == ["network", "network"])
      #expect(harness.sent == ["GET a"])
      #expect(!resource.isLoading)
    }
  }
}
