import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Services that are offline: memory and caches answer, or nobody.
@Suite(.timeLimit(.minutes(20)))
struct OfflineTests {
  @Test func `LOAD-01 CACHE-31 a load is answered by the cache, however old its entity is`() {
    withHarness { harness in
      let cache = harness.cache(age: 500)
      harness.service.isOffline = true
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let request = resource.load()
      harness.settle()
      #expect(request.outcome == "cached (not new)")
      #expect(
        recorder.take() == ["requested L", "newData(cache) L D", "notModified D"])
      #expect(resource.timestamp == 500.0)
      #expect(cache.entries["model a"]?.timestamp == 500.0, "it becomes no younger")
      #expect(harness.sent == [])
    }
  }

  @Test func `LOAD-29 CACHE-05 so is loadIfNeeded, as by a fresh hit`() {
    withHarness { harness in
      _ = harness.cache(age: 500)
      harness.service.isOffline = true
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let request = resource.loadIfNeeded()
      harness.settle()
      #expect(request?.outcome == "cached")
      #expect(recorder.take() == ["newData(cache) L D", "notModified D"])
      #expect(resource.loadIfNeeded() == nil)
      #expect(resource.isUpToDate)
      #expect(harness.sent == [])
    }
  }

  @Test func `LOAD-08 what no cache has fails with kind offline`() {
    withHarness { harness in
      _ = harness.cache(age: nil)
      harness.service.isOffline = true
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let request = resource.load()
      harness.settle()
      #expect(request.outcome == "Offline, and https://api.test/v1/a is not in the cache")
      #expect(request.causeKind == "offline")
      #expect(recorder.take() == ["requested L", "error E"])
      #expect(harness.sent == [])
    }
  }

  @Test func `LOAD-08 without a cache, too, and with a miss under loadIfNeeded`() {
    withHarness { harness in
      harness.service.isOffline = true
      let plain = harness.service.resource("/b").loadIfNeeded()
      harness.settle()
      #expect(plain?.causeKind == "offline")
      _ = harness.cache(age: nil)
      let cached = harness.service.resource("/a").loadIfNeeded()
      harness.settle()
      #expect(cached?.causeKind == "offline")
      #expect(harness.sent == [])
    }
  }

  @Test(arguments: ["GET", "POST", "DELETE"] as [RequestMethod])
  func `REQ-01 any other request fails before it is sent`(method: RequestMethod) {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.service.isOffline = true
      let request = resource.request(method)
      harness.settle()
      #expect(request.outcome == "Offline: \(method) https://api.test/v1/a was not sent")
      #expect(request.causeKind == "offline")
      #expect(harness.sent == ["GET a"])
    }
  }

  @Test func `LOAD-01 data in memory answers as it is, and an error of before is forgotten`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.stub("GET", "/a", .init(status: 500))
      harness.advance(by: 100)
      resource.load()
      harness.settle()
      #expect(resource.latestError != nil)
      harness.service.isOffline = true
      resource.invalidate()
      let recorder = resource.recorded()
      let request = resource.load()
      harness.settle()
      #expect(request.outcome == "data (not new)")
      #expect(recorder.take() == ["requested L D E", "notModified D"])
      #expect(resource.latestError == nil)
      #expect(resource.timestamp == 1000)
    }
  }

  @Test func `CFG-12 back online, loads are sent again and data has its age`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.service.isOffline = true
      harness.advance(by: 100)
      #expect(resource.isUpToDate)
      harness.service.isOffline = false
      #expect(!resource.isUpToDate)
      resource.loadIfNeeded()
      harness.settle()
      #expect(harness.sent == ["GET a", "GET a"])
    }
  }

  @Test func `CACHE-04 a load looks again for what others have written to the cache since`() {
    withHarness { harness in
      let cache = harness.cache(age: nil)
      harness.service.isOffline = true
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      cache.entries["model a"] = .text("later", at: 1)
      let request = resource.load()
      harness.settle()
      #expect(request.outcome == "later (not new)")
    }
  }

  @Test func `CXL-01 a load that waits for the cache can be cancelled`() {
    withHarness { harness in
      let cache = harness.cache(age: 10)
      cache.answering = .whenReleased
      harness.service.isOffline = true
      let resource = harness.service.resource("/a")
      let request = resource.load()
      request.cancel()
      cache.releaseAll()
      harness.settle()
      #expect(request.causeKind == "request_cancelled")
    }
  }

  @Test func `SVC-21 REQ-25 what cannot even be built says so`() {
    withHarness { harness in
      harness.service.isOffline = true
      let request = harness.service.resource(absoluteURL: "::").load()
      harness.settle()
      #expect(request.causeKind == "invalid_url")
    }
  }
}
