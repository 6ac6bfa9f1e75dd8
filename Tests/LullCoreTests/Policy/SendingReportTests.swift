import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// When a place of a rate limit is released, as the transport reports it.
@Suite(.timeLimit(.minutes(20)))
struct SendingReportTests {
  /// Harness, and whether its limit is of the service's own or counted with others.
  private func each(
    strict: Bool = false, requests: Int = 1, _ body: (Harness, [Request]) -> Void
  ) {
    for scope in [RateLimit.Scope.block, .named("a")] {
      withHarness { harness in
        // Two references to each other are one cycle.
        defer { harness.provider.onStart = nil }
        harness.provider.onStart = { $0.options?.sending?.adopt() }
        harness.configure(
          rate: RateLimit(requests: requests, per: 10, scope: scope, strict: strict))
        let held = harness.held("a", "b", "c")
        harness.settle()
        body(harness, held)
        for request in held { request.cancel() }
        harness.settle()
      }
    }
  }

  private func report(_ harness: Harness, _ index: Int) -> SendingReport? {
    guard harness.provider.requests.indices.contains(index) else { return nil }
    return harness.provider.requests[index].options?.sending
  }

  @Test func `LIM-06 LIM-42 a place is taken until the request has gone out, and for a span after`()
  {
    each { harness, _ in
      harness.pass(100)
      #expect(harness.sentNames == "a", "it has not gone out")
      report(harness, 0)?.pass()
      harness.pass(9.9)
      #expect(harness.sentNames == "a")
      harness.pass(0.2)
      #expect(harness.sentNames == "a b")
    }
  }

  @Test func `LIM-06 an answer before the end of the request begins the span too`() {
    each { harness, _ in
      harness.pass(100)
      harness.provider.release()
      harness.pass(9.9)
      #expect(harness.sentNames == "a")
      harness.pass(0.2)
      #expect(harness.sentNames == "a b")
    }
  }

  @Test func `LIM-86 with strict the span begins with the answer, or when the request has failed`()
  {
    each(strict: true) { harness, requests in
      #expect(report(harness, 0)?.waitsForAnswer == true)
      harness.pass(100)
      report(harness, 0)?.pass()
      harness.pass(10.1)
      #expect(harness.sentNames == "a b", "while the body of the first is still under way")
      harness.provider.release(1)
      harness.pass(9.9)
      #expect(harness.sentNames == "a b")
      harness.pass(0.2)
      #expect(harness.sentNames == "a b c")
      requests[2].cancel()
    }
  }

  @Test func `LIM-87 another request of the same transfer takes another place, ahead of others`() {
    each { harness, requests in
      report(harness, 0)?.pass()
      var resumed = 0
      report(harness, 0)?.sendAgain { resumed += 1 }
      harness.pass(9.9)
      #expect(resumed == 0)
      harness.pass(0.2)
      #expect(resumed == 1)
      harness.pass(50)
      #expect(harness.sentNames == "a", "that one has not gone out")
      report(harness, 0)?.pass()
      harness.pass(10.1)
      #expect(harness.sentNames == "a b")
      report(harness, 1)?.pass()
      report(harness, 1)?.sendAgain { resumed += 1 }
      requests[1].cancel()
      harness.pass(10.1)
      #expect(resumed == 1, "it was cancelled while it waited")
      #expect(harness.sentNames == "a b c")
    }
  }

  @Test func `LIM-88 a request that is cancelled before it goes out gives its place back`() {
    each { harness, requests in
      report(harness, 0)?.isUnsent = true
      requests[0].cancel()
      harness.settle()
      #expect(harness.sentNames == "a b")
      requests[1].cancel()
      harness.pass(9.9)
      #expect(harness.sentNames == "a b", "for all that is known it has gone out")
      harness.pass(0.2)
      #expect(harness.sentNames == "a b c")
    }
  }

  @Test func `LIM-89 for a network that does not report a request counts from when it is started`()
  {
    for strict in [false, true] {
      withHarness { harness in
        harness.configure(rate: RateLimit(requests: 1, per: 10, strict: strict))
        let held = harness.held("a", "b")
        harness.pass(10.1)
        #expect(harness.sentNames == (strict ? "a" : "a b"))
        harness.provider.release()
        harness.pass(10.1)
        #expect(harness.sentNames == "a b")
        for request in held { request.cancel() }
      }
    }
  }
}
