import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Tasks that an actor starts which runs on a home.
  @Suite(.timeLimit(.minutes(20))) struct ActorSpawnTests {
    actor Catalogue {
      private let home: any ServiceHome
      private let api: Service
      private let network = StubProvider()
      private var texts: [String] = []
      nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

      init(home: any ServiceHome) {
        self.home = home
        api = Service(baseURL: "https://api.test", on: home, networking: network)
        network.stub("GET", "https://api.test/a", .text("tea"))
      }

      func hold() { network.holdsAnswers = true }

      func refresh() async -> Task<Bool, any Error> {
        await home.spawn {
          let text = try await self.api.resource("/a").load().entity().text
          self.texts.append(text)
          return self.api.pump.isOnThread
        }
      }

      func pumpsOfOthers() async throws -> Bool {
        let task = await home.spawn { home in home.surroundings.context.pump.isOnThread }
        return try await task.value
      }

      var known: [String] { texts }
    }

    @Test func `HOME-11 a task of an actor on a home uses what the actor keeps`() async throws {
      let home = try Home.start()
      let catalogue = Catalogue(home: home)
      let task = await catalogue.refresh()
      #expect(try await task.value, "on the home's thread")
      #expect(await catalogue.known == ["tea"])
      #expect(try await catalogue.pumpsOfOthers())
      await home.shutdown()
    }

    @Test func `HOME-11 HOME-06 a task of an actor ends with the home`() async throws {
      let home = try Home.start()
      let catalogue = Catalogue(home: home)
      await catalogue.hold()
      let task = await catalogue.refresh()
      await home.shutdown()
      await #expect(throws: RequestError.self) { try await task.value }
      let late = await catalogue.refresh()
      await #expect(throws: HomeHasEnded.self) { try await late.value }
    }

    @Test func `HOME-11 a test is a home for such an actor too`() throws {
      try Lull.test { test in
        let catalogue = Catalogue(home: test)
        let task = await catalogue.refresh()
        await test.settle()
        let known = await catalogue.known
        #expect(known == ["tea"])
        let isThere = try await task.value
        #expect(isThere)
        let others = try await catalogue.pumpsOfOthers()
        #expect(others)
        #expect(test.statistics.services == 1, "counted by what every home has")
      }
    }
  }
}
