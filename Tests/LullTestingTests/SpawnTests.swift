import LullCore
import LullTesting
import Testing

/// Tasks beside the body of a test.
@Suite(.timeLimit(.minutes(10))) struct SpawnTests {
  private struct Flaw: Error {}

  @Test func `TEST-31 a task runs on the thread of the test and is waited for`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .json("{}", status: 503), .text("tea"))
      let api = test.service()
      api.configure {
        $0.retry = RetryPolicy()
        $0.retry?.backoff.hasJitter = false
      }
      var lines: [String] = []
      let first = test.spawn { test in
        let text = try await api.resource("/a").load().entity().text
        for _ in 0..<20 { await Task.yield() }
        lines.append("\(text) after \(test.network.requests.count)")
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
    }
  }

  @Test func `TEST-31 what a task throws is for who waits for it`() throws {
    try Lull.test { test in
      let task = test.spawn { _ in throw Flaw() }
      await test.settle()
      await #expect(throws: Flaw.self) { try await task.value }
    }
  }

  @Test func `TEST-31 tasks are cancelled when the body has ended`() throws {
    var lines: [String] = []
    try Lull.test { test in
      test.network.holdsAnswers = true
      let resource = test.service().resource("/a")
      test.spawn { test in
        let response = await resource.load().completed()
        await test.settle()
        lines.append("\(Task.isCancelled) \(response.isCancellation)")
      }
      await test.settle()
      #expect(resource.isLoading)
    }
    #expect(lines == ["true true"])
  }

  @Test func `TEST-31 a test that fails ends its tasks too`() {
    var lines: [String] = []
    #expect(throws: Flaw.self) {
      try Lull.test { test in
        test.spawn { test in
          // Ends when it is cancelled.
          try? await Task.sleep(for: .seconds(500))
          lines.append("\(Task.isCancelled)")
        }
        await test.settle()
        throw Flaw()
      }
    }
    #expect(lines == ["true"])
  }

  @Test func `TEST-24 TEST-32 a task that only yields for ever holds up nothing`() throws {
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
}

private final class Flag: @unchecked Sendable {
  // Of one thread.
  var isSet = false
}
