import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Who shares a limit with whom.
@Suite(.timeLimit(.minutes(20)))
struct SharedLimitTests {
  @Test func `all resources and methods that a block applies to share its limit`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      _ = harness.held("a", "b")
      _ = harness.held("c", method: "POST")
      #expect(harness.sentNames == "a")
    }
  }

  @Test
  func `a later block's limit takes the place of an earlier one, also if it is the same number`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      harness.configure("/own*", concurrency: 1)
      harness.service.configure(.wildcard("/free", base: harness.service.baseURL)) {
        $0.concurrency = nil
      }
      _ = harness.held("a", "b", "own1", "own2", "free")
      #expect(harness.sentNames == "a own1 free")
    }
  }

  @Test func `one limit can be replaced and the other one kept`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 2, per: 60), concurrency: 1)
      harness.configure("/own*", concurrency: 5)
      _ = harness.held("a", "own1", "own2", "b")
      #expect(harness.sentNames == "a own1", "the rate is still common")
    }
  }

  @Test func `what a block counts outlasts 'invalidateConfiguration' and other blocks`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 2, per: 60), concurrency: 9)
      _ = harness.held("a")
      harness.service.invalidateConfiguration()
      _ = harness.held("b")
      harness.configure { 5 }
      _ = harness.held("c")
      #expect(harness.sentNames == "a b")
    }
  }

  @Test func `those that wait when the configuration changes keep the limits they came under`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let old = harness.held("a", "b")
      harness.configure(concurrency: 2)
      let new = harness.held("c", "d", "e")
      #expect(harness.sentNames == "a c d")
      for _ in 0..<5 {
        harness.provider.release()
        harness.settle()
      }
      #expect((old + new).map(\.outcome) == ["a", "b", "c", "d", "e"])
    }
  }

  @Test func `a block that sets ever new limits leaves none behind that nobody would miss`() throws
  {
    try withHarness { harness, leakCheck in
      var number = 1
      harness.service.configure { $0.concurrency = number }
      harness.stub("GET", "/a", .text("a"))
      func load() throws {
        harness.service.resource("/a").load()
        harness.settle()
        let rules = harness.service.resource("/a").configuration.policies?.rules
        leakCheck.watch(try #require(rules?.sharedPlaces), "limit \(number)")
      }
      for _ in 0..<10 {
        try load()
        number += 1
        harness.service.invalidateConfiguration()
      }
      try load()
      let limits = leakCheck.leaks.filter { $0.hasPrefix("limit") }
      #expect((1...3).contains(limits.count), "\(limits)")
    }
  }

  @Test func `services share nothing`() {
    withHarness { harness in
      let other = harness.makeService(base: "https://other.test")
      for service in [harness.service, other] { service.configure { $0.concurrency = 1 } }
      harness.provider.stub("GET", "https://other.test/b", .text("b"))
      _ = harness.held("a")
      let request = other.resource("/b").request("GET")
      #expect(harness.sentNames == "a b")
      request.cancel()
    }
  }

  @Test func `SWF-56 a limit of no requests at all fails those that would wait for it`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 0, per: 1), concurrency: 0)
      let request = harness.service.resource("/a").request("GET")
      harness.settle()
      #expect(request.response?.error?.cause?.kind == "invalid_setting")
      #expect(harness.sentNames == "")
      #expect(harness.service.resource("/a").configuration.rateLimit == nil)
    }
  }
}

extension Harness {
  fileprivate func configure(_ expirationTime: () -> Double) {
    let time = expirationTime()
    service.configure { $0.expirationTime = .seconds(time) }
  }
}
