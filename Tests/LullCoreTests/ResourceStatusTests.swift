import LullCore
import LullTestSupport
import LullTesting
import Testing

/// The combined state of several resources.
@Suite(.timeLimit(.minutes(20)))
struct ResourceStatusTests {
  @Test func `STA-120 STA-121 the first rule decides, and what failed is loaded again`() {
    withHarness { harness in
      harness.stub("GET", "/good", .text("x"))
      harness.stub("GET", "/bad", .bytes([], type: "text/plain", status: 500))
      let good = harness.service.resource("/good")
      let bad = harness.service.resource("/bad")
      var status = ResourceStatus([good, bad])
      #expect(status.state == .none)
      good.load()
      bad.load()
      #expect(status.state == .loading)
      harness.settle()
      #expect(status.state == .error)
      #expect(status.latestError?.httpStatusCode == 500)
      #expect(status.failedResources.count == 1)
      status.displayPriority = [.anyData, .error]
      #expect(status.state == .success)
      status.displayPriority = [.allData]
      #expect(status.state == .none)
      #expect(status.retryFailedRequests().count == 1)
      #expect(bad.isLoading)
      #expect(!good.isLoading)
      harness.settle()
    }
  }
}
