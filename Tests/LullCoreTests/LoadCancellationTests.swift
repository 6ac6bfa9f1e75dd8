import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct LoadCancellationTests {
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
        #expect(error.httpStatusCode == nil)
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
      harness.provider.releaseCancelled()
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

  @Test func `CXL-08 an answer with the error of another, cancelled request is a failure by that`()
  {
    withHarness { harness in
      let network = ErrorNetwork()
      let service = Service(
        baseURL: "https://api.test", networking: network, pump: harness.pump)
      let resource = service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.load()
      harness.settle()
      #expect(recorder.take() == ["requested L", "error E"])
      let error = resource.latestError
      #expect(error?.userMessage == "Request cancelled")
      #expect(error?.cause?.kind == "request_cancelled")
      guard case .custom(let cause as RequestError) = error?.cause else {
        Issue.record("the cause is not the other error")
        return
      }
      #expect(cause.url == "https://api.test/other")
      #expect(load.response?.isCancellation == false)
    }
  }

  @Test func `CXL-08 a transformer's failure by the error of a cancelled request is a failure`() {
    withHarness { harness in
      harness.service.configure {
        $0.pipeline[.model].add(
          FunctionTransformer(description: "fails") { _ in
            .failure(.cancelled(at: 5))
          })
      }
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load()
      harness.settle()
      #expect(recorder.take() == ["requested L", "error E"])
      let fixed = Resource.failedRequest(returning: .cancelled(at: 5))
      resource.load(using: fixed)
      harness.settle()
      #expect(recorder.take() == ["requested L E", "error E"])
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

/// Answers with the error of a request that is not the one it was asked for.
private final class ErrorNetwork: NetworkingProvider {
  func startRequest(_ request: HTTPRequest, completion: NetworkCompletion) -> any RequestNetworking
  {
    var error = RequestError.cancelled(at: 1)
    error.url = "https://api.test/other"
    var result = NetworkResult(error: TransportError(.network, error.userMessage))
    result.requestError = error
    completion(result)
    return Transfer()
  }

  private final class Transfer: RequestNetworking {
    let transferMetrics = RequestTransferMetrics()
    func cancel() {}
  }
}
