import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResourceTableTests {
  private func isKnown(_ service: Service, _ path: String) -> Bool {
    service.table.all.contains { $0.url.text.hasSuffix(path) }
  }

  @Test func `WC-01 to WC-03 one object for a key, however often it is asked for`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      #expect(harness.service.resource("/a") === resource)
      #expect(harness.service.resource("/b") !== resource)
      #expect(harness.service.resource("/a").record === resource.record)
    }
  }

  @Test func `WC-04 to WC-06 WC-10 SVC-29 a flush drops what nobody holds, and only that`() {
    withHarness { harness in
      let service = harness.service
      weak let unused = harness.loaded("/unused").record
      var retained: Resource? = harness.loaded("/retained")
      service.flushUnusedResources()
      #expect(unused == nil)
      #expect(service.resource("/unused").latestData == nil)
      #expect(service.resource("/retained") === retained)
      retained = nil
      #expect(service.resource("/retained").text == "data", "WC-10")
      service.flushUnusedResources()
      #expect(service.table.count == 0)
    }
  }

  @Test func `SVC-31 SVC-32 WC-07 the least recently used go once there are too many`() {
    withHarness { harness in
      let service = harness.service
      #expect(service.cachedResourceCountLimit == 2048)
      service.cachedResourceCountLimit = 100
      for number in 1...100 { _ = service.resource("/\(number)") }
      #expect(service.table.count == 100)
      _ = service.resource("/1")
      for number in 101...102 { _ = service.resource("/\(number)") }
      #expect(service.table.count == 100)
      #expect(isKnown(service, "/1"), "being looked up is a use")
      #expect(!isKnown(service, "/2"))
      #expect(!isKnown(service, "/3"))
      #expect(isKnown(service, "/4"))
    }
  }

  @Test func `WC-08 WC-09 SVC-33 what is held, observed or requested is passed over`() {
    withHarness { harness in
      let service = harness.service
      harness.provider.holdsAnswers = true
      let retained = service.resource("/retained")
      let owner = Owner()
      service.resource("/observed").addObserver(owner: owner) { _, _ in }
      service.resource("/requested").request("GET")
      for number in 1...10 { _ = service.resource("/\(number)") }
      service.cachedResourceCountLimit = 4
      #expect(service.table.count == 4)
      #expect(isKnown(service, "/10"))
      service.cachedResourceCountLimit = 0
      #expect(service.table.count == 3, "SVC-32: the limit is soft")
      for path in ["/retained", "/observed", "/requested"] { #expect(isKnown(service, path)) }
      #expect(retained.url.text.hasSuffix("/retained"))
    }
  }

  @Test func `OBS-28 OBS-37 once owners have died their resources can be evicted`() {
    withHarness { harness in
      let service = harness.service
      var owner: Owner? = Owner()
      let recorder = EventRecorder()
      if let owner { service.resource("/a").addObserver(recorder, owner: owner) }
      service.cachedResourceCountLimit = 0
      #expect(isKnown(service, "/a"))
      owner = nil
      _ = service.resource("/b")
      #expect(recorder.take() == ["observerAdded"], "not inside the lookup")
      harness.settle()
      #expect(recorder.take() == ["stoppedObserving"])
      #expect(service.table.count == 0)
    }
  }

  @Test func `many observed resources do not hold up eviction`() {
    withHarness { harness in
      let service = harness.service
      let owner = Owner()
      for number in 1...200 {
        service.resource("/observed/\(number)").addObserver(owner: owner) { _, _ in }
      }
      service.cachedResourceCountLimit = 200
      for number in 1...200 { _ = service.resource("/\(number)") }
      #expect(service.table.count < 220)
      service.flushUnusedResources()
      #expect(service.table.count == 200)
    }
  }

  @Test func `SVC-31 the content of unused resources is bounded in bytes too`() {
    withHarness { harness in
      let service = harness.service
      #expect(service.cachedResourceByteLimit == 256 * 1024 * 1024)
      let retained = harness.loaded("/retained", .text(String(repeating: "x", count: 500)))
      for path in ["/1", "/2", "/3"] {
        _ = harness.loaded(path, .text(String(repeating: "x", count: 100)))
      }
      service.cachedResourceByteLimit = 250
      #expect(!isKnown(service, "/1"))
      #expect(isKnown(service, "/2"))
      service.resource("/2").overrideLocalContent(with: .text(String(repeating: "x", count: 150)))
      #expect(service.table.count == 3, "/2 and /3 just fit")
      service.resource("/2").overrideLocalContent(with: .text(String(repeating: "x", count: 151)))
      #expect(!isKnown(service, "/3"))
      #expect(isKnown(service, "/2"))
      #expect(retained.text.count == 500)
    }
  }

  @Test func `a host is told of each resource that is forgotten`() {
    withHarness { harness in
      let spy = ForgetSpy()
      let service = harness.makeService(base: "https://api.test")
      harness.pump.host = spy
      let retained = service.resource("/0")
      for number in 1...3 { _ = service.resource("/\(number)") }
      service.cachedResourceCountLimit = 3
      #expect(spy.journal.take() == ["https://api.test/1"])
      service.flushUnusedResources()
      #expect(Set(spy.journal.take()) == ["https://api.test/2", "https://api.test/3"])
      #expect(retained.record === service.table.all.first)
    }
  }

  @Test func `the queue does not grow with the number of uses, nor hold what is forgotten`() {
    withHarness { harness, leakCheck in
      let service = harness.service
      service.cachedResourceCountLimit = 10
      for number in 1...1000 {
        leakCheck.watch(service.resource("/\(number % 40)").record, "record")
      }
      service.flushUnusedResources()
      #expect(leakCheck.leaks.allSatisfy { $0 != "record" })
    }
  }
}

private final class ForgetSpy: ModelHost {
  let journal = Journal()

  func resourceStateChanged(_ resource: Resource) {}
  func requestStarted(_ request: Request) {}

  func recordForgotten(_ record: ResourceRecord, of service: Service) {
    journal(record.url.text)
  }
}
