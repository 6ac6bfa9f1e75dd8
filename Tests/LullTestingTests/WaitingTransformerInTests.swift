import LullCore
import LullTesting
import Testing

/// Transformers that wait, where no event loop is.
@Suite(.timeLimit(.minutes(20))) struct WaitingTransformerInTests {
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

  @Test func `TEST-33 one settling is enough for transformers that wait for others`() throws {
    try Lull.test { test in
      for name in ["a", "b", "c"] {
        test.network.stub("GET", "https://api.test/\(name)", .text(name))
      }
      let api = test.service()
      for (name, next) in [("a", "b"), ("b", "c")] {
        api.configureTransformer("/" + name) { (text: String, _) async throws -> String in
          for _ in 0..<3 { await Task.yield() }
          return try await text + api.resource(next).load().entity().text
        }
      }
      let resource = api.resource("/a")
      resource.load()
      await test.settle()
      #expect(resource.text == "abc")
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
