import LullLibC
import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// `concurrentMap` of Swift programs.
  @Suite struct ConcurrentMapTests {
    private struct Flaw: Error, Equatable {
      var number: Int
    }

    private func held() -> (service: Service, provider: StubProvider) {
      let provider = StubProvider()
      for number in 1...20 {
        provider.stub("GET", "https://api.test/\(number)", .text("\(number)"))
      }
      provider.holdsAnswers = true
      return (Service(baseURL: "https://api.test", networking: provider), provider)
    }

    @Test func `CMB-20 CMB-21 results stay in order and no more than the limit run at once`() throws
    {
      let thread = pthread_self()
      try Lull.run { home in
        let (api, provider) = held()
        let task = home.spawn {
          try await (1...6).concurrentMap(limit: 2) { number in
            let text = try await api.resource("/\(number)").load().entity().text
            #expect(pthread_equal(pthread_self(), thread) != 0)
            return text
          }
        }
        var most = 0
        while provider.requests.count < 6 || provider.heldCount > 0 {
          most = max(most, provider.heldCount)
          if provider.heldCount == 2 || provider.requests.count == 6 && provider.heldCount > 0 {
            // The later one first.
            provider.release(provider.heldCount - 1)
          }
          await Task.yield()
        }
        let texts = try await task.value
        #expect(texts == ["1", "2", "3", "4", "5", "6"])
        #expect(most == 2)
      }
    }

    @Test func `CMB-21 eight run at once unless told otherwise`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let task = home.spawn {
          try await (1...20).concurrentMap { number in
            try await api.resource("/\(number)").load().entity().text
          }
        }
        while provider.heldCount < 8 { await Task.yield() }
        for _ in 0..<20 { await Task.yield() }
        #expect(provider.requests.count == 8)
        task.cancel()
        await #expect(throws: RequestError.self) { try await task.value }
      }
    }

    @Test func `CMB-22 the first error ends the others and is thrown when they have ended`() throws
    {
      try Lull.run { home in
        let (api, provider) = held()
        var lines: [String] = []
        do throws(Flaw) {
          _ = try await (1...9).concurrentMap(limit: 3) { number async throws(Flaw) -> String in
            lines.append("begins \(number)")
            if number == 2 {
              while provider.heldCount < 2 { await Task.yield() }
              throw Flaw(number: number)
            }
            let response = await api.resource("/\(number)").load().completed()
            lines.append("\(number) \(response.isCancellation)")
            return "\(number)"
          }
          Issue.record("it did not throw")
        } catch {
          #expect(error == Flaw(number: 2))
        }
        #expect(lines.sorted() == ["1 true", "3 true", "begins 1", "begins 2", "begins 3"])
        #expect(provider.cancelledCount == 2)
      }
    }

    @Test func `CMB-23 cancelling the task cancels what its calls wait for`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        let task = home.spawn {
          try await (1...5).concurrentMap(limit: 5) { number in
            try await api.resource("/\(number)").load().entity().text
          }
        }
        while provider.heldCount < 5 { await Task.yield() }
        task.cancel()
        do {
          _ = try await task.value
          Issue.record("it did not throw")
        } catch let error as RequestError {
          #expect(error.cause?.kind == "request_cancelled")
        }
        #expect(provider.cancelledCount == 5)
      }
    }

    @Test func `CMB-24 nothing hangs when the home ends`() async throws {
      let home = try Home.start()
      let journal = Journal()
      let task = home.spawn { home in
        let (api, _) = held()
        return try await (1...20).concurrentMap(limit: 3) { number in
          journal("\(number)")
          return try await api.resource("/\(number)").load().entity().text
        }
      }
      while journal.lines.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
      await home.shutdown()
      await #expect(throws: RequestError.self) { try await task.value }
    }

    @Test func `CMB-25 an empty sequence has an empty result and a function need not throw`() throws
    {
      try Lull.run { home in
        let none = await [Int]().concurrentMap { number in number }
        #expect(none.isEmpty)
        let optional = await [1, 2, 3].concurrentMap(limit: .max) { number -> Int? in
          await Task.yield()
          return number == 2 ? nil : number
        }
        #expect(optional == [1, nil, 3])
      }
    }

    @Test func `CMB-26 elements and results need not be Sendable`() throws {
      try Lull.run { home in
        let (api, provider) = held()
        provider.holdsAnswers = false
        let resources = [api.resource("/1"), api.resource("/2")]
        let loaded: [Resource] = try await resources.concurrentMap { resource in
          _ = try await resource.load().entity()
          return resource
        }
        #expect(loaded.map(\.text) == ["1", "2"])
        #expect(zip(loaded, resources).allSatisfy { $0 === $1 })
      }
    }

    @Test func `CMB-27 without an actor or with a limit below 1 it ends the program`() async {
      let nowhere = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = await [1].concurrentMap(isolation: nil) { number in number }
      }
      let text = String(decoding: nowhere?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("concurrentMap needs an actor to run on, such as a home"))
      let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Lull.run { home in _ = await [1].concurrentMap(limit: 0) { number in number } }
      }
      let words = String(decoding: none?.standardErrorContent ?? [], as: UTF8.self)
      #expect(words.contains("concurrentMap(limit: 0): the limit must be 1 or more"))
    }
  }
}
