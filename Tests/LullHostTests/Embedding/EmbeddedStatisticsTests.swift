import LullCore
import LullHost
import LullTesting
import LullTransport
import Testing

/// What is counted where scripts and Swift share a home.
@Suite(.timeLimit(.minutes(20))) struct EmbeddedStatisticsTests {
  @Test func `CNT-01 scripts count their own, and the home counts all`() throws {
    try Lull.run { home in
      let provider = StubProvider()
      provider.holdsAnswers = true
      let own = Service(baseURL: "https://own.test", networking: provider)
      let load = own.resource("/a").load()
      let lua = try Lua(home)
      let names = [
        "services", "resources", "resources_in_use", "observers", "requests_in_flight",
        "requests_queued", "streams",
      ]
      try lua.set("names", names)
      let counts: [Int] = try await lua.run(
        """
        api = lull.service { base_url = "https://script.test", networking = function() return {} end }
        local first, second = api("/a"), api("/b")
        first:add_observer(function() end)
        request = second:load()
        local stats, counts = lull.stats(), {}
        for i, name in ipairs(names) do counts[i] = stats[name] end
        return counts
        """)
      #expect(counts == [1, 2, 2, 1, 1, 0, 0])
      let statistics = home.statistics
      #expect((statistics.services, statistics.resources) == (2, 3))
      #expect(statistics.observers == 1)
      #expect(statistics.requestsInFlight >= 1)
      load.cancel()
      lua.close()
    }
  }
}
