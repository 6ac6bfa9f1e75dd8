import LullCore
import LullTesting
import Testing

struct FixedRequestTests {
  @Test(
    "HW-01, HW-03 to HW-05: a failed request has failed from birth, and tells its hooks later, once"
  )
  func fails() {
    withHarness { harness in
      let journal = Journal()
      let resource = harness.service.resource("/a")
      let request = resource.failedRequest(returning: .failure("No"))
      #expect(request.state == .completed)
      #expect(request.progress == 1)
      request.onProgress { journal("progress \($0)") }
        .onSuccess { _ in journal("success") }
        .onFailure { journal("failure \($0.userMessage)") }
      request.cancel()
      #expect(journal.take() == [])
      harness.settle()
      #expect(journal.take() == ["progress 1.0", "failure No"])
      #expect(harness.provider.requests.isEmpty)
      #expect(resource.allRequests.isEmpty)
    }
  }

  @Test("HW-02: a hard-wired request brings its response, as new")
  func succeeds() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      let request = resource.hardWiredRequest(returning: .success(.text("x")))
      resource.load(using: request)
      #expect(resource.isLoading)
      harness.settle()
      #expect(resource.text == "x")
      #expect(request.response?.isNew == true)
    }
  }

  @Test("HW-07: a decorator keeps requests off the network with one")
  func standsInForRequests() {
    withHarness { harness in
      harness.service.configure("/private/**") { configuration in
        configuration.decorateRequests { (resource, _) throws(RequestError) in
          resource.failedRequest(returning: RequestError(userMessage: "Not allowed"))
        }
      }
      let resource = harness.service.resource("/private/a")
      resource.load()
      harness.settle()
      #expect(resource.latestError?.userMessage == "Not allowed")
      #expect(harness.provider.requests.isEmpty)
    }
  }
}
