import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Streams that make the content of their resource.
@Suite(.timeLimit(.minutes(20)))
struct StreamFollowerTests {
  private static func events(_ text: String) -> StubProvider.Answer {
    .text(text, type: "text/event-stream")
  }

  private static let end = StubProvider.Answer(status: 204, body: nil)

  /// Joins the texts; one that is `bad` fails.
  private static func join(_ content: Content?, _ item: StreamItem) -> Result<Content, RequestError>
  {
    guard case .event(let event) = item, event.text != "bad" else {
      return .failure(RequestError(userMessage: "bad", timestamp: 0))
    }
    guard case .text(let text) = content else { return .success(.text(event.text)) }
    return .success(.text(text + event.text))
  }

  @Test func `STR-31 STR-32 items make the content, and observers hear one event a turn`() {
    withHarness { harness in
      harness.stub(
        "GET", "/s", Self.events("id: 1\ndata: a\n\ndata: b\n\ndata: c\n\n"),
        Self.events("data: d\n\n"),
        Self.end)
      let resource = harness.service.resource("/s")
      let recorder = resource.recorded()
      let follower = resource.follow(from: .text("<"), reduce: Self.join)
      #expect(harness.sent.count == 1)
      harness.settle()
      #expect(recorder.take() == ["newData(network) D"])
      #expect(resource.text == "<abc")
      #expect(resource.timestamp == harness.clock.now)
      harness.advance(by: 3)
      #expect(recorder.take() == ["newData(network) D"])
      #expect(resource.text == "<abcd")
      var isOver = false
      follower.whenOver { isOver = true }
      harness.advance(by: 3)
      #expect(recorder.take() == [])
      #expect(isOver && follower.isOver && follower.error == nil)
      #expect(follower.stream.lastEventID == "1")
      #expect(resource.text == "<abcd")
    }
  }

  @Test func `STR-33 what fails it becomes the resource's error`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"), .json("{}", status: 500))
      harness.stub("GET", "/t", Self.events("data: a\n\ndata: bad\n\ndata: b\n\n"))
      for path in ["/s", "/t"] {
        let resource = harness.service.resource(path)
        let recorder = resource.recorded()
        let follower = resource.follow(reduce: Self.join)
        harness.settle()
        harness.advance(by: 3)
        #expect(recorder.take() == ["newData(network) D", "error D E"])
        #expect(follower.isOver)
        #expect(follower.error?.httpStatusCode == (path == "/s" ? 500 : nil))
        #expect(resource.latestError != nil)
        #expect(resource.text == "a")
        #expect(!resource.isRequesting)
      }
    }
  }

  @Test func `STR-34 it goes on unheld until it is stopped`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      let resource = harness.service.resource("/s")
      weak let follower = resource.follow(reduce: Self.join)
      harness.settle()
      for _ in 0..<3 { harness.advance(by: 3) }
      #expect(resource.text == "aaaa")
      follower?.stop()
      harness.advance(by: 10)
      #expect(resource.text == "aaaa")
      #expect(harness.sent.count == 4)
      #expect(follower == nil)
    }
  }

  @Test func `STR-34 an observer may stop it`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      let resource = harness.service.resource("/s")
      var follower: StreamFollower?
      var count = 0
      resource.addObserver(owner: harness) { _, event in
        if case .newData = event {
          count += 1
          follower?.stop()
        }
      }
      follower = resource.follow(reduce: Self.join)
      harness.settle()
      harness.advance(by: 10)
      #expect(count == 1)
      follower = nil
      resource.removeObservers(ownedBy: harness)
    }
  }

  @Test func `STR-35 the resource counts as up to date`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      harness.service.configure { $0.expirationTime = 0.5 }
      let resource = harness.service.resource("/s")
      let follower = resource.follow(reduce: Self.join)
      #expect(resource.loadIfNeeded() == nil)
      harness.settle()
      harness.clock.advance(by: 2)
      #expect(resource.isUpToDate)
      #expect(resource.loadIfNeeded() == nil)
      follower.stop()
      #expect(!resource.isUpToDate)
      harness.settle()
    }
  }

  @Test func `STR-37 wiping ends it`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/s")
      let recorder = resource.recorded()
      let follower = resource.follow(reduce: Self.join)
      resource.wipe()
      harness.settle()
      #expect(follower.isOver)
      #expect(resource.latestError == nil)
      #expect(recorder.take() == ["newData(wipe)"])
    }
  }
}
