import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// How loops over a watch end that somebody else ends.
  @Suite struct WatchLoopTests {
    private func held() -> (resource: Resource, provider: StubProvider) {
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/job", .json("1"))
      provider.holdsAnswers = true
      let service = Service(baseURL: "https://api.test", networking: provider)
      return (service.resource("/job"), provider)
    }

    /// What ended the loop.
    private static func watch(
      _ resource: Resource, isolation: isolated (any Actor)? = #isolation
    ) async -> String {
      do throws(RequestError) {
        for try await _ in resource.watch() {}
        return "over"
      } catch {
        if case .requestCancelled? = error.cause { return "cancelled" }
        return error.userMessage
      }
    }

    @Test func `POLL-06 a cancelled task cancels a load that only watches wanted`() throws {
      try Lull.run { home in
        let (job, provider) = held()
        let first = home.spawn { await WatchLoopTests.watch(job) }
        let second = home.spawn { await WatchLoopTests.watch(job) }
        while provider.heldCount == 0 { await Task.yield() }
        for _ in 0..<4 { await Task.yield() }
        #expect(provider.requests.count == 1)
        first.cancel()
        let one = try await first.value
        #expect(one == "cancelled")
        #expect(job.isLoading, "another one watches")
        second.cancel()
        let two = try await second.value
        #expect(two == "cancelled")
        #expect(!job.isLoading)
      }
    }

    @Test func `POLL-06 a task that waits for the load itself keeps it`() throws {
      try Lull.run { home in
        let (job, provider) = held()
        let watching = home.spawn { await WatchLoopTests.watch(job) }
        while provider.heldCount == 0 { await Task.yield() }
        let load = home.spawn { try await job.load().entity().typedContent(ifNone: 0) }
        for _ in 0..<4 { await Task.yield() }
        watching.cancel()
        _ = try await watching.value
        #expect(job.isLoading)
        while provider.heldCount > 0 { provider.release() }
        let number = try await load.value
        #expect(number == 1)
      }
    }

    @Test func `POLL-06 a loop is told of the end of its home`() throws {
      let journal = Journal()
      try Lull.run { home in
        let (job, provider) = held()
        home.spawn {
          journal(await WatchLoopTests.watch(job))
          journal(await WatchLoopTests.watch(job))
        }
        while provider.heldCount == 0 { await Task.yield() }
      }
      #expect(journal.lines == ["cancelled", "cancelled"])
    }
  }
}
