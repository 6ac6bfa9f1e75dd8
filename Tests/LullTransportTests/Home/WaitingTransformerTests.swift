import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Transformers of Swift programs that wait.
  @Suite struct WaitingTransformerTests {
    private struct Post: Sendable, Equatable {
      var title: String
      var author: String
    }

    private struct Flaw: Error, Equatable {
      var number: Int
    }

    private func stubbed() -> (service: Service, provider: StubProvider) {
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/a", .text("tea"))
      provider.stub("GET", "https://api.test/b", .text("rice"))
      provider.stub("GET", "https://api.test/author", .text("Ann"))
      return (Service(baseURL: "https://api.test", networking: provider), provider)
    }

    @Test
    func `AWT-01 AWT-02 a transformer loads another resource on the home and hooks wait for it`()
      throws
    {
      let thread = pthread_self()
      try Lull.run { home in
        let (api, _) = stubbed()
        var lines: [String] = []
        api.configureTransformer("/a") { (title: String, entity) async throws -> Post in
          lines.append("begins \(entity.contentType)")
          let author = try await api.resource("/author").load().entity().text
          lines.append("home \(pthread_equal(pthread_self(), thread) != 0)")
          return Post(title: title, author: author)
        }
        let resource = api.resource("/a")
        resource.addObserver(owner: api) { _, event in lines.append(event.description) }
        let request = resource.load().onSuccess { _ in lines.append("hook") }
        lines.append("returned")
        let post: Post? = try await request.entity().typedContent()
        #expect(post == Post(title: "tea", author: "Ann"))
        #expect(
          lines == [
            "observerAdded", "requested", "returned", "begins text/plain; charset=utf-8",
            "home true", "newData(network)", "hook",
          ])
        #expect(resource.latestData?.contentType == "text/plain; charset=utf-8")
      }
    }

    @Test func `AWT-03 cancelling the request cancels the task and what that waits for`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed()
        provider.holdsAnswers = true
        var lines: [String] = []
        api.configureTransformer("/a") { (title: String, _) async throws -> Post in
          let response = await api.resource("/author").load().completed()
          lines.append("\(Task.isCancelled) \(response.isCancellation)")
          return Post(title: title, author: "nobody")
        }
        let resource = api.resource("/a")
        let request = resource.load()
        while provider.heldCount < 1 { await Task.yield() }
        provider.release()
        while provider.heldCount < 1 { await Task.yield() }
        request.cancel()
        let response = await request.completed()
        #expect(response.isCancellation)
        while lines.isEmpty { await Task.yield() }
        #expect(lines == ["true true"])
        #expect(provider.cancelledCount == 1 && resource.latestData == nil)
        #expect(!api.resource("/author").isLoading)
      }
    }

    @Test func `AWT-03 a request cancelled before the transformer begins drops its result`() throws
    {
      try Lull.run { home in
        let (api, _) = stubbed()
        var request: Request?
        var count = 0
        api.configure {
          $0.pipeline[.cleanup].add(description: "late") { response in
            count += 1
            return response
          }
        }
        api.configureTransformer("/a") { (title: String, _) -> String in
          // The next step's task is to begin with a later turn.
          home.spawn { request?.cancel() }
          return title
        }
        request = api.resource("/a").load()
        let response = try #require(await request?.completed())
        #expect(response.isCancellation)
        await Task.yield()
        #expect(api.resource("/a").latestData == nil)
        #expect(count <= 1)
      }
    }

    @Test func `AWT-04 nothing hangs when the home ends`() async throws {
      let home = try Home.start()
      let journal = Journal()
      let waiting = home.spawn { home in
        let provider = StubProvider()
        provider.stub("GET", "https://api.test/a", .text("tea"))
        let api = Service(baseURL: "https://api.test", networking: provider)
        api.configureTransformer("/a") { (title: String, _) async throws -> String in
          journal("begins")
          do {
            try await Task.sleep(for: .seconds(600))
          } catch {
            journal("cancelled")
          }
          return title
        }
        return await api.resource("/a").load().completed().isCancellation
      }
      while journal.lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      await home.shutdown()
      let isCancellation = try await waiting.value
      #expect(isCancellation)
      while journal.lines.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(journal.lines == ["begins", "cancelled"])
    }

    @Test func `AWT-05 what it throws and nil are errors as of one that does not wait`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed()
        provider.stub("GET", "https://api.test/author", .json("{}", status: 404))
        func failure(
          _ transform: nonisolated(nonsending) @escaping (String, Entity) async throws -> String?
        ) async throws -> RequestError {
          api.configureTransformer("/a", description: "mine", contentTransform: transform)
          return try #require(await api.resource("/a").load().completed().error)
        }
        let thrown = try await failure { _, _ in
          await Task.yield()
          throw Flaw(number: 4)
        }
        guard case .custom(let cause)? = thrown.cause else {
          Issue.record("\(thrown)")
          return
        }
        #expect(cause as? Flaw == Flaw(number: 4))
        #expect(thrown.userMessage == "Cannot parse server response")
        #expect(thrown.httpStatusCode == 200 && thrown.entity?.content.size == 3)
        let raised = try await failure { _, _ in
          try await api.resource("/author").load().entity().text
        }
        #expect(raised.httpStatusCode == 404 && raised.url == "https://api.test/author")
        let absent = try await failure { _, _ in
          await Task.yield()
          return nil
        }
        #expect(absent.cause?.message == "mine returned nil")
        api.configureTransformer("/a", description: "mine") {
          (_: [String: JSONValue], _) async throws -> String? in nil
        }
        let mismatch = await api.resource("/a").load().completed().error
        #expect(mismatch?.cause?.kind == "wrong_input_type_in_transformer_pipeline")
      }
    }

    @Test func `AWT-06 steps stay in their order and caches get what they have made`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed()
        let cache = MemoryEntityCache()
        for word in ["one", "two", "three"] {
          api.configureTransformer("/a", action: .appendToExisting) {
            (text: String, _) async throws -> String in
            for _ in 0..<word.utf8.count { await Task.yield() }
            return text + " " + word
          }
        }
        api.configure("/a") { $0.pipeline[.model].cacheUsing(cache) }
        let text = try await api.resource("/a").load().entity().text
        #expect(text == "tea one two three")
        let other = Service(baseURL: "https://api.test", networking: provider)
        other.configure("/a") { $0.pipeline[.model].cacheUsing(cache) }
        let cached = other.resource("/a")
        cached.loadIfNeeded()
        while cached.latestData == nil { await Task.yield() }
        #expect(cached.text == "tea one two three")
      }
    }

    @Test func `AWT-07 the responses of several requests are transformed side by side`() throws {
      try Lull.run { home in
        let (api, _) = stubbed()
        var open = 0
        var most = 0
        api.configureTransformer("/*") { (text: String, _) async throws -> String in
          open += 1
          most = max(most, open)
          for _ in 0..<10 { await Task.yield() }
          open -= 1
          return text.uppercased()
        }
        let entities = try await Request.all(["/a", "/b"].map { api.resource($0).load() })
        #expect(entities.map(\.text) == ["TEA", "RICE"])
        #expect(most == 2)
      }
    }

    @Test func `AWT-08 one that does not wait is called at once as before`() throws {
      let clock = ManualClock()
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/a", .text("tea"))
      let pump = Pump(clock: clock)
      let api = Service(baseURL: "https://api.test", networking: provider, pump: pump)
      api.configureTransformer("/a") { (text: String, _) in text.uppercased() }
      let resource = api.resource("/a")
      resource.load()
      for _ in 0..<3 { pump.turn() }
      #expect(resource.text == "TEA")
    }

    @Test func `AWT-09 a function from response to response waits and may make any of any`() throws
    {
      try Lull.run { home in
        let (api, provider) = stubbed()
        provider.stub("GET", "https://api.test/gone", .json("{}", status: 404))
        api.configure {
          $0.pipeline[.cleanup].add(description: "swap") { response in
            let author = try await home.perform { _ in "Ann" }
            guard let entity = response.entity else {
              return .success(Entity(content: .text(author)))
            }
            guard entity.text == "tea" else { throw Flaw(number: 9) }
            throw RequestError(userMessage: "no tea for \(author)")
          }
        }
        let gone = try await api.resource("/gone").load().entity()
        #expect(gone.text == "Ann")
        let error1 = await api.resource("/a").load().completed().error
        #expect(error1?.userMessage == "no tea for Ann")
        let error2 = await api.resource("/b").load().completed().error
        guard case .custom(let cause)? = error2?.cause else {
          Issue.record("\(String(describing: error2))")
          return
        }
        #expect(cause as? Flaw == Flaw(number: 9))
      }
    }

    @Test func `AWT-11 one that takes its service unowned keeps nothing alive`() throws {
      let leakCheck = try Lull.run { home in
        let leakCheck = LeakCheck()
        let (api, provider) = stubbed()
        leakCheck.watch(api)
        leakCheck.watch(home.pump)
        api.configureTransformer("/*") { [unowned api] (text: String, entity) async throws in
          if text == "Ann" { return text }
          return try await text + " by " + api.resource("/author").load().entity().text
        }
        api.configure("/a") { [unowned api] in
          $0.pipeline[.cleanup].add { response in
            _ = await api.resource("/b").request("POST").completed()
            return response
          }
        }
        let text = try await leakCheck.watch(api.resource("/a").load()).entity().text
        #expect(text == "tea by Ann")
        // One is left waiting.
        provider.holdsAnswers = true
        leakCheck.watch(api.resource("/a").load())
        while provider.heldCount < 1 { await Task.yield() }
        provider.release()
        while provider.heldCount < 1 { await Task.yield() }
        return leakCheck
      }
      #expect(leakCheck.leaks == [])
    }
  }
}
