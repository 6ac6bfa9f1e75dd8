import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResourceLoadingTests {
  // MARK: load

  @Test func `STA-01 a new resource is blank and idle`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      #expect(resource.latestData == nil)
      #expect(resource.latestError == nil)
      #expect(!resource.isLoading)
      #expect(!resource.isRequesting)
      #expect(resource.allRequests.isEmpty)
      #expect(resource.loadRequests.isEmpty)
    }
  }

  struct Outcome: CustomTestStringConvertible {
    let id: String
    let answer: StubProvider.Answer
    var isFirst = true
    let event: String

    var testDescription: String { id }
  }

  static let outcomes = [
    Outcome(
      id: "STA-05, OBS-03: success", answer: .text("new"), event: "newData(network) D"),
    Outcome(
      id: "STA-06, OBS-08: 500", answer: .init(status: 500), event: "error E"),
    Outcome(
      id: "LOAD-08: no connection", answer: .failure(TransportError(.connection, "refused")),
      event: "error E"),
    Outcome(id: "NM-02, OBS-06: 304 without data", answer: .init(status: 304), event: "error E"),
    Outcome(
      id: "OBS-03: success again", answer: .text("new"), isFirst: false,
      event: "newData(network) D"),
    Outcome(
      id: "LOAD-12: failure after success", answer: .init(status: 500), isFirst: false,
      event: "error D E"),
    Outcome(
      id: "NM-05, OBS-05: 304 with data", answer: .init(status: 304), isFirst: false,
      event: "notModified D"),
  ]

  @Test(arguments: outcomes)
  func `LOAD-02 a load sends requested during the call and later one event`(row: Outcome) {
    withHarness { harness in
      let resource = row.isFirst ? harness.service.resource("/a") : harness.loaded("/a")
      harness.stub("GET", "/a", row.answer)
      let recorder = resource.recorded()
      let request = resource.load()
      let data = row.isFirst ? "" : " D"
      #expect(recorder.take() == ["requested L\(data)"])
      #expect(resource.isLoading, "STA-04")
      #expect(resource.allRequests.map { $0 === request } == [true])
      #expect(resource.loadRequests.map { $0 === request } == [true])
      harness.settle()
      #expect(recorder.take() == [row.event])
      #expect(!resource.isLoading)
      #expect(!resource.isRequesting)
      #expect(resource.allRequests.isEmpty)
    }
  }

  @Test func `LOAD-01 a load always goes to the network`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      resource.load()
      resource.load()
      #expect(harness.provider.requests.map(\.method) == ["GET", "GET", "GET"])
    }
  }

  @Test func `STA-09 data, error and loading are independent of each other`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .text("old"))
      harness.stub("GET", "/a", .init(status: 404), .text("new"))
      resource.load()
      harness.settle()
      resource.load()
      #expect(resource.isLoading)
      #expect(resource.latestError?.httpStatusCode == 404)
      #expect(resource.text == "old")
      #expect(resource.shortDescription == "/a [LDE]", "STA-16")
      harness.settle()
      #expect(resource.text == "new")
      #expect(resource.latestError == nil, "STA-07")
      #expect(resource.shortDescription == "/a [D]")
    }
  }

  @Test func `STA-10 is_loading stays until the last of several loads has ended`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("1"), .text("2"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load()
      resource.load()
      harness.provider.release()
      harness.settle()
      harness.provider.release()
      harness.settle()
      #expect(
        recorder.take() == [
          "requested L", "requested L", "newData(network) L D",
          "newData(network) D",
        ])
      #expect(resource.text == "2")
    }
  }

  @Test func `LOAD-06 a new answer replaces content, type and etag`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .json("1", etag: "\"1\""))
      #expect(resource.latestData?.etag == "\"1\"")
      harness.stub("GET", "/a", .text("new"))
      resource.load()
      harness.settle()
      #expect(resource.text == "new")
      #expect(resource.latestData?.etag == nil)
      #expect(resource.latestData?.contentType == "text/plain; charset=utf-8", "LOAD-05")
    }
  }

  @Test func `LOAD-07 NM-06 NM-09 a 304 keeps the data, clears the error and is of now`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .json("[1]", etag: "\"1\""))
      let content = resource.latestData?.content
      harness.stub(
        "GET", "/a", .init(status: 500), .init(status: 304, headers: [("ETag", "\"2\"")]))
      resource.load()
      harness.settle()
      #expect(resource.latestError != nil)
      harness.clock.advance(by: 100)
      resource.load()
      harness.settle()
      #expect(resource.latestError == nil)
      #expect(resource.latestData?.etag == "\"1\"")
      #expect(resource.latestData?.contentType == "application/json")
      #expect(resource.timestamp == 1100)
      guard case .json(let old) = content, case .json(let new) = resource.latestData?.content
      else {
        Issue.record("not JSON")
        return
      }
      #expect(old === new, "NM-03: not parsed again")
    }
  }

  @Test func `NM-07 a 304 on a plain request leaves the resource's age alone`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.stub("GET", "/a", .init(status: 304))
      let recorder = resource.recorded()
      harness.clock.advance(by: 100)
      let journal = Journal()
      resource.request("GET").onNotModified { journal("not modified") }
        .onSuccess { journal($0.text ?? "?") }
      harness.settle()
      #expect(journal.take() == ["not modified", "data"])
      #expect(resource.timestamp == 1000)
      #expect(recorder.take() == [])
    }
  }

  @Test func `NM-02 NM-08 304 without data fails, and passes the pipeline like any error`() {
    withHarness { harness in
      harness.stub("GET", "/a", .init(status: 304))
      let resource = harness.service.resource("/a")
      let journal = Journal()
      harness.service.configure { configuration in
        configuration.pipeline[.cleanup].add(
          FunctionTransformer(description: "spy") { response in
            journal(response.error?.cause?.kind ?? "?")
            return response
          })
      }
      resource.load()
      harness.settle()
      #expect(journal.take() == ["no_local_data_for_304"])
      #expect(resource.latestError?.userMessage == "No data available")
      #expect(resource.latestError?.httpStatusCode == nil)
    }
  }

  // MARK: Conditional requests

  @Test func `LOAD-03 LOAD-04 loads carry validators, which mutations see and repeats renew`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .json("1", etag: "\"1\""))
      let journal = Journal()
      harness.service.configure { configuration in
        configuration.headers["If-None-Match"] = "configured"
        configuration.mutateRequests { (http) throws(RequestError) in
          journal(http.headers["if-none-match"] ?? "-")
        }
      }
      harness.stub("GET", "/a", .json("2", etag: "\"2\""))
      let request = resource.load()
      harness.settle()
      let repeated = request.repeated().start()
      harness.settle()
      #expect(repeated.isCompleted)
      #expect(journal.take() == ["\"1\"", "\"2\""])
      #expect(
        harness.provider.requests.map { $0.headers["if-none-match"] }
          == [nil, "\"1\"", "\"2\""])
    }
  }

  @Test func `LOAD-03 plain requests carry none`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .json("1", etag: "\"1\""))
      resource.request("GET")
      #expect(harness.provider.requests.last?.headers.isEmpty == true)
    }
  }

  // MARK: loadIfNeeded

  @Test func `LOAD-15 LOAD-27 loads what was never loaded, and returns nil when it is up to date`()
  {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      #expect(resource.loadIfNeeded() != nil)
      #expect(resource.isLoading)
      harness.settle()
      #expect(resource.loadIfNeeded() == nil)
      harness.clock.advance(by: 10)
      #expect(resource.loadIfNeeded() == nil, "LOAD-18")
      #expect(!resource.isLoading)
      harness.clock.advance(by: 21)
      #expect(resource.loadIfNeeded() != nil, "LOAD-20")
      #expect(resource.isLoading)
    }
  }

  @Test func `LOAD-16 LOAD-28 LOAD-31 a load in flight is returned, whatever the data's age`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.provider.holdsAnswers = true
      let first = resource.load()
      let second = resource.load()
      for _ in 1...3 { #expect(resource.loadIfNeeded() === first) }
      first.cancel()
      #expect(resource.loadIfNeeded() === second)
      #expect(harness.provider.requests.count == 3)
    }
  }

  @Test func `LOAD-17 plain requests do not count`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let request = resource.request("GET")
      #expect(resource.loadIfNeeded() !== request)
      #expect(resource.loadRequests.count == 1)
      #expect(resource.allRequests.count == 2)
    }
  }

  @Test func `LOAD-30 a load cancelled in the same turn is not returned`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let cancelled = resource.loadIfNeeded()
      cancelled?.cancel()
      let next = resource.loadIfNeeded()
      #expect(next != nil)
      #expect(next !== cancelled)
      harness.provider.holdsAnswers = true
      harness.settle()
      #expect(
        recorder.take() == [
          "requested L", "requested L", "requestCancelled L", "newData(network) D",
        ], "CXL-10")
    }
  }

  @Test func `LOAD-22 LOAD-23 an error is retried after retry_time only`() {
    withHarness { harness in
      harness.stub("GET", "/a", .init(status: 500))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      harness.clock.advance(by: 1)
      #expect(resource.loadIfNeeded() == nil)
      harness.clock.advance(by: 0.1)
      #expect(resource.loadIfNeeded() != nil)
    }
  }

  // MARK: Plain requests

  @Test func `STA-02 STA-03 OBS-09 plain requests are listed in order and change nothing`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.stub("POST", "/a", .text("1"), .init(status: 500))
      harness.provider.holdsAnswers = true
      let recorder = resource.recorded()
      let first = resource.request("POST")
      let second = resource.request("POST")
      #expect(resource.isRequesting)
      #expect(!resource.isLoading)
      #expect(resource.allRequests.map { $0 === first } == [true, false])
      harness.provider.release()
      harness.settle()
      #expect(resource.allRequests.map { $0 === second } == [true])
      harness.provider.release()
      harness.settle()
      #expect(!resource.isRequesting)
      #expect(resource.text == "data")
      #expect(resource.latestError == nil)
      #expect(recorder.take() == [])
    }
  }
}
