import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResourceLocalStateTests {
  @Test func `OVR-01 to OVR-05 an override is an event of its own and cancels nothing`() {
    withHarness { harness in
      harness.stub("GET", "/a", .init(status: 500), .text("loaded"))
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/a")
      resource.load()
      harness.provider.release()
      harness.settle()
      let recorder = resource.recorded()
      resource.load()
      resource.overrideLocalData(with: .text("mine", headers: [("Content-Type", "a/b")], at: 5))
      #expect(recorder.take() == ["requested L E", "newData(localOverride) L D"])
      #expect(resource.text == "mine")
      #expect(resource.latestData?.contentType == "a/b")
      #expect(resource.timestamp == 5, "OVR-06")
      harness.provider.release()
      harness.settle()
      #expect(recorder.take() == ["newData(network) D"])
      #expect(resource.text == "loaded")
    }
  }

  @Test func `OVR-10 after new content the next load is unconditional, the headers being kept`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .json("1", etag: "\"1\""))
      resource.overrideLocalContent(with: .text("mine"))
      #expect(resource.latestData?.etag == "\"1\"")
      resource.load()
      #expect(harness.provider.requests.last?.headers["if-none-match"] == nil)
      harness.settle()
      resource.load()
      #expect(harness.provider.requests.last?.headers["if-none-match"] == "\"1\"")
    }
  }

  @Test func `INV-01 INV-02 INV-03 an invalidation is silent and lasts until the next update`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      let updates: [(Resource) -> Void] = [
        { $0.loadIfNeeded() }, { $0.load() }, { $0.overrideLocalContent(with: .text("x")) },
        { $0.overrideLocalData(with: .text("x", at: 1000)) },
      ]
      for update in updates {
        let recorder = resource.recorded()
        resource.invalidate()
        #expect(recorder.take() == [])
        #expect(resource.allRequests.isEmpty)
        #expect(!resource.isUpToDate)
        update(resource)
        harness.settle()
        #expect(resource.loadIfNeeded() == nil)
      }
      harness.stub("GET", "/a", .init(status: 500))
      resource.invalidate()
      resource.loadIfNeeded()
      harness.settle()
      #expect(resource.loadIfNeeded() == nil, "INV-03: after a failure too")
    }
  }

  @Test func `INV-07 a load in flight does not settle an invalidation`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let load = resource.load()
      resource.invalidate()
      #expect(resource.loadIfNeeded() === load)
      harness.settle()
      #expect(resource.loadIfNeeded() != nil)
      harness.settle()
      #expect(resource.loadIfNeeded() == nil)
    }
  }

  @Test func `WIPE-01 to WIPE-06 WIPE-08 a wipe cancels everything and blanks the state`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      let other = harness.service.resource("/b")
      harness.provider.holdsAnswers = true
      let recorder = resource.recorded()
      let journal = Journal()
      let requests = [resource.load(), resource.request("POST"), other.request("PUT")]
      resource.load(using: requests[2])
      for request in requests { request.onFailure { journal($0.cause?.kind ?? "?") } }
      _ = recorder.take()
      resource.wipe()
      #expect(recorder.take() == ["newData(wipe)"])
      #expect(requests.allSatisfy { $0.isCompleted })
      #expect(resource.allRequests.isEmpty)
      for _ in requests { harness.provider.releaseCancelled() }
      harness.settle()
      #expect(journal.take() == ["request_cancelled", "request_cancelled", "request_cancelled"])
      #expect(recorder.take() == ["requestCancelled", "requestCancelled"])
      #expect(resource.latestData == nil)
      resource.wipe()
      #expect(recorder.take() == ["newData(wipe)"], "WIPE-06: even if already blank")
    }
  }

  @Test
  func `WIPE-03 an answer that came before the wipe but was not delivered brings nothing back`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("secret"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let request = resource.load()
      // Runs in the turn in which the answer completes the request, before its hooks.
      harness.pump.enqueue { resource.wipe() }
      harness.pump.turn()
      #expect(request.isCompleted)
      #expect(recorder.take() == ["requested L", "newData(wipe)", "requestCancelled"])
      #expect(resource.latestData == nil)
      #expect(request.response?.isSuccess == true)
    }
  }

  @Test func `WIPE-09 to WIPE-14 services wipe what matches and is still used`() throws {
    try withHarness { harness in
      let service = harness.service
      let wiped = Journal()
      let resources = ["/a", "/b", "/c/d"].map { path -> Resource in
        let resource = harness.loaded(path)
        return resource.addObserver(owner: harness) { resource, event in
          if event == .newData(.wipe) { wiped(resource.displayName) }
        }
      }
      weak let unused = harness.loaded("/unused").record
      #expect(unused != nil)
      try service.wipeResources(matching: .url(resources[1].url))
      #expect(wiped.take() == ["/b"], "WIPE-10")
      #expect(unused == nil, "WIPE-14")
      try service.wipeResources(matching: .wildcard("/c/*", base: service.baseURL))
      #expect(wiped.take() == ["/c/d"], "WIPE-11")
      service.wipeResources { $0.latestData != nil }
      #expect(wiped.take() == ["/a"], "WIPE-12")
      let predicate = ConfigurationPattern.predicate { (url) throws(RequestError) in
        url.text.hasSuffix("b")
      }
      try service.wipeResources(matching: predicate)
      #expect(wiped.take() == ["/b"], "WIPE-13")
      service.wipeResources()
      #expect(wiped.take() == ["/a", "/b", "/c/d"], "WIPE-09")
      let failing = ConfigurationPattern.predicate { (_) throws(RequestError) in
        throw .failure("no")
      }
      #expect(throws: RequestError.self) { try service.wipeResources(matching: failing) }
      #expect(wiped.take() == [])
      service.invalidateResources()
    }
  }
}
