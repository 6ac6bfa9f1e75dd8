import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ChainCancellationTests {
  private func chain(
    _ harness: Harness, _ journal: Journal
  ) -> (wrapped: Request, chain: Request) {
    harness.provider.holdsAnswers = true
    harness.stub("GET", "/a", .text("a"))
    harness.stub("GET", "/b", .text("b"))
    let wrapped = harness.service.resource("/a").request("GET")
    let other = harness.service.resource("/b")
    let chain = wrapped.chained { _ in
      journal("decide")
      return .passTo(other.request("GET"))
    }
    chain.onCompletion { _ in journal("hook") }
    return (wrapped, chain)
  }

  @Test
  func `CHN-11 CHN-12 CHN-20 cancelling a chain cancels what it waits for; nothing is decided`() {
    withHarness { harness in
      let journal = Journal()
      let (wrapped, chain) = chain(harness, journal)
      chain.cancel()
      #expect([wrapped.causeKind, chain.causeKind] == ["request_cancelled", "request_cancelled"])
      #expect(harness.provider.cancelledCount == 1)
      #expect(journal.take() == [])
      harness.settle()
      harness.provider.releaseCancelled()
      harness.settle()
      #expect(journal.take() == ["hook"])
      #expect(harness.sent == ["GET a"])
      chain.cancel()
      harness.settle()
      #expect(journal.take() == [])
    }
  }

  @Test func `CHN-21 cancelling one of two chains around a request leaves it to the other`() {
    withHarness { harness in
      let journal = Journal()
      let (wrapped, chain) = chain(harness, journal)
      let other = wrapped.chained { _ in .useThisResponse }
      let nested = other.chained { _ in .useThisResponse }
      chain.cancel()
      #expect(wrapped.state == .inProgress)
      #expect(harness.provider.cancelledCount == 0)
      harness.provider.release()
      harness.settle()
      #expect([wrapped, other, nested].map(\.outcome) == ["a", "a", "a"])
      #expect(journal.take() == ["hook"])
    }
  }

  @Test func `CHN-21 the last of several chains around a request takes it along`() {
    withHarness { harness in
      let (wrapped, chain) = chain(harness, Journal())
      let other = wrapped.chained { _ in .useThisResponse }
      let nested = other.chained { _ in .useThisResponse }
      nested.cancel()
      #expect(other.causeKind == "request_cancelled")
      #expect(wrapped.state == .inProgress)
      chain.cancel()
      #expect(wrapped.causeKind == "request_cancelled")
      #expect(harness.provider.cancelledCount == 1)
      harness.settle()
    }
  }

  @Test
  func `CHN-14 cancelling a chain that has passed on cancels that request, not the wrapped one`() {
    withHarness { harness in
      let journal = Journal()
      let (wrapped, chain) = chain(harness, journal)
      harness.provider.release()
      harness.settle()
      let other = harness.service.resource("/b")
      #expect(other.allRequests.count == 1)
      chain.cancel()
      #expect(other.allRequests.isEmpty)
      #expect(harness.provider.cancelledCount == 1)
      harness.settle()
      #expect([wrapped.outcome, chain.outcome] == ["a", "Request cancelled"])
      #expect(journal.take() == ["decide", "hook"])
    }
  }

  @Test
  func
    `CHN-12 cancelled when the wrapped request has ended but nobody was told, nothing is decided`()
  {
    withHarness { harness in
      let journal = Journal()
      let (wrapped, chain) = chain(harness, journal)
      wrapped.onCompletion { _ in journal("wrapped") }
      wrapped.cancel()
      chain.cancel()
      harness.settle()
      #expect(journal.take() == ["wrapped", "hook"])
      #expect(chain.causeKind == "request_cancelled")
    }
  }

  @Test func `CHN-12 cancelled by a hook of the wrapped request, the chain decides nothing`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("a"))
      let journal = Journal()
      let wrapped = harness.service.resource("/a").request("GET")
      let chain = Weak<Request>()
      wrapped.onCompletion { _ in chain.object?.cancel() }
      let made = wrapped.chained { _ in
        journal("decide")
        return .useThisResponse
      }
      chain.object = made
      harness.settle()
      #expect(journal.take() == [])
      #expect(made.causeKind == "request_cancelled")
    }
  }

  @Test func `CHN-10 CHN-14 cancelled by its own function, a chain does not pass on`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("a"), .text("2"))
      let resource = harness.service.resource("/a")
      let wrapped = resource.request("GET")
      let chain = Weak<Request>()
      let made = wrapped.chained { _ in
        chain.object?.cancel()
        return .passTo(wrapped.repeated())
      }
      chain.object = made
      harness.settle()
      #expect(made.causeKind == "request_cancelled")
      #expect(harness.sent == ["GET a"])
    }
  }

  @Test func `CXL-06 CHN-09 cancelling a chain that has not started starts nothing, now or later`()
  {
    withHarness { harness in
      harness.stub("GET", "/a", .text("a"))
      let wrapped = harness.service.resource("/a").request("GET").repeated()
      harness.settle()
      let chain = wrapped.chained { _ in .useThisResponse }
      chain.cancel()
      chain.start()
      harness.settle()
      #expect(wrapped.state == .notStarted)
      #expect(chain.causeKind == "request_cancelled")
      #expect(harness.sent == ["GET a"])
    }
  }

  @Test func `CXL-04 cancelling a chain that has ended changes nothing`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("a"))
      let chain = harness.service.resource("/a").request("GET").chained { _ in .useThisResponse }
      harness.settle()
      chain.cancel()
      #expect(chain.outcome == "a")
    }
  }

  @Test func `CHN-13 a chain goes on when its wrapped request is cancelled`() {
    withHarness { harness in
      let journal = Journal()
      let (wrapped, chain) = chain(harness, journal)
      wrapped.cancel()
      #expect(chain.state == .inProgress)
      harness.settle()
      #expect(journal.take() == ["decide"])
      harness.provider.release()
      harness.settle()
      #expect(chain.outcome == "b")
    }
  }

  @Test func `CHN-11 of chains that share a request, only the last one cancelled takes it along`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("a"))
      let wrapped = harness.service.resource("/a").request("GET")
      let chains = (1...3).map { _ in wrapped.chained { _ in .useThisResponse } }
      chains[0].cancel()
      chains[1].cancel()
      chains[1].cancel()
      #expect(wrapped.state == .inProgress)
      #expect(chains[2].state == .inProgress)
      chains[2].cancel()
      #expect(wrapped.causeKind == "request_cancelled")
      #expect(harness.provider.cancelledCount == 1)
    }
  }

  @Test func `CHN-14 a request two chains passed to ends only with the second, or answers it`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/b", .text("b"))
      for cancelled in 1...2 {
        let shared = harness.service.resource("/b").request("GET")
        let chains = (1...2).map { _ in
          Resource.hardWiredRequest(returning: .success(.text("x"))).chained { _ in
            .passTo(shared)
          }
        }
        harness.settle()
        for chain in chains.prefix(cancelled) { chain.cancel() }
        #expect(shared.state == (cancelled == 1 ? .inProgress : .completed))
        if cancelled == 1 {
          harness.provider.release()
        } else {
          harness.provider.releaseCancelled()
        }
        harness.settle()
        #expect(
          chains.map(\.outcome) == [
            "Request cancelled", cancelled == 1 ? "b" : "Request cancelled",
          ])
      }
    }
  }

  @Test func `CHN-11 cancelling the outer of two chains cancels down to the request that runs`() {
    withHarness { harness in
      let journal = Journal()
      let (wrapped, inner) = chain(harness, journal)
      let outer = inner.chained { _ in .useThisResponse }
      outer.cancel()
      #expect(
        [wrapped, inner, outer].map(\.causeKind)
          == Array(repeating: "request_cancelled", count: 3))
    }
  }
}
