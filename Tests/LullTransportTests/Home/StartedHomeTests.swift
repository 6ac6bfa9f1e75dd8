import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Homes that live as long as a server.
  @Suite(.timeLimit(.minutes(20))) struct StartedHomeTests {
    private static func stub(_ home: isolated Home, holds: Bool = false) -> (Service, StubProvider)
    {
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/a", .text("a"))
      provider.holdsAnswers = holds
      return (Service(baseURL: "https://api.test", networking: provider), provider)
    }

    /// Whether this is the thread that runs the loop of `home`.
    private static func isThread(of home: isolated Home) -> Bool {
      home.pump.isOnThread
    }

    @Test func `HOME-01 runs on a thread of its own until it is shut down`() async throws {
      let home = try Home.start()
      let caller = pthread_self()
      let (text, isElsewhere) = try await home.perform { home in
        let (api, _) = Self.stub(home)
        let text = try await api.resource("/a").load().entity().text
        return (text, pthread_equal(pthread_self(), caller) == 0 && Self.isThread(of: home))
      }
      #expect(text == "a" && isElsewhere)
      await home.shutdown()
      await #expect(throws: HomeHasEnded.self) { try await home.perform { _ in } }
    }

    @Test func `HOME-02 loads over the network`() async throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let url = nginx.url
      let home = try Home.start()
      let answer = try await home.perform { home in
        try await Service(baseURL: url).resource("/json").load().entity().jsonDict["answer"]?.int
      }
      #expect(answer == 42)
      await home.shutdown()
    }

    @Test func `HOME-03 what a body throws is thrown to whoever has it performed`() async throws {
      struct Stop: Error {}
      let home = try Home.start()
      await #expect(throws: Stop.self) { try await home.perform { _ in throw Stop() } }
      await home.shutdown()
    }

    @Test func `HOME-04 cancelling the caller cancels what the body waits for`() async throws {
      let home = try Home.start()
      let ready = Flag()
      let task = Task {
        try await home.perform { home in
          let (api, _) = Self.stub(home, holds: true)
          let request = api.resource("/a").load()
          ready.set()
          return await request.completed().error?.cause?.kind
        }
      }
      while !ready.isSet { await Task.yield() }
      task.cancel()
      #expect(try await task.value == "request_cancelled")
      await home.shutdown()
    }

    @Test func `HOME-05 spawn runs on the home whoever calls it`() async throws {
      let home = try Home.start()
      // From no actor, from a thread of nobody's, from the main actor, and from the home.
      #expect(try await home.spawn { home in Self.isThread(of: home) }.value)
      let fromThread = Slot<Task<Bool, any Error>>()
      Background.run { fromThread.set(home.spawn { home in Self.isThread(of: home) }) }
      #expect(try await fromThread.get().value)
      let fromMain = await MainActor.run { home.spawn { home in Self.isThread(of: home) } }
      #expect(try await fromMain.value)
      let isSame = try await home.perform { home in
        try await home.spawn { Self.isThread(of: home) }.value
      }
      #expect(isSame)
      await home.shutdown()
    }

    @Test func `HOME-06 shutting down cancels tasks and requests and waits for the end`()
      async throws
    {
      let home = try Home.start()
      let ready = Flag()
      let sleeping = home.spawn { _ in
        ready.set()
        try await Task.sleep(for: .seconds(600))
      }
      while !ready.isSet { await Task.yield() }
      async let first: Void = home.shutdown()
      async let second: Void = home.shutdown()
      _ = await (first, second)
      await #expect(throws: CancellationError.self) { try await sleeping.value }
      await #expect(throws: HomeHasEnded.self) { try await home.spawn { _ in }.value }
      await home.shutdown()
    }

    @Test func `HOME-06 a home that is shut down from within ends too`() async throws {
      let home = try Home.start()
      let inside = home.spawn { home in await home.shutdown() }
      try await inside.value
      try? await home.perform { home in await home.shutdown() }
      await home.shutdown()
      await #expect(throws: HomeHasEnded.self) { try await home.perform { _ in } }
    }

    @Test func `HOME-06 shutting down the home of a run cancels its body`() throws {
      let kind = try Lull.run { home in
        let (api, provider) = Self.stub(home, holds: true)
        home.spawn {
          while provider.heldCount < 1 { await Task.yield() }
          await home.shutdown()
        }
        return await api.resource("/a").load().completed().error?.cause?.kind
      }
      #expect(kind == "request_cancelled")
    }

    @Test func `HOME-07 threads and descriptors are given back`() async throws {
      func count(_ folder: String) -> Int {
        guard let entries = opendir(folder) else { return 0 }
        defer { closedir(entries) }
        var count = 0
        while readdir(entries) != nil { count += 1 }
        return count
      }
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let url = nginx.url
      func once() async throws {
        let home = try Home.start()
        _ = try await home.perform { home in
          try await Service(baseURL: url).resource("/json").load().entity().text
        }
        await home.shutdown()
      }
      try await once()
      let before = count("/proc/self/fd")
      for _ in 0..<20 { try await once() }
      // Other tests open and close some meanwhile; these would have left five each.
      #expect(count("/proc/self/fd") < before + 60)
    }

    // MARK: Actors

    actor Catalogue {
      private let home: Home
      private let api: Service
      nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

      init(home: Home, provider: sending StubProvider) {
        self.home = home
        api = Service(baseURL: "https://api.test", on: home, networking: provider)
        // Before its first use it may be configured where it is made.
        api.configure { $0.expirationTime = 60 }
      }

      func text(of path: String) async throws -> String {
        let resource = api.resource(path)
        if let request = resource.loadIfNeeded() { return try await request.entity().text }
        return resource.text
      }

      var isAtHome: Bool { api.pump.isOnThread }
    }

    actor LateCatalogue {
      private let home: Home
      private var api: Service?
      nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

      init(home: Home) async {
        self.home = home
        // From here on it runs on its executor, which is the home's.
        api = Service(baseURL: "https://api.test")
      }

      func failure() async -> String? {
        await api?.resource("/a").load().completed().error?.cause?.kind
      }
    }

    @Test func `HOME-08 an actor makes its service in its initialiser and uses it on the home`()
      async throws
    {
      let home = try Home.start()
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/a", .text("a"))
      let catalogue = Catalogue(home: home, provider: provider)
      #expect(try await catalogue.text(of: "/a") == "a")
      #expect(await catalogue.isAtHome)
      await home.shutdown()
      await #expect(throws: RequestError.self) { try await catalogue.text(of: "/b") }
      #expect(try await catalogue.text(of: "/a") == "a")
    }

    @Test func `HOME-08 an asynchronous initialiser of an actor runs on the home`() async throws {
      let home = try Home.start()
      let catalogue = await LateCatalogue(home: home)
      #expect(await catalogue.failure() != nil)
      await home.shutdown()
    }

    @Test func `HOME-09 10,000 concurrent readers of 25 resources make 25 requests`() async throws {
      let home = try Home.start()
      let provider = StubProvider()
      for index in 0..<25 { provider.stub("GET", "https://api.test/\(index)", .text("\(index)")) }
      let catalogue = Catalogue(home: home, provider: provider)
      let isRight = try await withThrowingTaskGroup { group in
        for index in 0..<10_000 {
          group.addTask { try await catalogue.text(of: "/\(index % 25)") == "\(index % 25)" }
        }
        return try await group.reduce(true) { $0 && $1 }
      }
      #expect(isRight)
      #expect(await catalogue.requestCount == 25)
      await home.shutdown()
    }

    // MARK: Threads

    @Test func `HOME-10 what is used on another thread ends the program with a message`() async {
      let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let home = try Home.start()
        // The compiler cannot see where a service of a home is made.
        _ = Service(baseURL: "https://api.test", on: home).resource("/a")
      }
      let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("was used on another thread than its home's"), "\(text)")
    }
  }
}

extension TransportSuite.StartedHomeTests.Catalogue {
  var requestCount: Int { (api.networking as? StubProvider)?.requests.count ?? 0 }
}
