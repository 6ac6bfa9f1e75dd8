import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// `for await` over what happens to resources and requests.
  @Suite struct LoopTests {
    struct User: Codable, Sendable, Equatable { var id: Int }

    private func stubbed(
      _ answers: StubProvider.Answer...
    ) -> (user: Resource, provider: StubProvider) {
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/me", answers: answers)
      let service = Service(baseURL: "https://api.test", networking: provider)
      return (service.resource("/me"), provider)
    }

    // MARK: Events

    @Test func `COD-14 a loop hears what an observer hears, and observes only while it runs`()
      throws
    {
      try Lull.run { home in
        let (user, _) = stubbed(.json("{}"), .init(status: 500))
        let events = user.events
        user.load()
        var heard: [String] = []
        for await event in events {
          heard.append(event.description)
          if event == .error { break }
          if event == .newData(.network) { user.load() }
        }
        #expect(
          heard == ["observerAdded", "newData(network)", "requested", "error"])
        // Nobody observes any more.
        let load = user.load()
        user.cancelLoadIfUnobserved()
        #expect(load.isCompleted)
      }
    }

    @Test func `COD-14 each kind of event waits once, at its last place`() throws {
      try Lull.run { home in
        let (user, _) = stubbed(.json("{}"))
        var events = user.events.makeAsyncIterator()
        #expect(await events.next() == .observerAdded)
        for _ in 0..<100 {
          _ = await user.load().completed()
          user.overrideLocalContent(with: .text("x"))
        }
        user.load()
        #expect(await events.next() == .newData(.network))
        #expect(await events.next() == .newData(.localOverride))
        #expect(await events.next() == .requested)
        #expect(await events.next() == .newData(.network))
      }
    }

    @Test func `COD-20 a loop misses nothing that comes before its first step`() throws {
      try Lull.run { home in
        let (user, _) = stubbed(.json("{\"id\": 1}"))
        let load = user.load()
        var events = user.events.makeAsyncIterator()
        var values = user.values(of: User.self).makeAsyncIterator()
        _ = try await load.entity()
        #expect(await events.next() == .observerAdded)
        #expect(await events.next() == .newData(.network))
        #expect(await values.next()?.id == 1)
      }
    }

    @Test func `COD-15 cancelling the task ends a loop, and the observer with it`() throws {
      try Lull.run { home in
        let (user, provider) = stubbed(.json("{}"))
        provider.holdsAnswers = true
        let task = home.spawn {
          var count = 0
          for await _ in user.events { count += 1 }
          return count
        }
        let load = user.load()
        while provider.heldCount == 0 { await Task.yield() }
        await Task.yield()
        task.cancel()
        let count = try await task.value
        #expect(count <= 2)
        user.cancelLoadIfUnobserved()
        #expect(load.isCompleted)
      }
    }

    @Test func `COD-15 loops end when the home ends`() throws {
      let journal = Journal()
      try Lull.run { home in
        let (user, _) = stubbed(.json("{\"id\": 1}"))
        let never = Resource.prepareRequest(using: Idle())
        home.spawn {
          for await _ in user.events {}
          journal("events")
        }
        home.spawn {
          for await _ in user.values(of: User.self) {}
          journal("values")
        }
        home.spawn {
          for await _ in never.progress {}
          journal("progress")
        }
        _ = try await user.load().entity()
      }
      #expect(journal.lines.sorted() == ["events", "progress", "values"])
    }

    private final class Idle: RequestDelegate {
      func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler) {}
      func cancelUnderlyingOperation() {}
      func repeated() -> any RequestDelegate { self }
    }

    // MARK: Values

    @Test
    func `COD-16 a loop over values begins with the data that is there, and takes the latest`()
      throws
    {
      try Lull.run { home in
        let (user, provider) = stubbed(.json("{\"id\": 1}"))
        _ = try await user.load().entity()
        var values = user.values(of: User.self).makeAsyncIterator()
        #expect(await values.next()?.id == 1)
        for id in 2...4 {
          user.overrideLocalContent(with: .value(User(id: id)))
        }
        #expect(await values.next()?.id == 4)
        user.wipe()
        let next = home.spawn { try await user.fresh(User.self) }
        #expect(await values.next()?.id == 1)
        _ = try await next.value
        #expect(provider.requests.count == 2)
      }
    }

    @Test func `COD-16 errors and other types are no values, and are told`() throws {
      let journal = Journal()
      try Lull.run { home in
        let (user, _) = stubbed(
          .init(status: 500), .json("{\"id\": \"x\"}"), .json("{\"id\": 2}"))
        let values = user.values(of: User.self) {
          journal($0.cause?.kind ?? "\($0.httpStatusCode ?? 0)")
        }
        home.spawn {
          for _ in 0..<3 { _ = await user.load().completed() }
        }
        for await value in values {
          #expect(value.id == 2)
          break
        }
      }
      #expect(journal.lines.first == "500")
      #expect(journal.lines.count <= 2)
    }

    // MARK: Progress

    @Test func `COD-17 progress is a number, and a loop that ends with 1`() throws {
      try Lull.run { home in
        let (user, provider) = stubbed(.json("{}"))
        provider.holdsAnswers = true
        let load = user.load()
        #expect(load.progress < 1)
        let task = home.spawn {
          var seen: [Double] = []
          for await progress in load.progress { seen.append(progress) }
          return seen
        }
        while provider.heldCount == 0 { await Task.yield() }
        provider.release()
        let seen = try await task.value
        #expect(seen.last == 1 && seen == seen.sorted() && Set(seen).count == seen.count)
        let all = load.progress
        #expect(all == 1)
        var after: [Double] = []
        for await progress in load.progress { after.append(progress) }
        #expect(after == [1])
      }
    }
  }
}
