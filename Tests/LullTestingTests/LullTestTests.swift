import LullCore
import LullTesting
import Testing

/// `Lull.test`, by what is public alone.
@Suite(.timeLimit(.minutes(20))) struct LullTestTests {
  @Test func `TEST-20 a load is answered by the network of stubs`() throws {
    let name = try Lull.test { test in
      test.network.stub("GET", "https://api.test/users/1", .json(#"{"name": "Ann"}"#))
      let user = test.service().resource("/users/1")
      user.addObserver(test.recorder)
      let entity = try await user.load().entity()
      #expect(test.recorder.take() == ["observerAdded", "requested L", "newData(network) D"])
      #expect(test.network.requests.map(\.method) == ["GET"])
      return entity.jsonDict["name"]?.string
    }
    #expect(name == "Ann")
  }

  @Test func `TEST-21 time passes only when the test moves the clock`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .text("1"), .text("2"))
      let api = test.service()
      api.configure { $0.expirationTime = 60 }
      let resource = api.resource("/a")
      _ = try await resource.load().entity()
      await test.advance(by: 59)
      #expect(resource.loadIfNeeded() == nil)
      await test.advance(by: 2)
      let request = try #require(resource.loadIfNeeded())
      #expect(try await request.entity().text == "2")
    }
  }

  @Test func `TEST-22 advancing waits for what timers set off`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", "https://api.test/a", .json("{}", status: 503), .json("{}", status: 503), .text("ok")
      )
      let api = test.service()
      api.configure {
        $0.retry = RetryPolicy()
        $0.retry?.backoff.hasJitter = false
      }
      let request = api.resource("/a").load()
      await test.settle()
      #expect(test.network.requests.count == 1)
      // Half a second, then a whole one, which is only begun when the second answer has come.
      await test.advance(by: 10)
      #expect(test.network.requests.count == 3)
      let text = try await request.entity().text
      #expect(text == "ok")
    }
  }

  @Test func `TEST-22 timers that are set for now, for ever, do not hold up the clock`() throws {
    try Lull.test { test in
      let clock = test.clock
      let restless = Restless(clock)
      var times: [Double] = []
      for seconds in [1.0, 2, 5] {
        _ = clock.schedule(after: seconds) { times.append(clock.uptime) }
      }
      restless.set(after: 0)
      await test.advance(by: 3)
      #expect(clock.uptime == 1003 && times == [1001, 1002])
      #expect(restless.count > 1000)
      restless.interval = 1e-9
      await test.advance(by: 10)
      #expect(clock.uptime == 1013 && times == [1001, 1002, 1005])
      restless.interval = nil
    }
  }

  /// A timer that is set again when it fires.
  private final class Restless {
    private let clock: ManualClock
    var interval: Double? = 0
    var count = 0

    init(_ clock: ManualClock) { self.clock = clock }

    func set(after seconds: Double) {
      _ = clock.schedule(after: seconds) { [self] in
        count += 1
        if let interval { set(after: interval) }
      }
    }
  }

  @Test func `TEST-24 a body that waits in vain beside requests that never rest is told so`() {
    let error = #expect(throws: TestIsStuck.self) {
      try Lull.test(patience: 0.1) { test in
        test.network.stub("GET", "https://api.test/a", .text("a"))
        let api = test.service()
        api.configure("/a") {
          $0.decorateRequests { resource, request in
            request.onCompletion { _ in resource.load() }
            return request
          }
        }
        api.resource("/a").load()
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
      }
    }
    #expect(error?.description.contains("outside its body") == true, "\(error as Any)")
  }

  @Test func `TEST-23 a wait that nothing ends is an error that says what would`() {
    let error = #expect(throws: TestIsStuck.self) {
      try Lull.test(patience: 0.05) { test in
        test.network.holdsAnswers = true
        _ = try await test.service().resource("/a").load().entity()
      }
    }
    let text = error?.description ?? ""
    #expect(text.contains("in flight: GET https://api.test/a"), "\(text)")
    #expect(text.contains("the network holds a response ("), "\(text)")
  }

  @Test func `TEST-23 a timer that is not due is named`() {
    let error = #expect(throws: TestIsStuck.self) {
      try Lull.test(patience: 0.05) { test in
        test.network.stub("GET", "https://api.test/a", .json("{}", status: 503))
        let api = test.service()
        api.configure {
          $0.retry = RetryPolicy()
          $0.retry?.backoff.hasJitter = false
        }
        _ = try await api.resource("/a").load().entity()
      }
    }
    #expect(error?.description.contains("(test.advance(by: 0.5))") ?? false, "\(error as Any)")
  }

  @Test func `TEST-24 a body that ignores its end is left behind`() {
    #expect(throws: TestIsStuck.self) {
      try Lull.test(patience: 0.05) { test in
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
      }
    }
  }

  @Test func `TEST-25 what the body throws is thrown`() {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try Lull.test { _ in throw Stop() } }
  }

  @Test func `TEST-26 detached tasks are waited for`() throws {
    // The threads of the pool that other tests have may be busy.
    let sum = try Lull.test(patience: 590) { test in
      try await Task.detached(priority: .high) {
        try await Task.sleep(for: .milliseconds(20))
        return 3
      }.value + 4
    }
    #expect(sum == 7)
  }

  @Test func `TEST-27 what is in flight at the end is cancelled`() throws {
    var events: [String] = []
    let recorder = try Lull.test { test in
      test.network.holdsAnswers = true
      let resource = test.service().resource("/a")
      resource.addObserver(test.recorder)
      resource.load()
      return test.recorder
    }
    events = recorder.take()
    #expect(events == ["observerAdded", "requested L", "requestCancelled"])
  }

  @Test func `TEST-28 held answers come when they are released, in any order`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .text("a"))
      test.network.stub("GET", "https://api.test/b", .text("b"))
      test.network.holdsAnswers = true
      let api = test.service()
      let (a, b) = (api.resource("/a").load(), api.resource("/b").load())
      await test.settle()
      #expect(test.network.heldCount == 2)
      test.network.release(1)
      let first = try await b.entity().text
      #expect(first == "b")
      #expect(!a.isCompleted)
      test.network.release()
      let second = try await a.entity().text
      #expect(second == "a")
    }
  }

  @Test func `TEST-28 answers of cancelled requests are held no more`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .text("a"))
      test.network.stub("GET", "https://api.test/b", .text("b"))
      test.network.holdsAnswers = true
      let api = test.service()
      let (a, b) = (api.resource("/a").load(), api.resource("/b").load())
      await test.settle()
      a.cancel()
      #expect(test.network.heldCount == 1)
      test.network.release()
      let text = try await b.entity().text
      #expect(text == "b")
      #expect(test.network.heldCount == 0 && test.network.cancelledCount == 1)
    }
  }

  @Test func `TEST-29 what is not stubbed fails and says what is`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .text("a"))
      let error = await test.service().resource("/b").load().completed().error
      #expect(
        error?.cause?.message.contains("unstubbed request GET https://api.test/b; available: GET")
          ?? false, "\(error as Any)")
    }
  }
}
