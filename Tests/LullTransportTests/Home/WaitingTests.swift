import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Waiting is each waiter's own.
  @Suite struct WaitingTests {
    private func held(_ body: String = "a") -> (service: Service, provider: StubProvider) {
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/a", .text(body))
      provider.stub("POST", "https://api.test/a", .text(body))
      provider.holdsAnswers = true
      return (Service(baseURL: "https://api.test", networking: provider), provider)
    }

    /// What a task's wait comes to.
    private nonisolated(nonsending) static func outcome(of request: Request) async -> String {
      let response = await request.completed()
      return response.entity?.text ?? response.error?.cause?.kind ?? "?"
    }

    @Test
    func `WAIT-01 of two tasks that share a load one is cancelled and the other gets its entity`()
      throws
    {
      try Lull.run { home in
        let (api, provider) = held()
        let tasks = (0..<2).map { _ in
          home.spawn {
            await Self.outcome(of: api.resource("/a").loadIfNeeded() ?? api.resource("/a").load())
          }
        }
        while provider.heldCount < 1 || api.resource("/a").loadRequests.first?.hookCount != 3 {
          await Task.yield()
        }
        tasks[0].cancel()
        // At once, while the other still waits.
        let outcome1 = try await tasks[0].value
        #expect(outcome1 == "request_cancelled")
        #expect(api.resource("/a").isLoading)
        provider.release()
        let outcome2 = try await tasks[1].value
        #expect(outcome2 == "a")
        #expect(provider.requests.count == 1)
        #expect(provider.cancelledCount == 0)
      }
    }

    @Test func `WAIT-02 the last one to leave cancels the load`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let resource = api.resource("/a")
        let request = resource.load()
        let tasks = (0..<3).map { _ in home.spawn { await Self.outcome(of: request) } }
        while request.hookCount < 4 { await Task.yield() }
        for (index, task) in tasks.enumerated() {
          #expect(provider.cancelledCount == 0)
          task.cancel()
          let outcome3 = try await task.value
          #expect(outcome3 == "request_cancelled")
          #expect(request.isCompleted == (index == 2))
        }
        #expect(provider.cancelledCount == 1)
        #expect(!resource.isLoading)
      }
    }

    @Test func `WAIT-03 a load that somebody observes goes on without those who waited`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let resource = api.resource("/a")
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        let task = home.spawn { await Self.outcome(of: resource.load()) }
        while provider.heldCount < 1 { await Task.yield() }
        task.cancel()
        let outcome4 = try await task.value
        #expect(outcome4 == "request_cancelled")
        #expect(resource.isLoading)
        provider.release()
        while resource.isLoading { await Task.yield() }
        #expect(resource.text == "a")
        #expect(recorder.take().last == "newData(network) D")
      }
    }

    @Test func `WAIT-03 an observer whose owner has gone keeps no load`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let resource = api.resource("/a")
        do {
          let owner = EventRecorder()
          resource.addObserver(owner: owner) { _, _ in }
        }
        let task = home.spawn { await Self.outcome(of: resource.load()) }
        while provider.heldCount < 1 { await Task.yield() }
        task.cancel()
        let outcome5 = try await task.value
        #expect(outcome5 == "request_cancelled")
        #expect(!resource.isLoading)
      }
    }

    @Test func `WAIT-04 an observer keeps no request that is no load`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let resource = api.resource("/a")
        resource.addObserver(owner: api) { _, _ in }
        let task = home.spawn { await Self.outcome(of: resource.request("POST")) }
        while provider.heldCount < 1 { await Task.yield() }
        task.cancel()
        let outcome6 = try await task.value
        #expect(outcome6 == "request_cancelled")
        #expect(provider.cancelledCount == 1)
      }
    }

    @Test func `WAIT-05 cancelling the request ends it for all who wait`() throws {
      try Lull.run { home in
        let (api, _) = held()
        let request = api.resource("/a").load()
        let tasks = (0..<2).map { _ in home.spawn { await Self.outcome(of: request) } }
        while request.hookCount < 3 { await Task.yield() }
        request.cancel()
        for task in tasks {
          let outcome = try await task.value
          #expect(outcome == "request_cancelled")
        }
      }
    }

    @Test func `a load of two resources goes on while the second is observed`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let request = api.resource("/a").load()
        let other = api.resource("/b")
        other.load(using: request)
        other.addObserver(owner: api) { _, _ in }
        let task = home.spawn { await Self.outcome(of: request) }
        while request.hookCount < 2 { await Task.yield() }
        task.cancel()
        let outcome7 = try await task.value
        #expect(outcome7 == "request_cancelled")
        provider.release()
        while other.isLoading { await Task.yield() }
        #expect(other.text == "a")
      }
    }

    @Test func `hooks run although nobody waits any more`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let resource = api.resource("/a")
        resource.addObserver(owner: api) { _, _ in }
        var texts: [String] = []
        let request = resource.load().onSuccess { texts.append($0.text) }
        let task = home.spawn { await Self.outcome(of: request) }
        while request.hookCount < 3 { await Task.yield() }
        task.cancel()
        _ = try await task.value
        provider.release()
        while resource.isLoading { await Task.yield() }
        #expect(texts == ["a"])
      }
    }

    @Test func `nothing is left of those who have gone`() throws {
      let leakCheck = try Lull.run { home in
        let leakCheck = LeakCheck()
        let (api, provider) = held()
        leakCheck.watch(api)
        let resource = leakCheck.watch(api.resource("/a"))
        let request = leakCheck.watch(resource.load())
        let tasks = (0..<2).map { _ in home.spawn { await Self.outcome(of: request) } }
        while request.hookCount < 3 { await Task.yield() }
        tasks[0].cancel()
        _ = try await tasks[0].value
        #expect(request.hookCount == 2)
        provider.release()
        _ = try await tasks[1].value
        return leakCheck
      }
      #expect(leakCheck.leaks == [])
    }

    // MARK: The end of a home

    @Test(.timeLimit(.minutes(20)))
    func `WAIT-06 who waits for anything of a home that ends goes on and is told`() async throws {
      let home = try Home.start()
      let ready = Flag()
      let load = home.spawn { home in
        let provider = StubProvider()
        provider.holdsAnswers = true
        let api = Service(baseURL: "https://api.test", networking: provider)
        let request = api.resource("/a").load()
        ready.set()
        return await Self.outcome(of: request)
      }
      #expect(ready.wait())
      await home.shutdown()
      let outcome8 = try await load.value
      #expect(outcome8 == "request_cancelled")
    }

    /// What one may wait for besides a request.
    enum Wait: String, CaseIterable {
      case pages, items, fresh, all, any

      /// What is thrown to who waits.
      nonisolated(nonsending) func failure(of resource: Resource) async -> RequestError? {
        do throws(RequestError) {
          switch self {
          case .pages: for try await _ in resource.pages() {}
          case .items: for try await _ in resource.events().items {}
          case .fresh: _ = try await resource.fresh(String.self)
          case .all: _ = try await Request.all([resource.load(), resource.load()])
          case .any: _ = try await Request.any([resource.load(), resource.load()])
          }
          return nil
        } catch {
          return error
        }
      }
    }

    private actor Guest {
      private let home: Home
      nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

      init(_ home: Home) { self.home = home }

      func failure(of wait: Wait, _ ready: Flag) async -> RequestError? {
        let provider = StubProvider()
        provider.holdsAnswers = true
        provider.onStart = { _ in ready.set() }
        let api = Service(baseURL: "https://api.test", networking: provider)
        return await wait.failure(of: api.resource("/a"))
      }
    }

    @Test(.timeLimit(.minutes(20)), arguments: Wait.allCases)
    func `WAIT-06 pages, streams, data and several requests are told of the end as well`(
      wait: Wait
    ) async throws {
      let home = try Home.start()
      let ready = Flag()
      let guest = Guest(home)
      // No task of the home's, which would be cancelled.
      let waiting = Task { await guest.failure(of: wait, ready) }
      #expect(ready.wait())
      await home.shutdown()
      let error = await waiting.value
      #expect(error?.cause?.kind == "request_cancelled", "\(error as Any)")
    }

    @Test(.timeLimit(.minutes(20)), arguments: Wait.allCases)
    func `WAIT-07 so are those who begin to wait when the home has ended`(wait: Wait) throws {
      let resource = try Lull.run { home in held().service.resource("/a") }
      let error = try Lull.run { home in await wait.failure(of: resource) }
      #expect(error?.cause?.kind == "request_cancelled", "\(error as Any)")
      #expect(error?.userMessage.contains("its home has ended") == true, "\(error as Any)")
    }

    @Test(.timeLimit(.minutes(20)))
    func `WAIT-07 waiting for a request of a home that has ended throws`() throws {
      let resource = try Lull.run { home in
        let (api, _) = held()
        return api.resource("/a")
      }
      let outer = try Lull.run { home in
        let loaded = resource.load()
        do throws(RequestError) {
          _ = try await loaded.entity()
          return "an entity"
        } catch {
          return error.userMessage
        }
      }
      #expect(outer == "Request cancelled: its home has ended")
    }
  }
}
