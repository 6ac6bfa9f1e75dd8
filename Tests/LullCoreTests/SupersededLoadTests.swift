import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Loads whose answers come in another order than that in which they were sent.
@Suite(.timeLimit(.minutes(20)))
struct SupersededLoadTests {
  @Test func `STA-11 a superseded answer changes nothing and is logged; its own hooks get it`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("early"), .text("late"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let journal = Journal()
      let messages = Journal()
      harness.pump.log.enabled = [.stateChanges]
      harness.pump.log.messageHandler = { if $1.contains("superseded") { messages($1) } }
      resource.load().onSuccess { journal($0.text ?? "?") }
      resource.load().onSuccess { journal($0.text ?? "?") }
      harness.provider.release(1)
      harness.settle()
      #expect(messages.take() == [])
      harness.provider.release()
      harness.settle()
      #expect(
        messages.take() == [
          "/a [D]: superseded: the response to GET https://api.test/v1/a is ignored, because a "
            + "later load has succeeded"
        ])
      #expect(
        recorder.take() == [
          "requested L", "requested L", "newData(network) L D", "notModified D",
        ])
      #expect(journal.take() == ["late", "early"])
      #expect(resource.text == "late")
    }
  }

  @Test
  func `STA-11 the answer to a promoted PUT is the data though a later GET was answered first`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("PUT", "/a", .text("saved"))
      harness.stub("GET", "/a", .text("old"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load(using: resource.request("PUT"))
      resource.load()
      harness.provider.release(1)
      harness.settle()
      #expect(resource.text == "old")
      harness.provider.release()
      harness.settle()
      #expect(resource.text == "saved")
      #expect(
        recorder.take() == [
          "requested L", "requested L", "newData(network) L D", "newData(network) D",
        ])
      #expect(resource.isUpToDate)
    }
  }

  @Test func `STA-11 a load whose repetition is sent later is not superseded`() {
    for way in ["retry", "token refresh"] {
      withHarness { harness in
        if way == "retry" {
          harness.service.configure { $0.retry = RetryPolicy() }
        } else {
          harness.service.configure {
            $0.decorateRequests { (_, request) throws(RequestError) in
              request.chained { response in
                response.error?.httpStatusCode == 503
                  ? .passTo(request.repeated()) : .useThisResponse
              }
            }
          }
        }
        harness.provider.holdsAnswers = true
        harness.stub("GET", "/a", .init(status: 503), .text("between"), .text("repeated"))
        let resource = harness.service.resource("/a")
        let first = resource.load()
        resource.load()
        harness.provider.release()
        harness.settle()
        harness.advance(by: 2)
        harness.settle()
        #expect(harness.provider.heldCount == 2, "\(way)")
        harness.provider.release()
        harness.settle()
        #expect(resource.text == "between", "\(way)")
        harness.provider.release()
        harness.settle()
        #expect(first.outcome == "repeated", "\(way)")
        #expect(resource.text == "repeated", "\(way)")
      }
    }
  }

  @Test func `STA-11 a request that is promoted and then started counts from its start`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("x"), .text("load"), .text("started later"))
      let resource = harness.service.resource("/a")
      let request = resource.request("GET").repeated()
      harness.provider.release()
      harness.settle()
      resource.load(using: request)
      resource.load()
      request.start()
      harness.provider.release()
      harness.settle()
      #expect(resource.text == "load")
      harness.provider.release()
      harness.settle()
      #expect(resource.text == "started later")
    }
  }

  @Test func `STA-11 a hard-wired response counts from its promotion`() {
    withHarness { harness in
      harness.provider.holdsAnswers = true
      harness.stub("GET", "/a", .text("load"))
      let resource = harness.service.resource("/a")
      resource.load()
      let entity = Entity.text("fixed", at: harness.clock.now)
      resource.load(using: Resource.hardWiredRequest(returning: .success(entity)))
      harness.settle()
      harness.provider.release()
      harness.settle()
      #expect(resource.text == "fixed")
    }
  }
}
