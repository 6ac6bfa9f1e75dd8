import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct LimitTests {
  // MARK: Concurrency

  @Test func `so many are under way at once; the others follow in order as places become free`() {
    withHarness { harness in
      harness.configure(concurrency: 2)
      let requests = harness.held("a", "b", "c", "d", "e")
      #expect(harness.sentNames == "a b")
      harness.provider.release(1)
      harness.settle()
      #expect(harness.sentNames == "a b c")
      harness.provider.release()
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c d e")
      harness.provider.release()
      harness.provider.release()
      harness.settle()
      #expect(requests.map(\.outcome) == ["a", "b", "c", "d", "e"])
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test func `the next one is sent before hooks hear of the answer that made room`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let journal = Journal()
      defer { harness.provider.onStart = nil }
      harness.provider.onStart = { http in journal("sent \(http.url.suffix(1))") }
      for request in harness.held("a", "b") {
        request.onCompletion { _ in journal("completed \(request.outcome)") }
      }
      harness.provider.release()
      harness.settle()
      harness.provider.release()
      harness.settle()
      #expect(journal.take() == ["sent a", "sent b", "completed a", "completed b"])
    }
  }

  @Test
  func `delay and elapsed of an attempt are what passed, whatever the time is set to meanwhile`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let second = harness.held("a", "b")[1]
      harness.clock.advance(by: 30)
      harness.clock.set(harness.clock.now + 86_400)
      harness.provider.release()
      harness.settle()
      harness.clock.advance(by: 2)
      harness.clock.set(harness.clock.now - 500_000)
      harness.provider.release()
      harness.settle()
      #expect(second.attempts.map(\.delay) == [30])
      #expect(second.attempts.map(\.elapsed) == [2])
      #expect(second.attempts.map(\.started) == [87_430])
    }
  }

  @Test func `a request that waits is in progress, at 0, and has no attempt`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      let second = harness.held("a", "b")[1]
      var reports: [Double] = []
      second.onProgress { reports.append($0) }
      harness.clock.advance(by: 30)
      #expect(second.state == .inProgress)
      #expect(second.progress == 0)
      #expect(second.attempts.isEmpty)
      harness.provider.release()
      harness.settle()
      harness.provider.release()
      harness.settle()
      #expect(second.attempts.map(\.delay) == [30])
      #expect(reports == [1])
    }
  }

  @Test
  func `between two attempts a request gives its place away, and then goes before newer ones`() {
    withHarness { harness in
      harness.configure(concurrency: 1, retry: .steady)
      let requests = harness.held("a", "b", "c", "d")
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b")
      harness.stub("GET", "/c", .init(status: 503), .text("c"))
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c")
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c d", "c waits a second")
      let late = harness.held("e")
      harness.pass(1)
      #expect(harness.sentNames == "a b c d")
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c d c", "it came before e")
      harness.provider.release()
      harness.settle()
      harness.provider.release()
      harness.settle()
      #expect((requests + late).map(\.outcome) == ["a", "b", "c", "d", "e"])
    }
  }

  // MARK: Rate

  @Test
  func `so many are sent in any span of time, in order, and one timer runs while others wait`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 2, per: 10))
      let names = ["a", "b", "c", "d", "e"]
      var times: [String] = []
      defer { harness.provider.onStart = nil }
      harness.provider.onStart = { times.append("\($0.url.suffix(1)) \(harness.clock.now)") }
      for name in names { harness.stub("GET", "/" + name, .text(name)) }
      let requests = names.prefix(2).map { harness.service.resource("/" + $0).request("GET") }
      harness.pass(4)
      let later = names.dropFirst(2).map { harness.service.resource("/" + $0).request("GET") }
      harness.settle()
      #expect(harness.clock.activeTimerCount == 1)
      harness.pass(30)
      #expect(times == ["a 1000.0", "b 1000.0", "c 1010.0", "d 1010.0", "e 1020.0"])
      #expect((requests + later).map(\.outcome) == names)
      #expect(later.map { $0.attempts[0].delay } == [6, 6, 16])
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test func `retries count as requests`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 2, per: 10), retry: .steady)
      harness.stub("GET", "/a", .init(status: 503), .init(status: 503), .text("a"))
      let request = harness.service.resource("/a").request("GET")
      harness.pass(20)
      #expect(request.attempts.map(\.started) == [1000, 1001, 1010])
      #expect(request.attempts.map(\.delay) == [0, 1, 9])
    }
  }

  @Test func `a request that fails before it is sent counts for nothing`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 1, per: 10))
      harness.service.configure(.wildcard("/a", base: harness.service.baseURL)) {
        $0.mutateRequests { (_) throws(RequestError) in
          throw RequestError(userMessage: "no", timestamp: 0)
        }
      }
      harness.stub("GET", "/b", .text("b"))
      harness.service.resource("/a").request("GET")
      let request = harness.service.resource("/b").request("GET")
      harness.settle()
      #expect(request.outcome == "b")
    }
  }

  // MARK: Both

  @Test func `with both limits, each holds`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 3, per: 10), concurrency: 2)
      _ = harness.held("a", "b", "c", "d", "e")
      #expect(harness.sentNames == "a b")
      harness.provider.release()
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c", "the rate allows no more")
      harness.pass(10)
      #expect(harness.sentNames == "a b c d", "there is one place")
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "a b c d e")
    }
  }

  @Test func `those that wait for a rate of their own hold no place that others could use`() {
    withHarness { harness in
      harness.configure(concurrency: 2)
      harness.configure("/search*", rate: RateLimit(requests: 1, per: 60))
      _ = harness.held("search1", "search2", "search3", "a", "b")
      #expect(harness.sentNames == "search1 a")
      harness.provider.release(1)
      harness.settle()
      #expect(harness.sentNames == "search1 a b")
    }
  }

  @Test func `those that wait for a place of their own hold no share of a common rate`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 4, per: 60))
      harness.configure("/slow*", concurrency: 1)
      _ = harness.held("slow1", "slow2", "slow3", "slow4", "a", "b", "c")
      #expect(harness.sentNames == "slow1 a b c")
      harness.provider.release()
      harness.settle()
      #expect(harness.sentNames == "slow1 a b c", "the rate allows no more")
      harness.pass(60)
      #expect(harness.sentNames == "slow1 a b c slow2")
    }
  }

  @Test
  func `where lines meet at one limit, whoever has waited longest goes first, so none starves`() {
    withHarness { harness in
      harness.configure(concurrency: 1)
      harness.configure("/r*", rate: RateLimit(requests: 100, per: 60))
      _ = harness.held("a1", "r1", "a2", "r2", "a3", "r3")
      for _ in 0..<6 {
        harness.provider.release()
        harness.settle()
      }
      #expect(harness.sentNames == "a1 r1 a2 r2 a3 r3")
    }
  }

  @Test func `ten thousand wait, some leave, the rest go in order`() {
    withHarness { harness in
      harness.configure(rate: RateLimit(requests: 100, per: 1), concurrency: 50)
      harness.service.cachedResourceCountLimit = 20_000
      let requests = (0..<10_000).map { number in
        harness.stub("GET", "/\(number)", .text("\(number)"))
        return harness.service.resource("/\(number)").request("GET")
      }
      for (number, request) in requests.enumerated() where number % 4 != 0 { request.cancel() }
      harness.pass(30)
      let sent = harness.provider.requests.map { $0.url.split(separator: "/").last ?? "" }
      let numbers = sent.compactMap { Int($0) }
      #expect(numbers == numbers.sorted())
      #expect(numbers.filter { $0 % 4 == 0 }.count == 2500)
      #expect(numbers.count <= 2500 + 50, "those let through before they were cancelled")
      #expect(requests.allSatisfy { $0.isCompleted })
      #expect(harness.clock.activeTimerCount == 0)
    }
  }
}
