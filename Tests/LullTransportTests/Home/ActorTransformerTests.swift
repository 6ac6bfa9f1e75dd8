import LullLibC
import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Transformers that wait, of an actor on a home: its closures are its own.
  @Suite struct ActorTransformerTests {
    private actor Catalogue {
      private let home: Home
      private let api: Service
      private let provider = StubProvider()
      private var seen: [String] = []
      private var waiting: CheckedContinuation<Void, Never>?
      nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

      init(home: Home) {
        self.home = home
        api = Service(baseURL: "https://api.test", on: home, networking: provider)
      }

      func prepare() {
        for name in ["a", "b", "c"] {
          provider.stub("GET", "https://api.test/\(name)", .text(name))
        }
        provider.stub("GET", "https://api.test/author", .text("Ann"))
        api.configureTransformer("/a") { (text: String, _) async throws -> String in
          self.note("begins \(text)")
          let author = try await self.api.resource("/author").load().entity().text
          self.note("ends")
          return "\(text) by \(author)"
        }
        api.configureTransformer("/b") { (text: String, _) async -> String in
          self.note("waits")
          // Nothing cancels that.
          await withCheckedContinuation { self.waiting = $0 }
          self.note("went on \(Task.isCancelled)")
          return text
        }
      }

      private func note(_ line: String) {
        assertIsolated()
        seen.append(line)
      }

      var lines: [String] { seen }

      func goOn() {
        waiting?.resume()
        waiting = nil
      }

      func text(of path: String) async -> String {
        let response = await api.resource(path).load().completed()
        return response.entity?.text ?? response.error?.cause?.kind ?? "?"
      }

      func texts(of paths: [String]) async throws -> [String] {
        try await paths.concurrentMap(limit: 2) { path in
          self.note("asks \(path)")
          return try await self.api.resource(path).load().entity().text
        }
      }

      func loadCached() async -> [String] {
        let cache = MemoryEntityCache()
        api.configure("/a") { $0.pipeline[.parsing].cacheUsing(cache) }
        let first = await text(of: "/a")
        let other = Service(baseURL: "https://api.test", on: home, networking: StubProvider())
        other.configure("/a") {
          $0.expirationTime = 300
          $0.pipeline[.parsing].cacheUsing(cache)
        }
        other.configureTransformer("/a") { (text: String, _) async throws -> String in
          await Task.yield()
          self.note("of the cache: \(text)")
          return text + text
        }
        let request = other.resource("/a").loadIfNeeded()
        let response = await request?.completed()
        return [first, response?.entity?.text ?? "none", other.resource("/a").text]
      }
    }

    @Test func `AWT-02 CMB-20 closures of an actor run as part of it`() async throws {
      let home = try Home.start()
      let catalogue = Catalogue(home: home)
      await catalogue.prepare()
      let text = await catalogue.text(of: "/a")
      #expect(text == "a by Ann")
      let lines1 = await catalogue.lines
      #expect(lines1 == ["begins a", "ends"])
      let texts = try await catalogue.texts(of: ["/c", "/a", "/author"])
      #expect(texts == ["c", "a by Ann", "Ann"])
      let lines2 = await catalogue.lines
      #expect(lines2.filter { $0.hasPrefix("asks") } == ["asks /c", "asks /a", "asks /author"])
      await home.shutdown()
    }

    @Test func `AWT-03 the last waiter that leaves ends the transformer too`() async throws {
      let home = try Home.start()
      let catalogue = Catalogue(home: home)
      await catalogue.prepare()
      let task = Task { await catalogue.text(of: "/b") }
      while await catalogue.lines.isEmpty { await Task.yield() }
      task.cancel()
      let text = await task.value
      #expect(text == "request_cancelled")
      await catalogue.goOn()
      while await catalogue.lines.count < 2 { await Task.yield() }
      let lines = await catalogue.lines
      #expect(lines == ["waits", "went on true"])
      await home.shutdown()
    }

    @Test func `AWT-04 one that outlives its home goes on and is heard of no more`() async throws {
      let home = try Home.start()
      let catalogue = Catalogue(home: home)
      await catalogue.prepare()
      let task = Task { await catalogue.text(of: "/b") }
      while await catalogue.lines.isEmpty { await Task.yield() }
      await home.shutdown()
      let text = await task.value
      #expect(text == "request_cancelled")
      await catalogue.goOn()
      while await catalogue.lines.count < 2 { await Task.yield() }
      let lines = await catalogue.lines
      #expect(lines == ["waits", "went on true"])
    }

    @Test func `AWT-06 what a cache has of an earlier stage passes those that wait`() async throws {
      let home = try Home.start()
      let catalogue = Catalogue(home: home)
      await catalogue.prepare()
      let texts = await catalogue.loadCached()
      #expect(texts == ["a by Ann", "aa", "aa"])
      let lines = await catalogue.lines
      #expect(lines.last == "of the cache: a")
      await home.shutdown()
    }
  }
}
