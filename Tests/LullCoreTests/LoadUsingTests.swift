import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Loads that somebody else's request makes: `load(using:)`.
@Suite(.timeLimit(.minutes(20)))
struct LoadUsingTests {
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
      #expect(resource.latestError?.httpStatusCode == nil)
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
}
