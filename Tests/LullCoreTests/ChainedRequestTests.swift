import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ChainedRequestTests {
  /// `/a` answers 1, then 2; `/b` answers b; `/missing` 404.
  private func stub(_ harness: Harness) {
    harness.stub("GET", "/a", .text("1"), .text("2"))
    harness.stub("GET", "/b", .text("b"))
    harness.stub("GET", "/missing", .init(status: 404))
  }

  // MARK: Actions

  struct Row: CustomTestStringConvertible {
    let id: String
    var path = "/a"
    let outcome: String
    let sent: [String]
    let decide: @Sendable (Request, Resource, Response) -> RequestChainAction

    var testDescription: String { id }
  }

  static let rows = [
    Row(id: "CHN-01: use this success", outcome: "1", sent: ["GET a"]) { _, _, _ in
      .useThisResponse
    },
    Row(
      id: "CHN-01: use this failure", path: "/missing", outcome: "Not found", sent: ["GET missing"]
    ) { _, _, _ in .useThisResponse },
    Row(id: "CHN-02: use another", outcome: "made", sent: ["GET a"]) { _, _, _ in
      .useResponse(.success(.text("made")))
    },
    Row(id: "CHN-02: use another that is not new", outcome: "made (not new)", sent: ["GET a"]) {
      _, _, _ in .useResponse(.success(.text("made"), isNew: false))
    },
    Row(id: "CHN-02: turn success into failure", outcome: "KABOOM", sent: ["GET a"]) { _, _, _ in
      .useResponse(.failure(.failure()))
    },
    Row(id: "CHN-03: pass to another", outcome: "b", sent: ["GET a", "GET b"]) { _, other, _ in
      .passTo(other.request("GET"))
    },
    Row(id: "CHN-04, CHN-05: pass to the repeated", outcome: "2", sent: ["GET a", "GET a"]) {
      request, _, _ in .passTo(request.repeated())
    },
    Row(id: "CHN-06: pass to a completed one", outcome: "KABOOM", sent: ["GET a"]) { _, other, _ in
      .passTo(Resource.failedRequest(returning: .failure()))
    },
    Row(id: "CHN-06: pass to the wrapped one", outcome: "1", sent: ["GET a"]) { request, _, _ in
      .passTo(request)
    },
  ]

  @Test(arguments: rows)
  func `a chain does as its function says, called once; the original keeps its own`(row: Row) {
    withHarness { harness in
      stub(harness)
      let other = harness.service.resource("/b")
      let request = harness.service.resource(row.path).request("GET")
      let own = row.path == "/a" ? "1" : "Not found"
      var calls: [String] = []
      let chain = request.chained { response in
        calls.append(request.outcome)
        return row.decide(request, other, response)
      }
      let journal = Journal()
      request.onCompletion { _ in journal("original \(request.outcome)") }
      chain.onCompletion { _ in journal("chain \(chain.outcome)") }
      #expect(chain !== request, "CHN-08")
      #expect(chain.state == .inProgress, "CHN-07, CHN-09")
      harness.settle()
      #expect(calls == [own], "CHN-10")
      #expect(journal.take() == ["original \(own)", "chain \(row.outcome)"], "CHN-08")
      #expect(harness.sent == row.sent)
      #expect(chain.progress == 1)
    }
  }

  @Test func `CHN-01 a chain passes on that a response is not new`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.stub("GET", "/a", .init(status: 304))
      let journal = Journal()
      resource.request("GET").chained { _ in .useThisResponse }
        .onNewData { _ in journal("newData") }.onNotModified { journal("notModified") }
      harness.settle()
      #expect(journal.take() == ["notModified"])
    }
  }

  @Test func `CHN-07 a chain is in progress until the request it passed to has completed`() {
    withHarness { harness in
      stub(harness)
      harness.provider.holdsAnswers = true
      let other = harness.service.resource("/b")
      let request = harness.service.resource("/a").request("GET")
      let chain = request.chained { _ in .passTo(other.request("GET")) }
      harness.settle()
      #expect([request.state, chain.state] == [.inProgress, .inProgress])
      harness.provider.release()
      harness.settle()
      #expect([request.state, chain.state] == [.completed, .inProgress])
      harness.provider.release()
      harness.settle()
      #expect(chain.outcome == "b")
    }
  }

  // MARK: Starting

  @Test func `CHN-09 a chain around a request that has not started waits, and starts it`() {
    withHarness { harness in
      stub(harness)
      let waiting = harness.service.resource("/a").request("GET").repeated()
      harness.settle()
      let chain = waiting.chained { _ in .useThisResponse }
      let outer = chain.chained { _ in .useThisResponse }
      harness.settle()
      #expect([waiting.state, chain.state, outer.state] == Array(repeating: .notStarted, count: 3))
      #expect(harness.sent == ["GET a"])
      outer.start()
      #expect([waiting.state, chain.state, outer.state] == Array(repeating: .inProgress, count: 3))
      harness.settle()
      #expect(outer.outcome == "2")
    }
  }

  @Test func `CHN-09 PRG-02 starting the wrapped request alone does not start the chain`() {
    withHarness { harness in
      let delegate = SpyDelegate()
      delegate.progress = 0.5
      let wrapped = Resource.prepareRequest(using: delegate)
      let chain = wrapped.chained { _ in .useThisResponse }
      #expect(wrapped.progress == 0, "PRG-02")
      wrapped.start()
      #expect(chain.state == .notStarted)
      #expect([wrapped.progress, chain.progress] == [0.5, 0])
      delegate.report("x")
      harness.settle()
      #expect(chain.state == .notStarted)
      chain.start()
      harness.settle()
      #expect(chain.outcome == "x")
    }
  }

  @Test func `CHN-09 HW-06 a chain around a completed request starts by itself`() {
    withHarness { harness in
      let fixed = Resource.hardWiredRequest(returning: .success(.text("x")))
      let early = fixed.chained { _ in .useThisResponse }
      #expect(early.state == .inProgress)
      harness.settle()
      let late = fixed.chained { _ in .useThisResponse }
      #expect(late.state == .inProgress)
      harness.settle()
      #expect([early.outcome, late.outcome] == ["x", "x"])
    }
  }

  // MARK: Repeating

  @Test func `CHN-15 CHN-16 a repeated chain decides anew, and each keeps its own result`() {
    withHarness { harness in
      stub(harness)
      var calls = 0
      let chain = harness.service.resource("/a").request("GET").chained { response in
        calls += 1
        return .useResponse(.success(.text("\(response.entity?.text ?? "?"), call \(calls)")))
      }
      harness.settle()
      let repeated = chain.repeated()
      harness.settle()
      #expect(repeated.state == .notStarted)
      #expect(calls == 1)
      repeated.start()
      harness.settle()
      #expect([chain.outcome, repeated.outcome] == ["1, call 1", "2, call 2"])
    }
  }

  @Test func `CHN-17 repeating the inner chain runs its function, not that of the outer`() {
    withHarness { harness in
      stub(harness)
      let journal = Journal()
      let inner = harness.service.resource("/a").request("GET").chained { _ in
        journal("inner")
        return .useThisResponse
      }
      let outer = inner.chained { _ in
        journal("outer")
        return .useThisResponse
      }
      harness.settle()
      #expect(journal.take() == ["inner", "outer"])
      inner.repeated().start()
      harness.settle()
      #expect(journal.take() == ["inner"])
      let both = outer.repeated().start()
      harness.settle()
      #expect(journal.take() == ["inner", "outer"])
      #expect([outer.outcome, both.outcome] == ["1", "2"])
    }
  }

  @Test func `CHN-19 a chain in a chain behaves as one request`() {
    withHarness { harness in
      harness.stub("GET", "/a", .init(status: 401), .text("secret"))
      harness.stub("POST", "/token", .text("new"))
      harness.service.configure("/a") {
        $0.decorateRequests { (resource, request) throws(RequestError) in
          let token = resource.service.resource("/token")
          return request.chained { response in
            guard response.error?.httpStatusCode == 401 else { return .useThisResponse }
            return .passTo(
              token.request("POST").chained { response in
                response.isSuccess ? .passTo(request.repeated()) : .useThisResponse
              })
          }
        }
      }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      harness.settle()
      #expect(load.outcome == "secret")
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      #expect(harness.sent == ["GET a", "POST token", "GET a"])
      #expect(!resource.isRequesting)
    }
  }

  // MARK: Progress

  @Test func `CHN-18 PRG-25 PRG-26 progress is that of the part that runs, and 1 at the end`() {
    withHarness { harness in
      let (first, second) = (SpyDelegate(), SpyDelegate())
      let next = Resource.prepareRequest(using: second)
      let chain = Resource.prepareRequest(using: first).start().chained { _ in .passTo(next) }
      var reports: [Double] = []
      chain.onProgress { reports.append($0) }.onCompletion { _ in reports.append(-1) }
      for progress in [0.25, 0.5, 0.5, 0.4] {
        first.progress = progress
        harness.advance(by: 0.05)
      }
      #expect(chain.progress == 0.4, "the value itself is the part's own")
      first.report("1")
      second.progress = 0.125
      harness.settle()
      #expect(chain.progress == 0.125)
      harness.advance(by: 0.05)
      second.progress = 0.75
      harness.advance(by: 0.05)
      second.report("2")
      #expect(chain.state == .inProgress)
      harness.settle()
      #expect(reports == [0.25, 0.5, 0.4, 0.125, 0.75, 1, -1])
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test func `CHN-18 PRG-29 observers of a load hear the progress of the chain's parts`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let (first, second) = (SpyDelegate(), SpyDelegate())
      let next = Resource.prepareRequest(using: second)
      let recorder = resource.recorded(progress: true)
      resource.load(
        using: Resource.prepareRequest(using: first).start().chained { _ in .passTo(next) })
      first.progress = 0.5
      harness.advance(by: 0.05)
      first.report("1")
      harness.settle()
      second.progress = 0.25
      harness.advance(by: 0.05)
      second.report("2")
      harness.settle()
      #expect(
        recorder.take() == [
          "requested L", "progress 0.5", "progress 0.25", "progress 1.0", "newData(network) D",
        ])
    }
  }
}
