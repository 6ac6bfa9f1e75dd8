import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct CustomRequestTests {
  @Test func `DEL-01 DEL-06 REP-11 prepared, then started once, however often asked`() {
    withHarness { harness in
      let journal = Journal()
      let delegate = SpyDelegate(journal)
      let request = Resource.prepareRequest(using: delegate)
      harness.settle()
      #expect(request.state == .notStarted)
      #expect(journal.take() == [])
      for _ in 1...3 { request.start() }
      #expect(request.state == .inProgress)
      delegate.report("x")
      request.start()
      harness.settle()
      #expect(journal.take() == ["start work"])
    }
  }

  @Test func `DEL-02 a delegate that never reports calls no hook, and keeps nothing alive`() {
    withHarness { harness, leakCheck in
      let journal = Journal()
      let delegate = leakCheck.watch(SpyDelegate(keepsHandler: false))
      let request = Resource.prepareRequest(using: delegate)
      request.onCompletion { _ in journal("hook") }.start()
      harness.advance(by: 1000)
      #expect(journal.take() == [])
      #expect(request.state == .inProgress)
    }
  }

  struct Report: CustomTestStringConvertible {
    let id: String
    let response: Response
    let hooks: [String]

    var testDescription: String { id }
  }

  static let reports = [
    Report(id: "a success", response: .success(.text("x")), hooks: ["x new"]),
    Report(
      id: "one that is not new", response: .success(.text("x"), isNew: false), hooks: ["x old"]),
    Report(id: "a failure", response: .failure(.failure()), hooks: ["KABOOM"]),
  ]

  @Test(arguments: reports, [false, true])
  func `DEL-03 hooks get exactly what is reported, untransformed, also from inside start`(
    report: Report, inside: Bool
  ) {
    withHarness { harness in
      harness.service.configure { $0.pipeline[.model].add(.appending(" transformed")) }
      let journal = Journal()
      let delegate = SpyDelegate()
      if inside { delegate.onStart = { $0.broadcastResponse(report.response) } }
      let request = Resource.prepareRequest(using: delegate)
      request.onSuccess { [unowned request] entity in
        journal("\(entity.text ?? "?") \(request.response?.isNew == true ? "new" : "old")")
      }.onFailure { journal($0.userMessage) }
      request.start()
      if !inside { delegate.handler?.broadcastResponse(report.response) }
      #expect(request.state == .completed)
      #expect(journal.take() == [], "HOOK-07")
      harness.settle()
      #expect(journal.take() == report.hooks)
      #expect(harness.provider.requests.isEmpty)
    }
  }

  @Test func `DEL-04 DEL-05 a second report is ignored, with a warning`() {
    withHarness { harness in
      let journal = Journal()
      harness.pump.log.enabled = [.network, .networkDetails]
      harness.pump.log.messageHandler = { journal("\($0.rawValue): \($1)") }
      let delegate = SpyDelegate()
      let request = Resource.prepareRequest(using: delegate).start()
      #expect(delegate.handler?.willIgnore == false)
      delegate.report("1")
      #expect(delegate.handler?.willIgnore == true)
      #expect(journal.take() == [])
      delegate.report("2")
      harness.settle()
      delegate.report("3")
      #expect(request.outcome == "1")
      #expect(
        journal.take()
          == Array(repeating: "network: warning: work: a second response was ignored", count: 2))
    }
  }

  @Test func `DEL-05 DEL-07 cancelling tells the delegate; what it reports then is a mere detail`()
  {
    withHarness { harness in
      let journal = Journal()
      harness.pump.log.enabled = [.network, .networkDetails]
      harness.pump.log.messageHandler = { journal("\($0.rawValue): \($1)") }
      let delegate = SpyDelegate(journal)
      let request = Resource.prepareRequest(using: delegate).start()
      request.cancel()
      request.cancel()
      #expect(journal.take() == ["start work", "cancel work"])
      #expect(delegate.handler?.willIgnore == true)
      delegate.report("late")
      harness.settle()
      #expect(request.causeKind == "request_cancelled")
      #expect(
        journal.take() == [
          "network_details: work: a response after its cancellation was ignored"
        ])
    }
  }

  @Test
  func `DEL-07 a delegate may report inside its cancellation, or cancel inside start, in vain`() {
    withHarness { harness in
      let request = Weak<Request>()
      let delegate = SpyDelegate()
      delegate.onStart = { handler in
        request.object?.cancel()
        handler.broadcastResponse(.success(.text("late")))
      }
      let made = Resource.prepareRequest(using: delegate)
      request.object = made
      made.start()
      harness.settle()
      #expect(made.causeKind == "request_cancelled")
      let reporting = ReportsWhenCancelled()
      let other = Resource.prepareRequest(using: reporting).start()
      other.cancel()
      harness.settle()
      #expect(other.causeKind == "request_cancelled")
    }
  }

  @Test func `CXL-06 cancelled before it is started, the delegate is never called`() {
    withHarness { harness in
      let journal = Journal()
      let request = Resource.prepareRequest(using: SpyDelegate(journal))
      request.cancel()
      request.start()
      harness.settle()
      #expect(journal.take() == [])
      #expect(request.causeKind == "request_cancelled")
    }
  }

  @Test func `DEL-08 without progress of its own a request is at 0 until it has completed`() {
    withHarness { harness in
      let delegate = PlainDelegate()
      let request = Resource.prepareRequest(using: delegate)
      var reports: [Double] = []
      request.onProgress { reports.append($0) }.start()
      harness.advance(by: 10)
      #expect(request.progress == 0)
      delegate.handler?.broadcastResponse(.success(.text("x")))
      #expect(request.progress == 1)
      harness.settle()
      #expect(reports == [1])
    }
  }

  @Test(arguments: [(-1.0, 0.0), (.nan, 0), (0.5, 0.5), (2, 1), (.infinity, 1)])
  func `progress is kept between 0 and 1`(given: Double, expected: Double) {
    withHarness { harness in
      let delegate = SpyDelegate()
      let request = Resource.prepareRequest(using: delegate).start()
      delegate.progress = given
      #expect(request.progress == expected)
      #expect(request.state == .inProgress, "PRG-30")
      request.cancel()
    }
  }

  @Test func `DEL-09 REP-01 to REP-03 a repeat has a delegate and a result of its own`() {
    withHarness { harness in
      let journal = Journal()
      let delegate = SpyDelegate(journal)
      delegate.onStart = { $0.broadcastResponse(.success(.text("1"))) }
      let request = Resource.prepareRequest(using: delegate).start()
      harness.settle()
      let repeated = request.repeated()
      harness.settle()
      #expect(repeated.state == .notStarted)
      #expect(journal.take() == ["start work"])
      repeated.start()
      #expect(journal.take() == ["start work'"])
      #expect([request.outcome, repeated.outcome] == ["1", "in_progress"])
      repeated.cancel()
      #expect(request.outcome == "1")
      #expect(journal.take() == ["cancel work'"])
    }
  }

  @Test func `DEL-09 by default the same delegate does it again`() {
    withHarness { harness in
      let delegate = PlainDelegate()
      let request = Resource.prepareRequest(using: delegate).start()
      delegate.handler?.broadcastResponse(.success(.text("1")))
      let repeated = request.repeated().start()
      delegate.handler?.broadcastResponse(.success(.text("2")))
      #expect([request.outcome, repeated.outcome] == ["1", "2"])
    }
  }

  @Test func `DEL-10 a report inside start leaves no timer, and progress stays 1`() {
    withHarness { harness in
      let delegate = SpyDelegate()
      delegate.progress = 0.5
      delegate.onStart = { $0.broadcastResponse(.success(.text("x"))) }
      var reports: [Double] = []
      let request = Resource.prepareRequest(using: delegate)
      request.onProgress { reports.append($0) }.start()
      #expect(harness.clock.activeTimerCount == 0)
      harness.advance(by: 1)
      #expect(reports == [1])
      #expect(request.progress == 1)
    }
  }

  @Test func `LOAD-37 DEL-03 load(using:) takes what the delegate reports as the resource's data`()
  {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let delegate = SpyDelegate()
      let request = resource.load(using: Resource.prepareRequest(using: delegate))
      harness.settle()
      #expect(recorder.take() == ["requested L"])
      request.start()
      delegate.report("x")
      harness.settle()
      #expect(recorder.take() == ["newData(network) D"])
      #expect(resource.text == "x")
    }
  }
}

/// A delegate that implements only what it must.
private final class PlainDelegate: RequestDelegate {
  private(set) var handler: RequestCompletionHandler?

  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler) {
    self.handler = handler
  }
}

private final class ReportsWhenCancelled: RequestDelegate {
  private var handler: RequestCompletionHandler?

  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler) {
    self.handler = handler
  }

  func cancelUnderlyingOperation() { handler?.broadcastResponse(.success(.text("late"))) }
}
