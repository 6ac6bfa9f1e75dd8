import LullCore
import LullTesting
import LullTransport
import Testing

/// A service of a function that the compiler takes for nobody's.
private func makeService() -> Service { Service(baseURL: "https://api.test") }

/// One of a user's own, nearly as in Siesta.
private class Songs: Service {
  init() { super.init(baseURL: "https://api.test", surroundings: .current) }
}

extension TransportSuite {
  /// What is used on another thread than its home's, and the compiler does not see: the program ends with a message,
  /// and not in some other way.
  @Suite(.timeLimit(.minutes(20))) struct OtherThreadTests {
    /// Uses something of a service, a resource and a request on another thread than theirs, the thread being busy.
    private static func use(_ number: Int) throws {
      try Lull.run { home in
        let provider = StubProvider()
        provider.holdsAnswers = true
        let api = Service(baseURL: "https://api.test", networking: provider)
        let resource = api.resource("/a")
        let request = resource.load()
        let use = Unchecked(uses(of: api, resource, request)[number])
        await Task.detached { use.value() }.value
      }
    }

    private static func uses(
      of api: Service, _ resource: Resource, _ request: Request
    ) -> [() -> Void] {
      uses(of: api) + uses(of: resource)
        + [
          { _ = request.state }, { _ = request.isCompleted }, { _ = request.response },
          { _ = request.progress }, { request.cancel() }, { request.start() },
          { request.onProgress { _ in } },
        ]
    }

    private static func uses(of api: Service) -> [() -> Void] {
      [
        { api.isOffline = true }, { api.invalidateConfiguration() }, { api.configure { _ in } },
        { _ = api.cachedResourceCountLimit }, { api.cachedResourceCountLimit = 1 },
        { _ = api.cachedResourceByteLimit }, { api.cachedResourceByteLimit = 1 },
        { api.flushUnusedResources() }, { api.wipeResources() }, { api.invalidateResources() },
      ]
    }

    private static func uses(of resource: Resource) -> [() -> Void] {
      [
        { _ = resource.latestData }, { _ = resource.latestError }, { _ = resource.timestamp },
        { _ = resource.isLoading }, { _ = resource.isRequesting }, { _ = resource.allRequests },
        { _ = resource.loadRequests }, { _ = resource.isUpToDate }, { _ = resource.configuration },
        { resource.invalidate() }, { resource.wipe() }, { resource.addObserver(EventRecorder()) },
        { resource.overrideLocalContent(with: .text("a")) },
        { resource.removeObservers(ownedBy: resource) },
        { resource.cancelLoadIfUnobserved() }, { resource.request(.post) },
      ]
    }

    private struct Unchecked<Value>: @unchecked Sendable {
      // The test is about what the compiler would refuse.
      let value: Value
      init(_ value: Value) { self.value = value }
    }

    private func expectMessage(_ end: ExitTest.Result?, _ what: Comment) {
      let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        text.contains("Fatal error: a service, resource or request was used on another thread"),
        "\(what): \(text)")
    }

    @Test(arguments: 0..<33)
    func `HOME-10 every part of a service, resource or request ends the program with a message`(
      number: Int
    ) async {
      let end = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [number] in
        try TransportSuite.OtherThreadTests.use(number)
      }
      expectMessage(end, "use \(number)")
    }

    @Test
    func `HOME-10 SVC-37 a service of a function that is nobody's ends the program with a message`()
      async
    {
      let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Lull.run { home in
          let api = makeService()
          _ = await Task.detached { try? await api.resource("/x").load().entity() }.value
        }
      }
      expectMessage(end, "a factory")
    }

    @Test
    func `HOME-10 SVC-37 a subclass that finds its home by its thread ends it with a message`()
      async
    {
      let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Lull.run { home in
          let songs = Songs()
          _ = await Task.detached { try? await songs.resource("/x").load().entity() }.value
        }
      }
      expectMessage(end, "a subclass")
    }

    @Test func `HOME-10 a service is configured on another thread until its first use`()
      async throws
    {
      let home = try Home.start()
      let api = Service(baseURL: "https://api.test", on: home)
      api.isOffline = true
      api.cachedResourceCountLimit = 1
      api.invalidateConfiguration()
      #expect(api.isOffline && api.cachedResourceCountLimit == 1)
      await home.shutdown()
    }
  }
}
