import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct RetryTests {
  private let unavailable = StubProvider.Answer(status: 503, body: "busy")

  private func retrying(
    _ harness: Harness, _ change: (inout RetryPolicy) -> Void = { _ in }
  ) -> Resource {
    var policy = RetryPolicy()
    change(&policy)
    harness.service.configure { $0.retry = policy }
    harness.pump.random = { 0.5 }
    return harness.service.resource("/a")
  }

  @Test func `a load that is sent again is one load: one response, one set of events`() {
    withHarness { harness in
      harness.stub("GET", "/a", unavailable, .failure(TransportError(.dns, "no host")), .text("x"))
      let resource = retrying(harness)
      let recorder = resource.recorded()
      let journal = Journal()
      defer { harness.provider.onStart = nil }
      harness.provider.onStart = { _ in journal("sent at \(harness.clock.now)") }
      let request = resource.load()
      request.onCompletion { journal("completed \($0.isSuccess) at \(harness.clock.now)") }
      harness.settle()
      #expect(recorder.take() == ["requested L"])
      #expect(request.state == .inProgress)
      harness.pass(0.24)
      #expect(journal.take() == ["sent at 1000.0"])
      harness.pass(0.01)
      #expect(journal.take() == ["sent at 1000.25"])
      harness.pass(0.5)
      #expect(journal.take() == ["sent at 1000.75", "completed true at 1000.75"])
      #expect(recorder.take() == ["newData(network) D"])
      #expect(
        request.attempts == [
          RequestAttempt(number: 1, started: 1000, elapsed: 0, outcome: .status(503)),
          RequestAttempt(
            number: 2, started: 1000.25, delay: 0.25, elapsed: 0, outcome: .failure(.dns)),
          RequestAttempt(
            number: 3, started: 1000.75, delay: 0.5, elapsed: 0, outcome: .status(200)),
        ])
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test func `the last answer is the error, with all attempts, and says how many there were`() {
    withHarness { harness in
      harness.stub("GET", "/a", unavailable)
      let resource = retrying(harness) { $0.times = 2 }
      let recorder = resource.recorded()
      resource.load()
      harness.pass(10)
      #expect(harness.sent == ["GET a", "GET a", "GET a"])
      #expect(recorder.take() == ["requested L", "error E"])
      let error = resource.latestError
      #expect(error?.entity?.content.isEmptyBytes == false)
      #expect(error?.attempts.map(\.outcome) == [.status(503), .status(503), .status(503)])
      #expect(
        error?.description
          == "Service unavailable (GET https://api.test/v1/a → 503, after 3 attempts)")
    }
  }

  @Test func `ERR-14 an error is dated when the last attempt failed`() {
    withHarness { harness in
      harness.stub("GET", "/a", unavailable)
      let resource = retrying(harness) {
        $0.times = 1
        $0.backoff.hasJitter = false
      }
      resource.load()
      harness.pass(10)
      #expect(resource.latestError?.timestamp == 1000.5)
    }
  }

  @Test func `every attempt sends the same request, with the whole time-out`() {
    withHarness { harness in
      harness.stub("PUT", "/a", unavailable, unavailable, .text("x"))
      var mutations = 0
      harness.service.configure {
        $0.headers["x-a"] = "1"
        $0.limits.timeout = 7
        $0.mutateRequests { _ in mutations += 1 }
      }
      let resource = retrying(harness)
      resource.request("PUT", body: .text("body"))
      harness.pass(10)
      let requests = harness.provider.requests
      #expect(requests.count == 3)
      #expect(requests.allSatisfy { $0 == requests[0] })
      #expect(requests[0].limits.timeout == 7)
      #expect(requests[0].body == Array("body".utf8))
      #expect(mutations == 1, "MUT-08")
    }
  }

  @Test func `CFG-17 the policies are those of the final method`() {
    withHarness { harness in
      harness.stub("POST", "/a", unavailable, .text("x"))
      harness.service.configure(requestMethods: ["POST"]) {
        var policy = RetryPolicy()
        policy.isUnsafe = true
        $0.retry = policy
      }
      let request = harness.service.resource("/a").request("GET") { http in http.method = "POST" }
      harness.pass(10)
      #expect(request.attempts.count == 2)
    }
  }

  @Test func `a request without policies keeps no count and takes its networking as it is`() {
    withHarness { harness in
      harness.stub("GET", "/a", unavailable)
      harness.provider.holdsAnswers = true
      let request = harness.service.resource("/a").load()
      #expect((request as? NetworkRequest)?.transfer is PolicyExchange == false)
      harness.provider.release()
      harness.settle()
      #expect(request.attempts.isEmpty)
      #expect(request.response?.error?.attempts.isEmpty == true)
    }
  }

  @Test func `configuring no retry later switches it off`() {
    withHarness { harness in
      harness.stub("GET", "/a", unavailable)
      let resource = retrying(harness)
      harness.service.configure(.wildcard("/a", base: harness.service.baseURL)) { $0.retry = nil }
      resource.load()
      harness.pass(60)
      #expect(harness.sent == ["GET a"])
      #expect(resource.configuration.policies == nil)
    }
  }

  @Test func `the network log names each attempt, its delay, and why there is no further one`() {
    withHarness { harness in
      var lines: [String] = []
      harness.pump.log.enabled = [.network]
      defer { harness.pump.log.messageHandler = nil }
      harness.pump.log.messageHandler = { _, line in lines.append(line) }
      harness.stub("GET", "/a", unavailable, .failure(TransportError(.timeout, "slow")), .text("x"))
      harness.stub("POST", "/a", unavailable)
      let resource = retrying(harness)
      resource.load()
      harness.pass(10)
      resource.request("POST")
      harness.settle()
      #expect(
        lines.filter { $0.contains("/a") } == [
          "GET https://api.test/v1/a: attempt 1 of 4 failed (503), the next one in 0.25 s",
          "GET https://api.test/v1/a: attempt 2 of 4 failed (timeout), the next one in 0.50 s",
          "POST https://api.test/v1/a is not sent again: POST is not idempotent, and "
            + "retry.unsafe is not set",
        ])
    }
  }

  @Test func `a transformer's failure is not the network's: nothing is sent again`() {
    withHarness { harness in
      harness.stub("GET", "/a", .json("{"))
      let resource = retrying(harness)
      resource.load()
      harness.pass(60)
      #expect(harness.sent == ["GET a"])
      #expect(resource.latestError?.cause?.kind == "malformed_json")
      #expect(resource.latestError?.attempts.map(\.outcome) == [.status(200)])
    }
  }

  @Test func `REP-05 a repetition begins anew`() {
    withHarness { harness in
      harness.stub("GET", "/a", unavailable, .text("x"), unavailable, .text("y"))
      let resource = retrying(harness)
      let first = resource.load()
      harness.pass(10)
      let second = first.repeated().start()
      harness.pass(10)
      #expect([first.outcome, second.outcome] == ["x", "y"])
      #expect([first.attempts.count, second.attempts.count] == [2, 2])
    }
  }

  @Test func `PRG-25 PRG-26 progress passes through, and a new attempt does not set it back`() {
    withHarness { harness in
      harness.stub("GET", "/a", unavailable, .text("x"))
      harness.provider.holdsAnswers = true
      let resource = retrying(harness)
      harness.service.configure { $0.progressReportingInterval = 0.05 }
      var reports: [Double] = []
      let request = resource.load().onProgress { reports.append($0) }
      harness.provider.metrics = RequestTransferMetrics(
        responseBytesReceived: 500, responseBytesTotal: 1000)
      harness.clock.advance(by: 0.1)
      let half = request.progress
      #expect(half > 0.3 && half < 1)
      harness.provider.release()
      harness.provider.metrics = RequestTransferMetrics()
      harness.settle()
      #expect(request.progress == half, "between two attempts it stands still")
      harness.clock.advance(by: 0.3)
      #expect(harness.provider.heldCount == 1)
      #expect(request.progress == half)
      harness.provider.metrics = RequestTransferMetrics(
        responseBytesReceived: 900, responseBytesTotal: 1000)
      harness.clock.advance(by: 0.1)
      #expect(request.progress > half)
      harness.provider.release()
      harness.settle()
      #expect(reports == reports.sorted())
      #expect(reports.last == 1)
    }
  }
}
