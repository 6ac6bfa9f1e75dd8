import LullCore
import LullTesting
import Testing

/// Transformers that wait, where no event loop is.
@Suite(.timeLimit(.minutes(10))) struct WaitingTransformerInTests {
  @Test func `AWT-10 a transformer waits inside Lull.test`() throws {
    try Lull.test { test in
      test.network.stub("GET", "https://api.test/a", .text("tea"))
      test.network.stub("GET", "https://api.test/b", .text("rice"))
      let api = test.service()
      api.configureTransformer("/a") { (text: String, _) async throws -> String in
        try await text + " and " + api.resource("/b").load().entity().text
      }
      let text = try await api.resource("/a").load().entity().text
      #expect(text == "tea and rice")
      let again = api.resource("/a")
      again.load()
      await test.settle()
      #expect(!again.isLoading && again.text == "tea and rice")
    }
  }

  @Test func `AWT-10 a pump that is turned by hand runs the tasks of transformers`() throws {
    let network = StubProvider()
    network.stub("GET", "https://api.test/a", .text("tea"))
    network.stub("GET", "https://api.test/b", .text("rice"))
    let pump = Pump(clock: ManualClock())
    let api = Service(baseURL: "https://api.test", networking: network, pump: pump)
    api.configureTransformer("/a") { (text: String, _) async throws -> String in
      try await text + " and " + api.resource("/b").load().entity().text
    }
    let resource = api.resource("/a")
    resource.load()
    // None of them waits for another thread.
    for _ in 0..<30 { pump.turn() }
    #expect(resource.text == "tea and rice")
  }
}
