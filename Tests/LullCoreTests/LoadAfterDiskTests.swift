import LullCore
import LullTestSupport
import LullTesting
import Testing

/// What load() makes of caches on a disk that are being asked.
@Suite(.timeLimit(.minutes(20)))
struct LoadAfterDiskTests {
  /// What the requests so far had as their condition.
  private static func conditions(_ harness: Harness) -> [String?] {
    harness.provider.requests.map { $0.headers["if-none-match"] }
  }

  @Test func `CACHE-39 a load waits for a disk, and asks on the condition of what that has`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.outlivesProcess = true
      cache.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      #expect(recorder.take() == ["requested L"])
      #expect(load.state == .inProgress)
      #expect(resource.allRequests.map { $0 === load } == [true])
      harness.advance(by: 0.04)
      #expect(harness.sent == [])
      cache.release()
      harness.settle()
      #expect(recorder.take() == ["newData(cache) L D", "newData(network) D"])
      #expect(Self.conditions(harness) == ["c"])
      #expect(load.repeated().start().method == "GET")
      harness.settle()
      #expect(Self.conditions(harness).count == 2)
    }
  }

  @Test func `CACHE-39 NM-01 a 304 to that leaves what the disk has, as of now`() {
    withHarness { harness in
      let cache = harness.cache(age: 1000)
      cache.outlivesProcess = true
      harness.stub("GET", "/a", .init(status: 304))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(cache) L D", "notModified D"])
      #expect(load.response?.isNew == false)
      #expect(resource.text == "cached")
      #expect(resource.timestamp == harness.clock.now)
    }
  }

  @Test func `CACHE-39 what a disk says after 50 ms, or nothing, is no condition`() {
    for age in [10.0, nil] {
      withHarness { harness in
        let cache = harness.cache(age: age)
        cache.outlivesProcess = true
        cache.answering = age == nil ? .atOnce : .whenReleased
        harness.provider.holdsAnswers = true
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        resource.load()
        harness.advance(by: age == nil ? 0 : 0.051)
        #expect(harness.sent == ["GET a"])
        #expect(Self.conditions(harness) == [nil])
        cache.releaseAll()
        harness.settle()
        let cached = age == nil ? [] : ["newData(cache) L D"]
        #expect(recorder.take() == ["requested L"] + cached)
        harness.provider.release()
        harness.settle()
        #expect(recorder.take() == ["newData(network) D"])
        harness.advance(by: 1)
        #expect(harness.sent == ["GET a"])
      }
    }
  }

  @Test func `CACHE-39 other caches are not waited for`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      harness.service.resource("/a").load()
      #expect(harness.sent == ["GET a"])
      #expect(Self.conditions(harness) == [nil])
      cache.releaseAll()
      harness.settle()
    }
  }

  @Test func `CACHE-39 cancelled while it waits for a disk, nothing is sent`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.outlivesProcess = true
      cache.answering = .whenReleased
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      load.cancel()
      cache.releaseAll()
      harness.advance(by: 1)
      #expect(recorder.take().first == "requested L")
      #expect(load.causeKind == "request_cancelled")
      #expect(harness.sent == [])
    }
  }

  @Test func `CACHE-39 LOAD-04 who sets a condition, or removes it, has it as they want it`() {
    for wanted in ["mine", nil] {
      withHarness { harness in
        harness.cache(age: 10).outlivesProcess = true
        harness.service.configure { $0.mutateRequests { $0.headers["If-None-Match"] = wanted } }
        harness.service.resource("/a").load()
        harness.settle()
        #expect(Self.conditions(harness) == [wanted])
      }
    }
  }
}
