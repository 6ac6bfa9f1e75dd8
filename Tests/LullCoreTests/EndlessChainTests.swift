import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Chains that would never end, or would wait for themselves, fail with cause `chain_too_long`.
@Suite(.timeLimit(.minutes(20)))
struct EndlessChainTests {
  @Test func `CHN-03 chains that pass to ever new chains fail after 100 hops`() {
    withHarness { harness in
      var decisions = 0
      func endless() -> Request {
        Resource.hardWiredRequest(returning: .success(.text("x"))).chained { _ in
          decisions += 1
          return .passTo(endless())
        }
      }
      let chain = endless()
      harness.settle()
      #expect(chain.causeKind == "chain_too_long")
      #expect(decisions == 101)
    }
  }

  @Test func `CHN-04 CHN-15 a chain that passes to its own repetition fails after 100 hops`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let chain = Weak<Request>()
      let made = harness.service.resource("/a").request("GET").chained { _ in
        chain.object.map { .passTo($0.repeated()) } ?? .useThisResponse
      }
      chain.object = made
      harness.settle()
      #expect(made.causeKind == "chain_too_long")
      #expect(harness.sent.count == 101)
    }
  }

  @Test func `chains joined after they have passed on count together`() {
    withHarness { harness in
      let fixed = Resource.hardWiredRequest(returning: .success(.text("x")))
      var decisions = 0
      func chain(hops: Int, then last: Request) -> Request {
        fixed.chained { _ in
          decisions += 1
          return .passTo(hops > 1 ? chain(hops: hops - 1, then: last) : last)
        }
      }
      let delegate = SpyDelegate()
      let work = Resource.prepareRequest(using: delegate)
      let tail = chain(hops: 60, then: work.chained { _ in .passTo(chain(hops: 50, then: fixed)) })
      harness.settle()
      #expect(decisions == 60)
      let head = chain(hops: 30, then: tail)
      harness.settle()
      #expect(decisions == 90)
      #expect(head.state == .inProgress)
      delegate.report("x")
      harness.settle()
      #expect([tail.causeKind, head.causeKind] == ["chain_too_long", "chain_too_long"])
      #expect(decisions == 100)
    }
  }

  @Test func `CHN-06 a chain that passes to itself fails`() {
    withHarness { harness in
      let chain = Weak<Request>()
      let made = Resource.hardWiredRequest(
        returning: .success(.text("x"))
      ).chained { _ in chain.object.map { .passTo($0) } ?? .useThisResponse }
      chain.object = made
      harness.settle()
      #expect(made.causeKind == "chain_too_long")
    }
  }

  @Test
  func `CHN-06 a chain that passes to one that waits for it fails, and that one gets the failure`()
  {
    withHarness { harness in
      let outer = Weak<Request>()
      let inner = Resource.hardWiredRequest(
        returning: .success(.text("x"))
      ).chained { _ in outer.object.map { .passTo($0) } ?? .useThisResponse }
      let made = inner.chained { _ in .useThisResponse }
      outer.object = made
      harness.settle()
      #expect([inner.causeKind, made.causeKind] == ["chain_too_long", "chain_too_long"])
    }
  }

  @Test func `CHN-06 two chains that pass to each other fail both`() {
    withHarness { harness in
      let fixed = Resource.hardWiredRequest(
        returning: .success(.text("x")))
      let chains = (Weak<Request>(), Weak<Request>())
      let first = fixed.chained { _ in chains.1.object.map { .passTo($0) } ?? .useThisResponse }
      let second = fixed.chained { _ in chains.0.object.map { .passTo($0) } ?? .useThisResponse }
      chains.0.object = first
      chains.1.object = second
      harness.settle()
      #expect([first.causeKind, second.causeKind] == ["chain_too_long", "chain_too_long"])
    }
  }

  @Test func `CHN-06 passing to a cancelled chain around oneself takes its cancellation, and ends`()
  {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let outer = Weak<Request>()
      let inner = resource.request("GET").chained { _ in
        outer.object.map { .passTo($0) } ?? .useThisResponse
      }
      let made = inner.chained { _ in .useThisResponse }
      let other = inner.chained { _ in .useThisResponse }
      outer.object = made
      let recorder = resource.recorded()
      resource.load(using: inner)
      made.cancel()
      harness.settle()
      #expect(
        [inner, made, other].map(\.causeKind)
          == Array(repeating: "request_cancelled", count: 3))
      #expect(recorder.take() == ["requested L", "requestCancelled"])
    }
  }
}
