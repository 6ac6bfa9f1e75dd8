import LullLibC
import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Swift programs that wait for several requests together.
  @Suite struct CombiningTests {
    private func stubbed(isHeld: Bool = false) -> (service: Service, provider: StubProvider) {
      let provider = StubProvider()
      for name in ["a", "b", "c"] {
        provider.stub("GET", "https://api.test/\(name)", .text(name))
        provider.stub("POST", "https://api.test/\(name)", .text(name))
      }
      for status in [404, 503] {
        provider.stub("GET", "https://api.test/\(status)", .json("{}", status: status))
      }
      provider.holdsAnswers = isHeld
      return (Service(baseURL: "https://api.test", networking: provider), provider)
    }

    private nonisolated(nonsending) static func outcome(all requests: [Request]) async -> String {
      do {
        return try await Request.all(requests).map { $0.text }.joined(separator: " ")
      } catch {
        return error.cause?.kind ?? "\(error.httpStatusCode ?? 0)"
      }
    }

    private nonisolated(nonsending) static func outcome(any requests: [Request]) async -> String {
      do {
        return try await Request.any(requests).text
      } catch {
        return error.cause?.kind ?? "\(error.httpStatusCode ?? 0)"
      }
    }

    // MARK: all

    @Test func `CMB-01 all gives what they bring in their order whichever comes first`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(isHeld: true)
        let requests = ["/a", "/b", "/c"].map { api.resource($0).load() }
        let task = home.spawn { await Self.outcome(all: requests) }
        while provider.heldCount < 3 { await Task.yield() }
        for index in [2, 0, 0] { provider.release(index) }
        let outcome = try await task.value
        #expect(outcome == "a b c")
      }
    }

    @Test func `CMB-02 the first failure ends all and what nobody else waits for`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(isHeld: true)
        var lines: [String] = []
        let requests = ["/a", "/404", "/b"].map { path in
          api.resource(path).load().onFailure { _ in lines.append("hook \(path)") }
        }
        let other = home.spawn { try await requests[2].entity().text }
        let task = home.spawn {
          let outcome = await Self.outcome(all: requests)
          lines.append("went on")
          return outcome
        }
        while provider.heldCount < 3 { await Task.yield() }
        provider.release(1)
        let outcome = try await task.value
        #expect(outcome == "404")
        #expect(lines == ["hook /404", "hook /a", "went on"])
        #expect(provider.cancelledCount == 1 && !requests[2].isCompleted)
        provider.release()
        let text = try await other.value
        #expect(text == "b")
      }
    }

    @Test func `CMB-03 a load that somebody observes goes on`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(isHeld: true)
        let resource = api.resource("/a")
        resource.addObserver(owner: api) { _, _ in }
        let requests = [resource.load(), api.resource("/404").load()]
        let task = home.spawn { await Self.outcome(all: requests) }
        while provider.heldCount < 2 { await Task.yield() }
        provider.release(1)
        let outcome = try await task.value
        #expect(outcome == "404" && resource.isLoading && provider.cancelledCount == 0)
      }
    }

    @Test(arguments: [true, false])
    func `CMB-04 cancelling the task leaves all of them`(isAll: Bool) throws {
      try Lull.run { home in
        let (api, provider) = stubbed(isHeld: true)
        let requests = ["/a", "/b"].map { api.resource($0).load() }
        let other = home.spawn { try await requests[1].entity().text }
        let task = home.spawn {
          isAll ? await Self.outcome(all: requests) : await Self.outcome(any: requests)
        }
        while provider.heldCount < 2 { await Task.yield() }
        task.cancel()
        let outcome1 = try await task.value
        #expect(outcome1 == "request_cancelled")
        #expect(provider.cancelledCount == 1 && !requests[1].isCompleted)
        provider.release()
        let text = try await other.value
        #expect(text == "b")
        // Cancelled before it waits.
        let late = home.spawn {
          await Self.outcome(all: [api.resource("/c").load()])
        }
        late.cancel()
        let outcome2 = try await late.value
        #expect(outcome2 == "request_cancelled")
      }
    }

    @Test func `CMB-05 who waits for several of a home that ends is told`() async throws {
      let home = try Home.start()
      let journal = Journal()
      let tasks = [true, false].map { isAll in
        home.spawn { home in
          let (api, _) = stubbed(isHeld: true)
          let requests = ["/a", "/b"].map { api.resource($0).load() }
          journal("waits")
          let outcome1 =
            isAll ? await Self.outcome(all: requests) : await Self.outcome(any: requests)
          while true {
            // Afterwards too.
            let outcome2 = await Self.outcome(all: [api.resource("/c").load()])
            if Task.isCancelled { return outcome1 + " " + outcome2 }
          }
        }
      }
      while journal.lines.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
      await home.shutdown()
      for task in tasks {
        let outcome = try await task.value
        #expect(outcome == "request_cancelled request_cancelled")
      }
    }

    @Test func `CMB-06 of no requests all gives none and any fails`() throws {
      try Lull.run { home in
        let entities = try await Request.all([])
        #expect(entities.isEmpty)
        do throws(RequestError) {
          try await Request.any([])
          Issue.record("it did not throw")
        } catch {
          #expect(
            error.userMessage == "Request.any has no request to wait for: its list is empty")
        }
      }
    }

    @Test func `CMB-07 the same request twice counts twice and is left as a whole`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(isHeld: true)
        let request = api.resource("/a").load()
        let task1 = home.spawn { await Self.outcome(all: [request, request]) }
        while provider.heldCount < 1 { await Task.yield() }
        provider.release()
        let outcome1 = try await task1.value
        #expect(outcome1 == "a a")
        let second = api.resource("/b").load()
        let task2 = home.spawn { await Self.outcome(any: [second, second]) }
        while provider.heldCount < 1 { await Task.yield() }
        task2.cancel()
        let outcome2 = try await task2.value
        #expect(outcome2 == "request_cancelled" && second.isCompleted)
        #expect(provider.cancelledCount == 1)
      }
    }

    @Test func `CMB-08 what has ended counts and services may differ`() throws {
      try Lull.run { home in
        let (one, _) = stubbed()
        let (two, _) = stubbed()
        let done = one.resource("/a").load()
        _ = try await done.entity()
        let entities = try await Request.all([done, two.resource("/b").request("POST")])
        #expect(entities.map(\.text) == ["a", "b"])
        let failed = two.resource("/503").load()
        _ = await failed.completed()
        let outcome = await Self.outcome(all: [failed, done])
        #expect(outcome == "503")
        let first = try await Request.any([failed, done])
        #expect(first.text == "a")
      }
    }

    // MARK: any

    @Test func `CMB-09 any gives the first success and leaves the others`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(isHeld: true)
        let requests = ["/a", "/503", "/b"].map { api.resource($0).load() }
        let task = home.spawn { await Self.outcome(any: requests) }
        while provider.heldCount < 3 { await Task.yield() }
        provider.release(1)
        while !requests[1].isCompleted { await Task.yield() }
        #expect(!requests[0].isCompleted)
        provider.release(1)
        let outcome = try await task.value
        #expect(outcome == "b")
        #expect(requests[0].response?.isCancellation == true && provider.cancelledCount == 1)
      }
    }

    @Test func `CMB-10 any throws the first error when all have failed`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(isHeld: true)
        let requests = ["/404", "/503"].map { api.resource($0).load() }
        let task = home.spawn { await Self.outcome(any: requests) }
        while provider.heldCount < 2 { await Task.yield() }
        provider.release(1)
        while !requests[1].isCompleted { await Task.yield() }
        provider.release()
        let outcome = try await task.value
        #expect(outcome == "503")
      }
    }
  }
}
