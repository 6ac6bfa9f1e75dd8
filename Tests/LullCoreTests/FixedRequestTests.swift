import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct FixedRequestTests {
  @Test func `HW-01 a failed request is completed from birth and fails with that error`() {
    withHarness { harness in
      harness.service.configure { $0.pipeline[.model].add(.appending(" transformed")) }
      let journal = Journal()
      let request = Resource.failedRequest(returning: .failure("refused"))
      #expect(request.state == .completed)
      #expect(request.outcome == "refused")
      request.onFailure { journal("failure \($0.userMessage)") }
        .onSuccess { _ in journal("success") }
        .onCompletion { journal("completion \($0.isNew)") }
      #expect(journal.take() == [])
      harness.settle()
      #expect(journal.take() == ["failure refused", "completion true"])
      #expect(harness.provider.requests.isEmpty)
    }
  }

  @Test func `HW-02 a hard-wired request has any response, new, without network or pipeline`() {
    withHarness { harness in
      harness.service.configure { $0.pipeline[.model].add(.appending(" transformed")) }
      let journal = Journal()
      let resource = harness.service.resource("/a")
      let request = Resource.hardWiredRequest(returning: .success(.text("x")))
      #expect(request.state == .completed)
      request.onNewData { journal("newData \($0.text ?? "?")") }
        .onNotModified { journal("notModified") }
      harness.settle()
      #expect(journal.take() == ["newData x"])
      #expect(harness.provider.requests.isEmpty)
      #expect(!resource.isRequesting)
      #expect(resource.latestData == nil)
    }
  }

  @Test func `HW-03 each hook is called once, on a later turn, whenever it is added`() {
    withHarness { harness in
      let journal = Journal()
      let request = Resource.failedRequest(returning: .failure())
      request.onCompletion { _ in journal("early") }
      harness.pump.turn()
      #expect(journal.take() == ["early"])
      request.onCompletion { _ in journal("late") }
      #expect(journal.take() == [])
      harness.pump.turn()
      #expect(journal.take() == ["late"])
      harness.settle()
      #expect(journal.take() == [])
    }
  }

  @Test func `HW-04 PRG-28 progress is 1, and each progress hook gets a single 1, asynchronously`()
  {
    withHarness { harness in
      let request = Resource.failedRequest(returning: .failure())
      var reports: [Double] = []
      request.onProgress { reports.append($0) }
      #expect(request.progress == 1)
      #expect(reports == [])
      harness.settle()
      #expect(reports == [1])
      request.onProgress { reports.append($0 + 1) }
      #expect(reports == [1])
      harness.advance(by: 1)
      #expect(reports == [1, 2])
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test func `HW-05 cancelling has no effect`() {
    withHarness { harness in
      let journal = Journal()
      let request = Resource.hardWiredRequest(
        returning: .success(.text("x")))
      request.onCompletion { _ in journal(request.outcome) }
      request.cancel()
      #expect(request.outcome == "x")
      harness.settle()
      #expect(journal.take() == ["x"])
    }
  }

  @Test func `HW-06 a chain around it starts at once, even if it is added before hooks are called`()
  {
    withHarness { harness in
      let request = Resource.failedRequest(returning: .failure())
      let chain = request.chained { _ in .useResponse(.success(.text("rescued"))) }
      #expect(chain.state == .inProgress)
      harness.settle()
      #expect(chain.outcome == "rescued")
    }
  }

  @Test func `REP-10 REP-11 repeating gives itself, starting does nothing`() {
    withHarness { harness in
      let journal = Journal()
      let request = Resource.failedRequest(returning: .failure())
      request.onCompletion { _ in journal("hook") }
      #expect(request.repeated() === request)
      request.start()
      harness.settle()
      #expect(journal.take() == ["hook"])
    }
  }

  @Test func `HW-07 a decorator fails requests to disallowed hosts without network`() {
    withHarness { harness in
      harness.service.configure {
        $0.decorateRequests { (resource, request) throws(RequestError) in
          resource.url.text.hasPrefix("https://api.test/")
            ? request : Resource.failedRequest(returning: .failure("disallowed host"))
        }
      }
      harness.stub("GET", "/a", .text("x"))
      let (allowed, other) = (
        harness.service.resource("/a"),
        harness.service.resource(absoluteURL: "https://evil.test/a")
      )
      let recorder = other.recorded()
      let requests = [allowed.load(), other.load()]
      harness.settle()
      #expect(requests.map(\.outcome) == ["x", "disallowed host"])
      #expect(recorder.take() == ["requested L", "error E"])
      #expect(harness.sent == ["GET a"])
    }
  }

  @Test func `LOAD-36 load(using:) applies it, one turn later`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load(using: Resource.hardWiredRequest(returning: .success(.text("x"))))
      #expect(recorder.take() == ["requested L"])
      harness.settle()
      #expect(recorder.take() == ["newData(network) D"])
      #expect(resource.text == "x")
    }
  }
}
