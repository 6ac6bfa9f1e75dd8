import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Cancelling at every stage of the chain, and from every place.
@Suite(.timeLimit(.minutes(20)))
struct PolicyCancellationTests {
  @Test func `CXL-07 in the line: it is not sent, and others move up`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let requests = harness.held("a", "b", "c")
      requests[1].cancel()
      #expect(requests[1].causeKind == "request_cancelled")
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a c")
      #expect(harness.provider.cancelledCount == 0)
    }
  }

  @Test func `in the line for a rate: no share is used up, and no timer is left`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 1, per: 10))
      let requests = harness.held("a", "b", "c")
      #expect(harness.clock.activeTimerCount == 1)
      requests[1].cancel()
      harness.pass(10)
      #expect(harness.sentNames == "a c")
      let more = harness.held("d", "e")
      more[0].cancel()
      more[1].cancel()
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test func `under way: it took as long as it did, whatever somebody sets the time to`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let request = harness.held("a")[0]
      harness.clock.set(harness.clock.now + 86_400)
      request.cancel()
      #expect(request.response?.error?.attempts.map(\.elapsed) == [0])
      #expect(request.attempts.map(\.elapsed) == [0])
      harness.provider.releaseCancelled()
      harness.settle()
    }
  }

  @Test func `under way: the transfer is cancelled and its place is free`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let requests = harness.held("a", "b")
      requests[0].cancel()
      #expect(harness.provider.cancelledCount == 1)
      harness.settle()
      #expect(harness.sentNames == "a b")
      #expect(requests[0].attempts.map(\.outcome) == [.failure(.cancelled)])
      #expect(requests[0].response?.error?.attempts.map(\.outcome) == [.failure(.cancelled)])
      // What the provider reports of it afterwards is nobody's.
      harness.provider.releaseCancelled()
      harness.settle()
      #expect(requests[1].state == .inProgress)
    }
  }

  @Test func `between two attempts: the timer goes, nothing is sent again`() {
    withHarness { harness in
      harness.configure(retry: .steady)
      harness.stub("GET", "/a", .init(status: 503))
      let request = harness.service.resource("/a").request("GET")
      harness.settle()
      #expect(harness.clock.activeTimerCount == 1)
      request.cancel()
      #expect(harness.clock.activeTimerCount == 0)
      harness.pass(10)
      #expect(harness.sentNames == "a")
      #expect(request.response?.error?.attempts.map(\.outcome) == [.status(503)])
    }
  }

  @Test func `in the line for the second attempt`() {
    withHarness { harness in
      harness.configure(concurrency: 1, retry: .steady)
      harness.stub("GET", "/a", .init(status: 503))
      harness.provider.holdsAnswers = true
      let first = harness.service.resource("/a").request("GET")
      _ = harness.held("b", "c")
      harness.provider.release()
      harness.settle()
      harness.pass(1)
      #expect(harness.sentNames == "a b")
      first.cancel()
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c")
    }
  }

  @Test func `after the answer has arrived and before it is delivered, the answer is dropped`() {
    withHarness { harness in
      harness.configure(concurrency: 1, retry: .steady)
      let requests = harness.held("a", "b")
      harness.provider.release()
      requests[0].cancel()
      harness.settle()
      #expect(requests[0].causeKind == "request_cancelled")
      #expect(harness.sentNames == "a b")
    }
  }

  @Test func `inside the provider's start: what was started is cancelled, and the place is free`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      harness.provider.holdsAnswers = true
      for name in ["a", "b", "c"] { harness.stub("GET", "/" + name, .text(name)) }
      let resource = harness.service.resource("/b")
      defer { harness.provider.onStart = nil }
      harness.provider.onStart = { http in
        if http.url.hasSuffix("b") { for request in resource.allRequests { request.cancel() } }
      }
      _ = harness.held("a")
      let second = resource.request("GET")
      let third = harness.held("c")[0]
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c")
      #expect(harness.provider.cancelledCount == 1)
      #expect(second.causeKind == "request_cancelled")
      #expect(third.state == .inProgress)
    }
  }

  @Test func `inside the start of another one that was let through with it`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 2, per: 10))
      _ = harness.held("a", "b")
      harness.settle()
      let requests = harness.held("c", "d", "e")
      defer { harness.provider.onStart = nil }
      harness.provider.onStart = { http in
        if http.url.hasSuffix("c") { requests[1].cancel() }
      }
      harness.clock.advance(by: 10)
      #expect(harness.sentNames == "a b c e", "e gets the share of d")
    }
  }

  @Test func `inside hooks, and all of them at once`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let requests = harness.held("a", "b", "c", "d")
      requests[0].onCompletion { _ in for request in requests { request.cancel() } }
      harness.provider.release()
      harness.settle()
      #expect(
        requests.map(\.outcome)
          == ["a", "Request cancelled", "Request cancelled", "Request cancelled"])
      let next = harness.held("e")
      #expect(harness.sentNames == "a b e", "b was sent with the place of a")
      next[0].cancel()
    }
  }

  @Test func `a handler of the log that cancels what it hears of`() {
    withHarness { harness in
      harness.configure(concurrency: 1, retry: .steady)
      harness.stub("GET", "/a", .init(status: 503))
      let resource = harness.service.resource("/a")
      harness.pump.log.enabled = [.network]
      defer { harness.pump.log.messageHandler = nil }
      harness.pump.log.messageHandler = { _, line in
        if line.contains("attempt 1") { for request in resource.allRequests { request.cancel() } }
      }
      let request = resource.request("GET")
      harness.settle()
      #expect(request.causeKind == "request_cancelled")
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test func `requests that wait when their pump closes are let go`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 1, per: 10), concurrency: 1)
      _ = harness.held("a", "b", "c")
      harness.pump.close()
      harness.service.forgetAll()
    }
  }
}
