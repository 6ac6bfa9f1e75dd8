import LullCore
import LullTestSupport
import LullTesting
import Testing

/// When a resource looks into its caches, and what becomes of what it finds.
@Suite(.timeLimit(.minutes(20)))
struct CacheCheckTests {
  // MARK: When

  struct Trigger: CustomTestStringConvertible {
    let id: String
    var checks = true
    let act: @Sendable (Resource, Owner) -> Void

    var testDescription: String { id }
  }

  static let triggers = [
    Trigger(id: "data") { resource, _ in _ = resource.latestData },
    Trigger(id: "timestamp") { resource, _ in _ = resource.timestamp },
    Trigger(id: "staleness") { resource, _ in _ = resource.isUpToDate },
    Trigger(id: "OBS-40: an observer") { $0.addObserver(owner: $1) { _, _ in } },
    Trigger(id: "load_if_needed") { resource, _ in resource.loadIfNeeded() },
    Trigger(id: "error", checks: false) { resource, _ in _ = resource.latestError },
    Trigger(id: "loading", checks: false) { resource, _ in _ = resource.isLoading },
    Trigger(id: "requests", checks: false) { resource, _ in _ = resource.allRequests },
    Trigger(id: "STA-16: its textual form", checks: false) { resource, _ in
      #expect(resource.shortDescription.hasSuffix("[]"))
    },
    Trigger(id: "a plain request", checks: false) { resource, _ in resource.request("POST") },
  ]

  @Test(arguments: triggers)
  func `STA-15 CACHE-01 CACHE-04 the first look at the data begins the one check`(trigger: Trigger)
  {
    withHarness { harness in
      let journal = Journal()
      let cache = harness.cache(journal, age: 10)
      let resource = harness.service.resource("/a")
      let owner = Owner()
      trigger.act(resource, owner)
      #expect(journal.take() == (trigger.checks ? ["read model a"] : []))
      harness.settle()
      if trigger.checks { #expect(resource.text == "cached") }
      cache.entries = [:]
      trigger.act(harness.service.resource("/a"), owner)
      harness.settle()
      #expect(journal.take() == [], "once per lifetime")
      let methods = Set(harness.provider.requests.map(\.method))
      #expect(methods.isSubset(of: ["POST"]))
    }
  }

  @Test
  func `CACHE-04 building a load begins the check too; the network's data is written after it`() {
    withHarness { harness in
      let journal = Journal()
      let cache = harness.cache(journal, age: nil)
      let resource = harness.service.resource("/a")
      let recorder = EventRecorder()
      let load = resource.load()
      resource.addObserver(recorder)
      harness.settle()
      #expect(load.outcome == "network")
      #expect(journal.take() == ["read model a", "write model a: network"])
      #expect(recorder.take() == ["observerAdded L", "newData(network) D"])
      #expect(cache.entries["model a"]?.timestamp == 1000)
    }
  }

  @Test func `STA-15 the look that begins the check gets the current value`() {
    withHarness { harness in
      _ = harness.cache(age: 10)
      let resource = harness.service.resource("/a")
      #expect(resource.latestData == nil)
      #expect(resource.timestamp == 0)
      #expect(!resource.isUpToDate)
      #expect(!resource.isLoading)
      harness.settle()
      #expect(resource.isUpToDate)
      #expect(resource.timestamp == 990)
    }
  }

  @Test func `CACHE-02 an empty cache leaves the resource empty, and says nothing`() {
    withHarness { harness in
      _ = harness.cache(age: nil)
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      harness.settle()
      #expect(resource.latestData == nil)
      #expect(!resource.isLoading)
      #expect(recorder.take() == [])
    }
  }

  @Test func `OBS-40 observerAdded comes first, the cached value as a later newData(cache)`() {
    withHarness { harness in
      _ = harness.cache(age: 400)
      let recorder = EventRecorder()
      let resource = harness.service.resource("/a").addObserver(recorder)
      #expect(recorder.take() == ["observerAdded"])
      harness.settle()
      #expect(recorder.take() == ["newData(cache) D"])
      #expect(resource.timestamp == 600)
      #expect(harness.sent == [], "a check is no load")
    }
  }

  // MARK: Wiping, releasing, configuring

  @Test func `WIPE-07 CACHE-32 wiping keeps the entry and looks again`() {
    withHarness { harness in
      let journal = Journal()
      let cache = harness.cache(journal, age: 10)
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      harness.settle()
      #expect(recorder.take() == ["newData(cache) D"])
      resource.wipe()
      #expect(recorder.take() == ["newData(wipe)"])
      harness.settle()
      #expect(recorder.take() == ["newData(cache) D"])
      #expect(journal.take() == ["read model a", "read model a"])
      #expect(cache.texts == ["model a": "cached"])
      resource.removeObservers(ownedBy: recorder)
      resource.wipe()
      harness.settle()
      #expect(journal.take() == [], "nobody looks")
      #expect(resource.latestData == nil)
      harness.settle()
      #expect(resource.text == "cached")
    }
  }

  @Test
  func `WIPE-03 WIPE-07 wiped during the check, what waits is cancelled and the caches asked anew`()
  {
    for answered in [false, true] {
      withHarness { harness in
        let cache = harness.cache(age: 10)
        cache.answering = answered ? .atOnce : .whenReleased
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        let load = resource.loadIfNeeded()
        resource.wipe()
        #expect(load?.causeKind == "request_cancelled")
        #expect(recorder.take() == ["newData(wipe)"])
        cache.releaseAll()
        harness.settle()
        #expect(recorder.take() == ["newData(cache) D"])
        #expect(harness.sent == [])
      }
    }
  }

  @Test
  func `WIPE-03 WIPE-06 WIPE-07 wiped in the network phase, the real load is cancelled as well`() {
    withHarness { harness in
      let journal = Journal()
      _ = harness.cache(journal, age: nil)
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      resource.wipe()
      harness.provider.releaseCancelled()
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(wipe)", "requestCancelled"])
      #expect(load?.causeKind == "request_cancelled")
      #expect(journal.take() == ["read model a", "read model a"])
    }
  }

  @Test
  func `CACHE-36 what comes for a resource that was released is ignored; the next one looks again`()
  {
    withHarness { harness in
      let journal = Journal()
      let cache = harness.cache(journal, age: 10)
      cache.answering = .whenReleased
      _ = harness.service.resource("/a").latestData
      cache.release()
      harness.settle()
      cache.answering = .atOnce
      #expect(journal.take() == ["read model a"])
      let resource = harness.service.resource("/a")
      #expect(resource.latestData == nil)
      harness.settle()
      #expect(resource.text == "cached")
      #expect(journal.take() == ["read model a"])
    }
  }

  @Test
  func `CACHE-36 a resource that was flushed during its check is gone, and nothing is kept of it`()
  {
    withHarness { harness, leakCheck in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      leakCheck.watch(harness.service.resource("/a").record, "flushed")
      _ = harness.service.resource("/a").latestData
      harness.service.flushUnusedResources()
      #expect(!leakCheck.leaks.contains("flushed"))
      cache.releaseAll()
      harness.settle()
    }
  }

  @Test
  func `CACHE-04 CFG-14 a cache configured later is looked into, unless there is data by then`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      #expect(resource.latestData == nil)
      let other = harness.loaded("/b", .text("b"))
      let journal = Journal()
      _ = harness.cache(journal, age: 10)
      #expect(journal.take() == [])
      let recorders = [resource, other].map { $0.recorded() }
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(load?.outcome == "cached")
      #expect(recorders.map { $0.take() } == [["newData(cache) L D", "notModified D"], []])
      #expect(journal.take() == ["read model a"])
    }
  }

  @Test func `CFG-10 a check goes on under the configuration it began with`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      harness.service.configure { $0.pipeline[.cleanup].add(.appending(" cle")) }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      harness.service.configure {
        $0.pipeline.clear()
        $0.expirationTime = 5
      }
      let load = resource.loadIfNeeded()
      cache.releaseAll()
      harness.settle()
      #expect(
        recorder.take() == ["newData(cache) L D", "requested L D", "newData(network) D"])
      #expect(load?.outcome == "data", "the answer's configuration is that of its arrival")
    }
  }

  // MARK: Reentrancy

  @Test func `CACHE-23 a key function may look at the resource, which is empty then`() {
    withHarness { harness in
      let journal = Journal()
      let cache = harness.cache(journal, age: 10)
      cache.makeKey = { resource, stage in
        journal("key: \(resource.latestData == nil) \(resource.isUpToDate) \(resource.isLoading)")
        return "\(stage) a"
      }
      let resource = harness.service.resource("/a")
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(load?.outcome == "cached")
      #expect(journal.take() == ["key: true false false", "read model a"])
    }
  }

  @Test func `OBS-35 CACHE-05 an observer may call load_if_needed when the cached data comes`() {
    for age in [10.0, 1000] {
      withHarness { harness in
        _ = harness.cache(age: age)
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        var inside: Request?
        recorder.onEvent = { resource, event in
          if event == .newData(.cache) { inside = resource.loadIfNeeded() }
        }
        let load = resource.loadIfNeeded()
        harness.settle()
        #expect(inside === load, "LOAD-31")
        #expect(
          recorder.take()
            == (age == 10
              ? ["newData(cache) L D", "notModified D"]
              : ["newData(cache) L D", "requested L D", "newData(network) D"]))
      }
    }
  }

  @Test func `OBS-35 OVR-12 an observer may override the cached data when it comes`() {
    withHarness { harness in
      let cache = harness.cache(age: 1000)
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      recorder.onEvent = { resource, event in
        if event == .newData(.cache) { resource.overrideLocalContent(with: .text("local")) }
      }
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(
        recorder.take() == ["newData(cache) L D", "newData(localOverride) L D", "notModified D"])
      #expect(load?.outcome == "local (not new)")
      #expect(cache.texts == [:])
    }
  }

  @Test func `OBS-35 an observer that calls load_if_needed when only observing finds stale data`() {
    withHarness { harness in
      _ = harness.cache(age: 1000)
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      recorder.onEvent = { resource, event in
        if event == .newData(.cache) { resource.loadIfNeeded() }
      }
      harness.settle()
      #expect(recorder.take() == ["newData(cache) D", "requested L D", "newData(network) D"])
      #expect(harness.sent == ["GET a"])
    }
  }
}
