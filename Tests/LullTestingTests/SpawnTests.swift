import LullCore
import LullTesting
import Synchronization
import Testing

/// Tasks beside the body of a test.
@Suite(.timeLimit(.minutes(20))) struct SpawnTests {
  private struct Flaw: Error {}

  @Test func `TEST-32 a task runs on the thread of the test and is waited for`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .json("{}", status: 503), .text("tea"))
      let api = test.service()
      api.configure {
        $0.retry = RetryPolicy()
        $0.retry?.backoff.hasJitter = false
      }
      var lines: [String] = []
      let network = test.network
      let first = test.spawn {
        let text = try await api.resource("/a").load().entity().text
        for _ in 0..<20 { await Task.yield() }
        lines.append("\(text) after \(network.requests.count)")
        return text
      }
      #expect(lines.isEmpty, "it begins when the body waits")
      await test.settle()
      #expect(test.network.requests.count == 1)
      await test.advance(by: 1)
      #expect(lines == ["tea after 2"])
      let text = try await first.value
      let other = try await test.spawn { api.resource("/a").text }.value
      #expect(text == "tea" && other == "tea")
      let later = try await test.spawn { test in
        await test.advance(by: 5)
        return test.clock.uptime
      }.value
      #expect(later == 1006)
    }
  }

  @Test func `TEST-32 what a task throws is for who waits for it`() throws {
    try Lull.test { test in
      let task = test.spawn { _ in throw Flaw() }
      await test.settle()
      await #expect(throws: Flaw.self) { try await task.value }
    }
  }

  @Test func `TEST-32 tasks are cancelled when the body has ended`() throws {
    let notes = Notes()
    try Lull.test { test in
      test.network.holdsAnswers = true
      let resource = test.service().resource("/a")
      test.spawn {
        let response = await resource.load().completed()
        await test.settle()
        notes.lines.append("\(Task.isCancelled) \(response.isCancellation)")
      }
      await test.settle()
      #expect(resource.isLoading)
    }
    #expect(notes.lines == ["true true"])
  }

  @Test func `TEST-32 a test that fails ends its tasks too`() {
    let notes = Notes()
    #expect(throws: Flaw.self) {
      try Lull.test { test in
        test.spawn {
          // Ends when it is cancelled.
          try? await Task.sleep(for: .seconds(500))
          notes.lines.append("\(Task.isCancelled)")
        }
        await test.settle()
        throw Flaw()
      }
    }
    #expect(notes.lines == ["true"])
  }

  @Test func `TEST-24 TEST-33 a task that only yields for ever holds up nothing`() throws {
    let isOver = try Lull.test { test in
      let over = Flag()
      test.spawn { _ in while !over.isSet { await Task.yield() } }
      await test.settle()
      await test.advance(by: 1)
      defer { over.isSet = true }
      return over
    }
    #expect(isOver.isSet)
  }

  @Test func `TEST-24 a task that goes on for ever when the body has ended is left behind`() throws
  {
    let over = try Lull.test { test in
      let over = Flag()
      test.spawn { test in while !over.isSet { await test.advance(by: 1) } }
      await test.settle()
      return over
    }
    // Else it would keep a processor busy for as long as other tests run.
    over.isSet = true
  }

  @Test func `TEST-24 a body that waits in vain is told so beside tasks that never rest`() {
    for way in 0..<2 {
      let error = #expect(throws: TestIsStuck.self) {
        try Lull.test(patience: 0.1) { test in
          test.network.holdsAnswers = true
          let load = test.service().resource("/a").load()
          test.spawn { test in
            while !Task.isCancelled {
              if way == 0 { await test.advance(by: 1) } else { await Task.yield() }
            }
          }
          _ = try await load.entity()
        }
      }
      #expect(
        error?.description.contains("only tasks outside its body are running") == true, "\(way)")
      #expect(error?.description.contains("GET https://api.test/a") == true)
    }
  }
}

private final class Flag: Sendable {
  private let state = Mutex(false)

  var isSet: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

private final class Notes: @unchecked Sendable {
  // Of one thread.
  var lines: [String] = []
}
