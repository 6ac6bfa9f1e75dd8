import LullCore
import LullTesting
import Testing

/// Tests that wait for what cannot come.
@Suite(.timeLimit(.minutes(20)))
struct DeadlockTests {
  @Test func `TEST-160 what is not stubbed is sent once, and says what is`() throws {
    try Lull.test { test in
      let api = test.service()
      api.configure { $0.retry = RetryPolicy() }
      let first = await api.resource("/a").load().completed()
      #expect(
        first.error?.cause?.message == "unstubbed request GET https://api.test/a; available: none")
      #expect(first.error?.attempts.count ?? 1 <= 1)
      test.network.stub("GET", "https://api.test/b", .json("1"))
      let second = await api.resource("/a").load().completed()
      #expect(second.error?.cause?.message.hasSuffix("available: GET https://api.test/b") == true)
      #expect(test.network.requests.count == 2)
    }
  }

  @Test func `TEST-160 neither a watch nor a stream sends it again`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .json("1"))
      let resource = test.service().resource("/a")
      let watching = test.spawn {
        for try await _ in resource.watch(every: 1) {}
      }
      await test.settle()
      // From now on it is another URL's network.
      test.network.stub("GET", "https://api.test/a", answers: [])
      await test.advance(by: 30)
      let result = await watching.result
      guard case .failure(let error as RequestError) = result else {
        Issue.record("\(result)")
        return
      }
      #expect(error.cause?.message.contains("unstubbed") == true)
      #expect(test.network.requests.count == 2)
      let streaming = test.spawn {
        for try await _ in test.service().resource("/events").events().items {}
      }
      await test.advance(by: 30)
      let end = await streaming.result
      #expect(throws: RequestError.self) { try end.get() }
      #expect(test.network.requests.count == 3)
    }
  }

  @Test func `TEST-161 a deadlock ends the test at once, and says what would wake it`() {
    let held = #expect(throws: TestIsStuck.self) {
      try Lull.test { test in
        test.network.holdsAnswers = true
        _ = try await test.service().resource("/a").load().entity()
      }
    }
    #expect(held?.description.hasPrefix("deadlock: ") == true, "\(held as Any)")
    #expect(held?.description.contains("the network holds a response (") == true)
    #expect(held?.description.contains("Lull.test(patience: 10)") == true)
    let timer = #expect(throws: TestIsStuck.self) {
      try Lull.test { test in
        test.network.stub("GET", "https://api.test/a", .json("{}", status: 503))
        let api = test.service()
        api.configure {
          $0.retry = RetryPolicy()
          $0.retry?.backoff.hasJitter = false
        }
        _ = try await api.resource("/a").load().entity()
      }
    }
    #expect(timer?.description.contains("(test.advance(by: 0.5))") == true, "\(timer as Any)")
    #expect(timer?.description.hasPrefix("deadlock: ") == true)
  }

  @Test func `TEST-161 loops, lists of requests and tasks that all wait are a deadlock too`() {
    let bodies: [(isolated LullTest) async throws -> Void] = [
      { test in for await _ in test.service().resource("/a").events {} },
      { test in
        test.network.holdsAnswers = true
        _ = try await Request.all([test.service().resource("/a").load()])
      },
      { test in
        let resource = test.service().resource("/a")
        test.spawn { for await _ in resource.events {} }
        for await _ in resource.events {}
      },
    ]
    for body in bodies {
      let error = #expect(throws: TestIsStuck.self) { try Lull.test(body) }
      #expect(error?.description.hasPrefix("deadlock: ") == true, "\(error as Any)")
    }
  }

  @Test func `TEST-161 a task that waits for another thread is no deadlock`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .text("a"))
      test.network.holdsAnswers = true
      test.spawn { test in
        await Task.detached(priority: .high) { await Task.yield() }.value
        test.network.release()
      }
      let text = try await test.service().resource("/a").load().entity().text
      #expect(text == "a")
    }
  }

  @Test func `TEST-161 with a patience other threads are waited for`() throws {
    let text = try Lull.test(patience: 590) { test in
      test.network.stub("GET", "https://api.test/a", .text("a"))
      test.network.holdsAnswers = true
      let request = test.service().resource("/a").load()
      Task.detached(priority: .high) {
        try await Task.sleep(for: .milliseconds(20))
        await test.releaseHeldAnswer()
      }
      return try await request.entity().text
    }
    #expect(text == "a")
  }

  /// Opens when so many have come.
  private actor Gate {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { missing = count }

    func pass() async {
      missing -= 1
      guard missing <= 0 else { return await withCheckedContinuation { waiting.append($0) } }
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
  }

  @Test func `TEST-162 in an asynchronous function a test blocks no pool thread`() async throws {
    // More than the pool has threads: each test needs a thread of it, for a gate that opens for all of them.
    let count = 128
    let gate = Gate(count)
    let sum = try await withThrowingTaskGroup { group in
      for number in 0..<count {
        group.addTask {
          try await Lull.test(patience: 590) { _ in
            await Task.detached { await gate.pass() }.value
            return number
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == count * (count - 1) / 2)
  }

  @Test func `TEST-162 what the body throws comes to the caller, and so does a deadlock`() async {
    struct Stop: Error {}
    await #expect(throws: Stop.self) { try await Lull.test { _ in throw Stop() } }
    await #expect(throws: TestIsStuck.self) {
      try await Lull.test { test in for await _ in test.service().resource("/a").events {} }
    }
  }
}

extension LullTest {
  fileprivate func releaseHeldAnswer() { network.release() }
}
