import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// What is counted of a home, by what is public alone.
  @Suite struct HomeStatisticsTests {
    private actor Keeper {
      let api: Service

      init(_ home: Home, _ provider: StubProvider) {
        api = Service(baseURL: "https://api.test", on: home, networking: provider)
      }
    }

    private static func stubs() -> StubProvider {
      let provider = StubProvider()
      for path in ["/a", "/b"] { provider.stub("GET", "https://api.test" + path, .json("1")) }
      return provider
    }

    @Test func `CNT-01 services, resources, their use and observers are counted`() throws {
      try Lull.run { home in
        let provider = HomeStatisticsTests.stubs()
        let api = Service(baseURL: "https://api.test", networking: provider)
        #expect(home.statistics.services == 1)
        let held = api.resource("/held")
        for number in 0..<10 { _ = api.resource("/\(number)") }
        held.addObserver(owner: api) { _, _ in }
        let statistics = home.statistics
        #expect((statistics.resources, statistics.resourcesInUse) == (11, 1))
        #expect(statistics.observers == 1)
        let other = Service(baseURL: "https://other.test", networking: provider)
        #expect(home.statistics.services == 2)
        #expect(other.resource("/x").service === other)
        #expect(home.statistics.resources == 12)
        held.removeObservers(ownedBy: api)
        api.flushUnusedResources()
        #expect(home.statistics.resources == 2)
        #expect(home.statistics.observers == 0)
      }
    }

    @Test func `CNT-02 a request counts until it has ended, and a chain as one`() throws {
      try Lull.run { home in
        let provider = HomeStatisticsTests.stubs()
        provider.holdsAnswers = true
        let api = Service(baseURL: "https://api.test", networking: provider)
        let first = api.resource("/a").load()
        let second = api.resource("/b").load().chained { _ in .useThisResponse }
        #expect(home.statistics.requestsInFlight == 2)
        #expect(home.statistics.resourcesInUse == 2)
        while provider.heldCount < 2 { await Task.yield() }
        provider.release()
        provider.release()
        _ = try await first.entity()
        _ = try await second.entity()
        #expect(home.statistics.requestsInFlight == 0)
      }
    }

    @Test func `CNT-03 exchanges that wait for a connection are counted`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.waitForClose()
        })
      defer { server.stop() }
      let url = server.url
      try Lull.run { home in
        #expect(home.statistics.requestsQueued == 0)
        let api = Service(baseURL: url)
        api.configure { $0.limits.connectionsPerHost = 2 }
        let requests = (0..<5).map { api.resource("/\($0)").load() }
        #expect(home.statistics.requestsInFlight == 5)
        #expect(home.statistics.requestsQueued == 3)
        requests[0].cancel()
        requests[4].cancel()
        for request in [requests[0], requests[4]] { _ = await request.completed() }
        #expect(home.statistics.requestsInFlight == 3)
        #expect(home.statistics.requestsQueued == 1)
      }
    }

    @Test func `CNT-03 connections of streams are counted`() throws {
      let server = try #require(
        RawServer { connection in
          let isStream = connection.readRequest()?.hasPrefix("GET /s ") ?? false
          if isStream {
            connection.write(
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
          }
          connection.waitForClose()
        })
      defer { server.stop() }
      let url = server.url
      try Lull.run { home in
        let api = Service(baseURL: url)
        let load = api.resource("/unanswered").load()
        let stream = api.resource("/s").events()
        while home.statistics.streams == 0 {
          if case .item = stream.next() { break }
          await Task.yield()
        }
        let statistics = home.statistics
        #expect((statistics.streams, statistics.requestsInFlight) == (1, 2))
        stream.stop()
        load.cancel()
        _ = await load.completed()
        #expect(home.statistics.streams == 0)
      }
    }

    @Test func `CNT-04 a service that nobody holds is not counted`() throws {
      try Lull.run { home in
        weak var gone: Service?
        do {
          let api = Service(baseURL: "https://api.test", networking: HomeStatisticsTests.stubs())
          gone = api
          _ = try await api.resource("/a").load().entity()
          #expect(home.statistics.services == 1)
        }
        while gone != nil { await Task.yield() }
        #expect(home.statistics.services == 0)
        #expect(home.statistics.resources == 0)
      }
    }

    @Test func `CNT-04 services come and go on any thread while they are counted`() async throws {
      let home = try Home.start()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<200 { _ = Keeper(home, HomeStatisticsTests.stubs()) }
          }
        }
        for _ in 0..<100 { #expect(await home.statistics.services <= 4) }
      }
      #expect(await home.statistics.services == 0)
      await home.shutdown()
    }

    @Test func `CNT-06 a home that has ended has nothing to count`() async throws {
      let home = try Home.start()
      let keeper = Keeper(home, HomeStatisticsTests.stubs())
      #expect(await home.statistics.services == 1)
      await home.shutdown()
      let statistics = await home.statistics
      #expect((statistics.services, statistics.requestsInFlight) == (0, 0))
      withExtendedLifetime(keeper) {}
    }

    @Test func `CNT-07 statistics describe themselves on one line`() throws {
      let text = try Lull.run { home in
        let api = Service(baseURL: "https://api.test", networking: HomeStatisticsTests.stubs())
        _ = try await api.resource("/a").load().entity()
        return home.statistics.description
      }
      let expected = try Regex(
        "1 service, 1 resource, [01] of them in use, 0 observers, 0 requests in flight, "
          + "0 of them queued, 0 streams, [0-9]+ bytes? of documents, [0-9]+ bytes? of bodies")
      #expect(text.wholeMatch(of: expected) != nil, "\(text)")
    }
  }
}
