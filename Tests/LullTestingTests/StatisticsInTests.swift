import LullCore
import LullTesting
import Testing

/// What is counted of a pump that is no home's, by what is public alone.
@Suite(.timeLimit(.minutes(20))) struct StatisticsInTests {
  @Test func `CNT-05 a test counts its requests, those of no resource too`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .json("1"))
      test.network.holdsAnswers = true
      let api = test.service()
      let load = api.resource("/a").load()
      #expect(test.pump.statistics.requestsInFlight == 1)
      #expect(test.pump.statistics.services == 1)
      await test.settle()
      test.network.release()
      _ = try await load.entity()
      #expect(test.pump.statistics.requestsInFlight == 0)
      #expect(test.pump.statistics.requestsQueued == 0)
    }
  }

  @Test func `CNT-05 a pump of one's own counts until it is closed, by CNT-06`() throws {
    let pump = Pump(clock: ManualClock())
    let provider = StubProvider()
    provider.stub("GET", "https://api.test/a", .json("1"))
    let api = Service(baseURL: "https://api.test", networking: provider, pump: pump)
    let resource = api.resource("/a")
    let load = resource.load()
    // The same request, as a load of another one too.
    let other = api.resource("/b")
    other.load(using: load)
    _ = api.resource("/c").load().chained { _ in .useThisResponse }
    var statistics = pump.statistics
    #expect((statistics.services, statistics.resources) == (1, 3))
    #expect(statistics.requestsInFlight == 2)
    while !load.isCompleted { pump.turn() }
    pump.turn()
    statistics = pump.statistics
    #expect(statistics.requestsInFlight == 0)
    #expect((statistics.documentBytes >= 0, statistics.bodyBytes >= 0) == (true, true))
    let next = resource.load()
    #expect(pump.statistics.requestsInFlight == 1)
    next.cancel()
    #expect(pump.statistics.requestsInFlight == 0)
  }
}
