import LullCore
import LullTesting
import Testing

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
      #expect(resource.latestError?.httpStatus == 404)
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

  @Test func `STA-11 an answer that was overtaken changes nothing; its own hooks get it`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("early"), .text("late"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let journal = Journal()
      resource.load().onSuccess { journal($0.text ?? "?") }
      resource.load().onSuccess { journal($0.text ?? "?") }
      harness.provider.release(1)
      harness.settle()
      harness.provider.release()
      harness.settle()
      #expect(
        recorder.take() == [
          "requested L", "requested L", "newData(network) L D", "notModified D",
        ])
      #expect(journal.take() == ["late", "early"])
      #expect(resource.text == "late")
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
      #expect(resource.latestError?.httpStatus == nil)
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

  // MARK: load(using:)

  @Test func `LOAD-32 LOAD-33 LOAD-35 another method's answer becomes the data`() {
    withHarness { harness in
      harness.stub("POST", "/a", .text("posted"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let request = resource.request("POST")
      #expect(resource.load(using: request) === request)
      #expect(resource.loadRequests.map { $0 === request } == [true])
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      #expect(resource.text == "posted")
    }
  }

  @Test func `LOAD-34 LOAD-39 a foreign request's result becomes this resource's only`() {
    withHarness { harness in
      let other = harness.loaded("/b", .text("other's"))
      harness.stub("POST", "/b", .text("new"))
      harness.stub("GET", "/b", .init(status: 304))
      let resource = harness.service.resource("/a")
      resource.load(using: other.request("POST"))
      #expect(!other.isLoading)
      harness.settle()
      #expect(resource.text == "new")
      #expect(other.text == "other's")
      let journal = Journal()
      resource.load(using: other.request("GET")).onSuccess { journal($0.text ?? "?") }
      harness.settle()
      #expect(journal.take() == ["other's"])
      #expect(resource.text == "new")
    }
  }

  @Test func `LOAD-36 a completed request is applied one turn later`() {
    withHarness { harness in
      harness.stub("POST", "/a", .text("posted"))
      let resource = harness.service.resource("/a")
      let request = resource.request("POST")
      harness.settle()
      let recorder = resource.recorded()
      resource.load(using: request)
      #expect(recorder.take() == ["requested L"])
      harness.pump.turn()
      #expect(recorder.take() == ["newData(network) D"])
    }
  }

  @Test func `LOAD-37 a request not started loads until somebody starts and finishes it`() {
    withHarness { harness in
      harness.stub("POST", "/a", .text("posted"))
      let resource = harness.service.resource("/a")
      let request = resource.request("POST").repeated()
      harness.settle()
      resource.load(using: request)
      harness.settle()
      #expect(resource.isLoading)
      #expect(request.state == .notStarted)
      request.start()
      harness.settle()
      #expect(!resource.isLoading)
      #expect(resource.text == "posted")
    }
  }

  @Test func `LOAD-38 a request that could not be sent becomes the error`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let body = RequestBody.text("\u{3042}", encoding: "iso-8859-1")
      resource.load(using: resource.request("POST", body: body))
      harness.settle()
      #expect(resource.latestError?.userMessage == "Cannot send request")
      #expect(resource.latestError?.httpStatus == nil)
    }
  }

  @Test func `STA-14 HOOK-13 OBS-42 what happens at completion happens in this order`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let journal = Journal()
      let resource = harness.service.resource("/a")
      func state(_ resource: Resource) -> String {
        let lists = "\(resource.allRequests.count)\(resource.loadRequests.count)"
        return lists + (resource.latestData == nil ? "" : " D")
      }
      harness.service.configure { configuration in
        configuration.decorateRequests { (resource, request) throws(RequestError) in
          request.onCompletion { _ in journal("decorator's hook \(state(resource))") }
        }
      }
      let recorder = resource.recorded(progress: true)
      recorder.onEvent = { resource, event in journal("\(event) \(state(resource))") }
      let request = resource.request("GET")
      request.onCompletion { _ in journal("hook before load_using \(state(resource))") }
      request.onProgress { journal("progress \($0)") }
      resource.load(using: request)
      request.onCompletion { _ in journal("hook on the load \(state(resource))") }
      harness.settle()
      #expect(
        journal.take() == [
          "requested 11", "progress 1.0", "decorator's hook 11", "hook before load_using 00",
          "newData(network) 00 D", "hook on the load 00 D",
        ])
      #expect(recorder.take() == ["requested L", "progress 1.0", "newData(network) D"])
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

  // MARK: Cancelling

  @Test func `CXL-01 to CXL-03 CXL-07 CXL-10 to CXL-13 LOAD-13 cancelling a load`() {
    withHarness { harness in
      let resource = harness.loaded("/a")
      harness.provider.holdsAnswers = true
      resource.invalidate()
      let recorder = resource.recorded()
      let journal = Journal()
      let request = resource.load()
      request.onCompletion { journal("completion \($0.isSuccess)") }
      request.onFailure { error in
        journal("\(error.userMessage), \(error.cause?.kind ?? "")")
        #expect(error.httpStatus == nil)
        #expect(error.entity == nil)
      }
      request.cancel()
      #expect(request.state == .completed)
      #expect(request.progress == 1)
      #expect(!resource.isLoading, "STA-13")
      #expect(!resource.isRequesting)
      #expect(harness.provider.cancelledCount == 1)
      #expect(recorder.take() == ["requested L D"])
      #expect(journal.take() == [], "HOOK-07")
      request.cancel()
      harness.provider.release()
      harness.settle()
      #expect(recorder.take() == ["requestCancelled D"])
      #expect(journal.take() == ["completion false", "Request cancelled, request_cancelled"])
      #expect(resource.latestError == nil)
      #expect(resource.text == "data")
      #expect(!resource.isUpToDate, "INV-04")
      #expect(harness.provider.cancelledCount == 1, "CXL-12")
    }
  }

  @Test func `CXL-04 CXL-05 what has completed is not cancelled`() {
    withHarness { harness in
      harness.stub("GET", "/a", .text("x"))
      let journal = Journal()
      let resource = harness.service.resource("/a")
      let succeeded = resource.request("GET")
      harness.pump.turn()
      succeeded.cancel()
      succeeded.onSuccess { journal($0.text ?? "?") }
      let failed = resource.request(
        "POST", body: .text("\u{3042}", encoding: "iso-8859-1"))
      failed.cancel()
      failed.onFailure { journal($0.cause?.kind ?? "?") }
      harness.settle()
      #expect(Set(journal.take()) == ["x", "unencodable_text"])
    }
  }

  @Test func `CXL-06 a request cancelled before its start never starts`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let request = resource.request("GET").repeated()
      request.cancel()
      #expect(request.start().state == .completed)
      harness.settle()
      #expect(request.response?.isCancellation == true)
      #expect(harness.provider.requests.count == 1)
    }
  }

  @Test func `CXL-08 a provider's own cancellation is an ordinary failure`() {
    withHarness { harness in
      harness.stub("GET", "/a", .failure(TransportError(.cancelled, "aborted")))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load()
      harness.settle()
      #expect(recorder.take() == ["requested L", "error E"])
      #expect(resource.latestError?.userMessage == "aborted")
    }
  }

  @Test func `CXL-07 a request that its provider's start cancels has its transfer cancelled`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      harness.provider.onStart = { _ in resource.allRequests.first?.cancel() }
      let request = resource.load()
      harness.provider.onStart = nil
      #expect(request.isCompleted)
      #expect(harness.provider.cancelledCount == 1)
      harness.settle()
      #expect(request.response?.isCancellation == true)
    }
  }

  // MARK: cancelLoadIfUnobserved

  @Test func `CAN-01 to CAN-04 loads nobody observes are cancelled, other requests are not`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/a")
      var owner: Owner? = Owner()
      if let owner { resource.addObserver(owner: owner) { _, _ in } }
      let plain = resource.request("POST")
      let loads = [resource.load(), resource.load()]
      resource.cancelLoadIfUnobserved()
      #expect(loads.allSatisfy { !$0.isCompleted }, "CAN-02")
      owner = nil
      resource.cancelLoadIfUnobserved()
      #expect(loads.allSatisfy { $0.isCompleted })
      #expect(!plain.isCompleted)
    }
  }

  @Test(arguments: [(false, false, true), (true, false, true), (false, true, false)])
  func `CAN-05 to CAN-09 the delayed form looks when the delay is over`(
    observedFirst: Bool, observedThen: Bool, isCancelled: Bool
  ) {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/a")
      let owner = Owner()
      let request = resource.load()
      let journal = Journal()
      if observedFirst { resource.addObserver(owner: owner) { _, _ in } }
      resource.cancelLoadIfUnobserved(afterDelay: 2) { journal("\(request.isCompleted)") }
      if observedFirst { resource.removeObservers(ownedBy: owner) }
      if observedThen { resource.addObserver(owner: owner) { _, _ in } }
      harness.clock.advance(by: 1.9)
      #expect(!request.isCompleted)
      #expect(journal.take() == [])
      harness.clock.advance(by: 0.1)
      #expect(journal.take() == ["\(isCancelled)"])
    }
  }

  @Test func `CAN-10 the delay keeps the resource alive`() {
    withHarness { harness in
      weak var resource: Resource?
      func begin() {
        let made = harness.service.resource("/a")
        resource = made
        made.cancelLoadIfUnobserved(afterDelay: 2)
      }
      begin()
      #expect(resource != nil)
      harness.clock.advance(by: 2)
      #expect(resource == nil)
    }
  }
}
