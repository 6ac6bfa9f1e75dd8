import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ProgressReportingTests {
  private func held(_ harness: Harness) -> Resource {
    harness.provider.holdsAnswers = true
    harness.stub("GET", "/a", .text("x"))
    return harness.service.resource("/a")
  }

  @Test func `PRG-24 no timer runs unless somebody listens`() {
    withHarness { harness in
      let resource = held(harness)
      let owner = Owner()
      resource.addObserver(owner: owner) { _, _ in }
      let request = resource.load()
      #expect(harness.clock.activeTimerCount == 0)
      let recorder = resource.recorded(progress: true)
      #expect(harness.clock.activeTimerCount == 1)
      resource.removeObservers(ownedBy: recorder)
      harness.clock.advance(by: 1)
      #expect(harness.clock.activeTimerCount == 0)
      request.onProgress { _ in }
      request.onProgress { _ in }
      #expect(harness.clock.activeTimerCount == 1)
      request.cancel()
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test
  func `PRG-24 to PRG-26 polled at the interval, reported when changed, never smaller, then 1`() {
    withHarness { harness in
      let resource = held(harness)
      harness.service.configure { $0.progressReportingInterval = 0.5 }
      var reports: [Double] = []
      let request = resource.request("GET")
      request.onProgress { reports.append($0) }
      request.onCompletion { _ in reports.append(-1) }
      harness.clock.advance(by: 0)
      #expect(reports == [], "the first poll only starts the clock")
      harness.clock.advance(by: 1)
      #expect(reports.count == 2)
      #expect(reports.last.map { abs($0 - 0.079810) < 1e-6 } == true, "PRG-23")
      harness.provider.metrics = RequestTransferMetrics(
        responseBytesReceived: 500, responseBytesTotal: 1000)
      harness.clock.advance(by: 0.5)
      #expect(reports.count == 3)
      harness.clock.advance(by: 5)
      #expect(reports.count == 3, "only the bytes count now")
      harness.provider.release()
      harness.settle()
      #expect(reports.suffix(2) == [1, -1])
      #expect(reports.dropLast() == reports.dropLast().sorted()[...])
      #expect(harness.clock.activeTimerCount == 0)
    }
  }

  @Test(arguments: [
    StubProvider.Answer.text("x"), .init(status: 500), .json("{"),
    .failure(TransportError(.dns, "no host")),
  ])
  func `PRG-01 PRG-26 CXL-13 the last report is 1 whatever the outcome`(answer: StubProvider.Answer)
  {
    withHarness { harness in
      harness.stub("GET", "/a", answer)
      for isCancelled in [false, true] {
        let journal = Journal()
        let request = harness.service.resource("/a").request("GET")
        request.onProgress { journal("\($0)") }
        request.onCompletion { _ in journal("completion") }
        if isCancelled { request.cancel() }
        harness.settle()
        #expect(request.progress == 1)
        #expect(journal.take() == ["1.0", "completion"])
        request.onProgress { journal("late \($0)") }
        #expect(journal.take() == [])
        harness.settle()
        #expect(journal.take() == ["late 1.0"], "PRG-28")
      }
    }
  }

  @Test func `PRG-02 a request not started reads 0, and nothing is polled until it starts`() {
    withHarness { harness in
      let resource = held(harness)
      let request = resource.request("GET").repeated().onProgress { _ in }
      #expect(request.progress == 0)
      #expect(harness.clock.activeTimerCount == 0)
      request.start()
      #expect(harness.clock.activeTimerCount == 1)
      request.cancel()
    }
  }

  @Test func `PRG-29 observers get the progress of loads, its 1 before the event, not of others`() {
    withHarness { harness in
      let resource = held(harness)
      let recorder = resource.recorded(progress: true)
      resource.request("GET").onProgress { _ in }
      harness.clock.advance(by: 1)
      harness.provider.release()
      harness.settle()
      #expect(recorder.take() == [])
      harness.service.configure { $0.progressReportingInterval = 1 }
      let load = resource.load()
      harness.clock.advance(by: 1)
      harness.provider.release()
      harness.settle()
      let events = recorder.take()
      #expect(events.count == 4)
      #expect(events.first == "requested L")
      #expect(events[1].hasPrefix("progress 0.0798"))
      #expect(events.suffix(2) == ["progress 1.0", "newData(network) D"])
      #expect(load.isCompleted)
    }
  }

  @Test func `however short the interval, time can pass`() {
    withHarness { harness in
      let resource = held(harness)
      harness.service.configure { $0.progressReportingInterval = 0 }
      var count = 0
      let request = resource.load().onProgress { _ in count += 1 }
      harness.clock.advance(by: 0.1)
      #expect(count > 0)
      request.cancel()
    }
  }

  @Test func `PRG-27 PRG-30 progress is 1 while the answer is parsed, which is no completion yet`()
  {
    withHarness { harness in
      var seen: [String] = []
      harness.service.configure { [unowned service = harness.service] configuration in
        configuration.pipeline[.model].add(
          FunctionTransformer(description: "look") { response in
            if let request = service.resource("/a").loadRequests.first {
              seen.append("\(request.progress) \(request.state)")
            }
            return response
          })
      }
      harness.stub("GET", "/a", .text("x"))
      harness.service.resource("/a").load()
      harness.settle()
      #expect(seen == ["1.0 inProgress"])
    }
  }
}
