import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Polling a resource, as Swift programs do it; the rules are those of Lua's `resource:watch`.
@Suite(.timeLimit(.minutes(20)))
struct ResourceWatchTests {
  private struct Job: Codable, Sendable, Equatable { var state: Int }

  private static let url = "https://api.test/job"

  /// Lets time pass beside the test, until it is cancelled.
  // A child task stays on the thread of the test, which another one would leave while it yields.
  private static func tick(_ test: isolated LullTest) async {
    while !Task.isCancelled { await test.advance(by: 0.5) }
  }

  @Test func `POLL-01 POLL-03 a loop gets each change and nothing that is the same`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", ResourceWatchTests.url, .json(#"{"state": 1}"#), .json(#"{ "state": 1.0 }"#),
        .init(status: 304), .json(#"{"state": 2}"#), .json(#"{"state": 3}"#))
      let job = test.service().resource("/job")
      async let _: Void = ResourceWatchTests.tick(test)
      var states: [Int] = []
      for try await job in job.watch(every: 10, of: Job.self, until: { $0.state == 3 }) {
        states.append(job.state)
      }
      #expect(states == [1, 2, 3])
      #expect(test.network.requests.count == 5)
      for _ in 0..<100 { await test.settle() }
      #expect(test.network.requests.count == 5, "nothing is left behind")
    }
  }

  @Test func `POLL-01 models that are equal are no change`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", ResourceWatchTests.url, .json(#"{"state": 1}"#),
        .json(#"{"state": 1, "at": 5}"#), .json(#"{"state": 2}"#))
      let api = test.service()
      api.configureTransformer("/job", as: Job.self)
      async let _: Void = ResourceWatchTests.tick(test)
      var states: [Int] = []
      for try await entity in api.resource("/job").watch(every: 1, timeout: 20) {
        let job: Job? = entity.typedContent()
        states.append(job?.state ?? 0)
      }
      #expect(states == [1, 2])
    }
  }

  @Test func `POLL-160 the pace goes on evenly whatever the time is set to`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", ResourceWatchTests.url, .json("1"), .json("2"), .json("3"), .json("4"))
      let job = test.service().resource("/job")
      async let _: Void = ResourceWatchTests.tick(test)
      let start = test.clock.uptime
      var times: [Double] = []
      for try await _ in job.watch(every: 10) {
        times.append(test.clock.uptime - start)
        test.clock.set(test.clock.now + (times.count % 2 == 1 ? -86_400 : 200_000))
        if times.count == 4 { break }
      }
      // The pace, and what the ticks may be late.
      for (time, next) in zip(times, times.dropFirst()) {
        #expect((9.5...12).contains(next - time))
      }
    }
  }

  @Test func `POLL-02 the pace counts from the last load on, whoever asked for it`() throws {
    try Lull.test { test in
      test.network.stub(
        "GET", ResourceWatchTests.url, .json("1"), .json("2"), .json("3"))
      let job = test.service().resource("/job")
      var polls = job.watch(every: 10).makeAsyncIterator()
      var number: Int? = try await polls.next()?.typedContent()
      #expect(number == 1)
      var others = job.watch().makeAsyncIterator()
      let fresh: Int? = try await others.next()?.typedContent()
      #expect(fresh == 1 && test.network.requests.count == 1, "what is fresh needs no request")
      await test.advance(by: 9)
      _ = try await job.load().entity()
      let loadedAt = test.clock.now
      number = try await polls.next()?.typedContent()
      #expect(number == 2)
      #expect(test.network.requests.count == 2, "another's load is seen")
      async let _: Void = ResourceWatchTests.tick(test)
      let last = try await polls.next()
      #expect(last?.typedContent() == 3)
      #expect(test.clock.now >= loadedAt + 10)
      #expect(test.network.requests.count == 3)
    }
  }

  @Test func `POLL-02 after fresh data that came without a request the first poll has its pace`()
    throws
  {
    try Lull.test { test in
      test.network.stub("GET", ResourceWatchTests.url, .json("1"), .json("2"))
      let job = test.service().resource("/job")
      _ = try await job.load().entity()
      let loadedAt = test.clock.now
      await test.advance(by: 4)
      var polls = job.watch(every: 10).makeAsyncIterator()
      _ = try await polls.next()
      async let _: Void = ResourceWatchTests.tick(test)
      let number: Int? = try await polls.next()?.typedContent()
      #expect(number == 2)
      #expect(test.clock.now >= loadedAt + 10 && test.clock.now < loadedAt + 14)
      #expect(test.network.requests.count == 2)
    }
  }

  @Test func `POLL-02 nothing is polled while the body of the loop runs`() throws {
    try Lull.test { test in
      test.network.stub("GET", ResourceWatchTests.url, .json("1"), .json("2"))
      let job = test.service().resource("/job")
      var polls = job.watch(every: 1).makeAsyncIterator()
      _ = try await polls.next()
      await test.advance(by: 100)
      #expect(test.network.requests.count == 1)
      _ = try await polls.next()
      #expect(test.network.requests.count == 2)
    }
  }

  @Test func `POLL-03 content of another type ends the loop with its error`() throws {
    try Lull.test { test in
      test.network.stub("GET", ResourceWatchTests.url, .json(#"{"state": "one"}"#))
      var polls = test.service().resource("/job").watch(every: 1, of: Job.self)
        .makeAsyncIterator()
      do throws(RequestError) {
        _ = try await polls.next()
        Issue.record("nothing should come")
      } catch {
        #expect(error.cause?.message.contains("state: expected") == true, "\(error)")
      }
      let after = try await polls.next()
      #expect(after == nil)
    }
  }

  @Test func `POLL-04 the time-out is the end, and with until an error`() throws {
    try Lull.test { test in
      test.network.stub("GET", ResourceWatchTests.url, .json(#"{"state": 1}"#))
      let job = test.service().resource("/job")
      async let _: Void = ResourceWatchTests.tick(test)
      var count = 0
      for try await _ in job.watch(every: 1, timeout: 2.5) { count += 1 }
      #expect(count == 1)
      do throws(RequestError) {
        for try await _ in job.watch(every: 1, timeout: 3, of: Job.self, until: { $0.state == 9 }) {
          count += 1
        }
        Issue.record("it should have failed")
      } catch {
        #expect(error.userMessage == "The watch did not end within 3 s")
      }
      #expect(count == 2)
    }
  }

  @Test func `POLL-05 failures are thrown at first, and ridden out later if they may pass`() throws
  {
    try Lull.test { test in
      let job = test.service().resource("/job")
      func status(_ polls: inout ResourceWatch<Entity>.AsyncIterator) async -> Int? {
        do throws(RequestError) {
          _ = try await polls.next()
          return nil
        } catch {
          return error.httpStatusCode
        }
      }
      test.network.stub("GET", ResourceWatchTests.url, .init(status: 503))
      var failing = job.watch(every: 1).makeAsyncIterator()
      #expect(await status(&failing) == 503)
      test.network.stub(
        "GET", ResourceWatchTests.url, .json("1"), .init(status: 503), .json("2"),
        .init(status: 404))
      async let _: Void = ResourceWatchTests.tick(test)
      var polls = job.watch(every: 2).makeAsyncIterator()
      let first = try await polls.next()
      let second = try await polls.next()
      #expect(first?.typedContent() == 1 && second?.typedContent() == 2)
      #expect(await status(&polls) == 404)
    }
  }

  @Test func `POLL-06 leaving the loop leaves no load, and others keep theirs`() throws {
    try Lull.test { test in
      test.network.stub("GET", ResourceWatchTests.url, .json("1"), .json("2"))
      let job = test.service().resource("/job")
      _ = try await job.load().entity()
      for try await _ in job.watch(every: 60) {
        test.network.holdsAnswers = true
        job.load()
        break
      }
      await test.settle()
      #expect(job.isLoading, "somebody else has started that")
    }
  }
}
