import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Swift programs: `Lull.run`, waiting for requests, tasks.
  @Suite struct HomeTests {
    /// Answers from a list, on the pump of the home that asks.
    private func stubbed(
      _ answers: (path: String, answer: StubProvider.Answer)...
    ) -> (service: Service, provider: StubProvider) {
      let provider = StubProvider()
      for (path, answer) in answers { provider.stub("GET", "https://api.test" + path, answer) }
      return (Service(baseURL: "https://api.test", networking: provider), provider)
    }

    // MARK: Loading

    @Test func `loads observes and runs hooks on the calling thread`() throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let thread = pthread_self()
      let url = nginx.url
      let journal = Journal()
      let answer = try Lull.run { home in
        let api = Service(baseURL: url)
        let resource = api.resource("/json")
        let recorder = EventRecorder()
        resource.addObserver(recorder)
        let entity = try await resource.load()
          .onSuccess { _ in journal("hook \(pthread_equal(pthread_self(), thread) != 0)") }
          .entity()
        journal("body \(pthread_equal(pthread_self(), thread) != 0)")
        #expect(recorder.take() == ["observerAdded", "requested L", "newData(network) D"])
        #expect(resource.jsonDict == ["answer": 42])
        #expect(resource.loadIfNeeded() == nil)
        return entity.jsonDict["answer"]?.int
      }
      #expect(answer == 42)
      #expect(journal.lines == ["hook true", "body true"])
    }

    @Test func `throws the error of a failure with its type`() throws {
      try Lull.run { home in
        let (api, _) = stubbed(("/a", .json(#"{"reason":"full"}"#, status: 503)))
        do throws(RequestError) {
          _ = try await api.resource("/a").load().entity()
          Issue.record("it did not throw")
        } catch {
          #expect(error.httpStatusCode == 503)
          #expect(error.jsonDict == ["reason": "full"])
        }
        #expect(await api.resource("/b").load().completed().error?.cause?.kind == "network")
      }
    }

    @Test func `HOOK-15 a request that ended in 304 gives the entity that was there`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed()
        provider.stub(
          "GET", "https://api.test/a",
          answers: [.json("[1]", etag: "\"1\""), StubProvider.Answer(status: 304)])
        let resource = api.resource("/a")
        _ = try await resource.load().entity()
        let response = await resource.load().completed()
        #expect(!response.isNew)
        #expect(response.entity?.jsonArray == [1])
      }
    }

    @Test func `a request that has ended is waited for on a later turn`() throws {
      try Lull.run { home in
        let (api, _) = stubbed(("/a", .text("x")))
        let request = api.resource("/a").load()
        let first = try await request.entity()
        let second = try await request.entity()
        #expect(first.text == "x" && second.text == "x")
        let fixed = Resource.hardWiredRequest(returning: .success(first))
        #expect(try await fixed.entity().text == "x")
      }
    }

    @Test func `OBS-42 hooks attached before run before the waiting caller goes on`() throws {
      try Lull.run { home in
        let (api, _) = stubbed(("/a", .text("x")))
        var lines: [String] = []
        let resource = api.resource("/a")
        resource.addObserver(owner: api) { _, event in lines.append(event.description) }
        let request = resource.load().onCompletion { _ in lines.append("hook") }
        lines.append("returned")
        _ = try await request.entity()
        lines.append("went on")
        #expect(
          lines == [
            "observerAdded", "requested", "returned", "newData(network)", "hook", "went on",
          ])
      }
    }

    // MARK: How it ends

    @Test func `what the body throws is thrown and what is in flight is cancelled`() throws {
      struct Stop: Error {}
      let journal = Journal()
      #expect(throws: Stop.self) {
        try Lull.run { home in
          let (api, provider) = stubbed(("/a", .text("x")))
          provider.holdsAnswers = true
          api.resource("/a").load().onFailure { journal($0.userMessage) }
          throw Stop()
        }
      }
      #expect(journal.lines == ["Request cancelled"])
    }

    @Test func `a body that returns cancels what is in flight on the network`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.waitForClose()
        })
      defer { server.stop() }
      let journal = Journal()
      let resource = try Lull.run { home in
        let resource = Service(baseURL: server.url).resource("/a")
        resource.addObserver(owner: resource.service) { _, event in
          journal(event.description)
        }
        resource.load()
        // So that it is under way, and not only about to be.
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        return resource
      }
      #expect(journal.lines == ["observerAdded", "requested", "requestCancelled"])
      #expect(!resource.isLoading)
      #expect(resource.latestData == nil)
    }

    @Test func `nothing outlives the run`() throws {
      let leakCheck = try Lull.run { home in
        let leakCheck = LeakCheck()
        let (api, provider) = stubbed(("/a", .text("x")), ("/b", .text("y")))
        leakCheck.watch(api)
        leakCheck.watch(provider)
        leakCheck.watch(home)
        leakCheck.watch(home.pump)
        let resource = leakCheck.watch(api.resource("/a"))
        resource.addObserver(owner: api) { _, _ in }
        _ = try await leakCheck.watch(resource.load()).entity()
        provider.holdsAnswers = true
        leakCheck.watch(api.resource("/b").load())
        return leakCheck
      }
      #expect(leakCheck.leaks == [])
    }

    // MARK: Tasks

    @Test func `spawned tasks run beside the body`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(("/a", .text("a")), ("/b", .text("b")))
        provider.holdsAnswers = true
        let tasks = ["/a", "/b"].map { path in
          home.spawn {
            try await api.resource(path).load().entity().text
          }
        }
        while provider.heldCount < 2 { await Task.yield() }
        provider.release(1)
        provider.release(0)
        var texts: [String] = []
        for task in tasks { texts.append(try await task.value) }
        #expect(texts == ["a", "b"])
      }
    }

    @Test func `a task isolated to the home by naming it runs there too`() throws {
      let thread = pthread_self()
      try Lull.run { home in
        let (api, _) = stubbed(("/a", .text("a")))
        let task = Task {
          _ = home
          let text = try await api.resource("/a").load().entity().text
          return pthread_equal(pthread_self(), thread) != 0 ? text : "another thread"
        }
        let text = try await task.value
        #expect(text == "a")
      }
    }

    @Test func `waiting needs no other thread`() throws {
      let journal = Journal()
      try Lull.run { home in
        let (api, _) = stubbed(("/a", .text("a")))
        let thread = pthread_self()
        for _ in 1...3 {
          // What a resumed task passes through on its way back here.
          await Self.note(journal, thread)
          _ = try await api.resource("/a").load().entity()
        }
      }
      #expect(journal.lines == ["same", "same", "same"])
    }

    @concurrent private static func note(_ journal: Journal, _ thread: pthread_t) async {
      journal(pthread_equal(pthread_self(), thread) != 0 ? "same" : "other")
    }

    @Test func `cancelling a task cancels what it waits for`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(("/a", .text("a")))
        provider.holdsAnswers = true
        let resource = api.resource("/a")
        let task = home.spawn { () -> String? in
          do throws(RequestError) {
            return try await resource.load().entity().text
          } catch {
            return error.cause?.kind
          }
        }
        while provider.heldCount < 1 { await Task.yield() }
        task.cancel()
        let kind = try await task.value
        #expect(kind == "request_cancelled")
        #expect(provider.cancelledCount == 1)
        #expect(!resource.isLoading)
      }
    }

    @Test func `a task cancelled before it waits cancels too`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(("/a", .text("a")))
        provider.holdsAnswers = true
        let task = home.spawn { () -> String? in
          await api.resource("/a").load().completed().error?.cause?.kind
        }
        task.cancel()
        let kind = try await task.value
        #expect(kind == "request_cancelled")
      }
    }

    @Test func `cancelling from another thread wakes the loop`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(("/a", .text("a")))
        provider.holdsAnswers = true
        let task = home.spawn { () -> String? in
          await api.resource("/a").load().completed().error?.cause?.kind
        }
        while provider.heldCount < 1 { await Task.yield() }
        // Nothing else happens here: the loop sleeps until it is woken.
        Background.run { task.cancel() }
        let kind = try await task.value
        #expect(kind == "request_cancelled")
      }
    }

    @Test func `an ended request is not cancelled by its task`() throws {
      try Lull.run { home in
        let (api, provider) = stubbed(("/a", .text("a")))
        let task = home.spawn { () -> String in
          let request = api.resource("/a").load()
          let text = try await request.entity().text
          withUnsafeCurrentTask { $0?.cancel() }
          // Ended already, so it says what it said.
          return try await text + request.entity().text
        }
        let text = try await task.value
        #expect(text == "aa")
        #expect(provider.cancelledCount == 0)
      }
    }

    @Test func `what runs elsewhere comes back to the thread`() throws {
      let thread = pthread_self()
      try Lull.run { home in
        try await Task.sleep(for: .milliseconds(2))
        #expect(pthread_equal(pthread_self(), thread) != 0)
        async let isElsewhere = Task.detached(priority: .high) {
          pthread_equal(pthread_self(), thread) == 0
        }.value
        #expect(await isElsewhere)
        #expect(pthread_equal(pthread_self(), thread) != 0)
      }
    }

    @Test func `HOME-12 tasks of a home come before work of the usual priority`() throws {
      let journal = Journal()
      try Lull.run { home in
        journal("\(Task.currentPriority == .high)")
        async let child = Task.currentPriority
        journal("\(await child == .high)")
        let spawned = home.spawn { Task.currentPriority }
        journal("\(try await spawned.value == .high)")
      }
      #expect(journal.lines == ["true", "true", "true"])
    }

    @Test func `spawned tasks nobody waits for are cancelled at the end`() throws {
      let journal = Journal()
      try Lull.run { home in
        let (api, provider) = stubbed(("/a", .text("a")))
        provider.holdsAnswers = true
        home.spawn {
          let response = await api.resource("/a").load().completed()
          journal(response.error?.userMessage ?? "none")
          // It is cancelled itself too, and so ends here.
          try await Task.sleep(for: .milliseconds(1))
          journal("went on")
        }
        while provider.heldCount < 1 { await Task.yield() }
      }
      #expect(journal.lines == ["Request cancelled"])
    }

    @Test func `a task that loads for ever does not keep the run from ending`() throws {
      let isEnough = Flag()
      defer { isEnough.set() }
      let count = try Lull.run { home in
        var count = 0
        let (api, _) = stubbed(("/a", .text("a")))
        home.spawn {
          // Nor does it hang afterwards: it is told each time.
          while !isEnough.isSet {
            _ = await api.resource("/a").load().completed()
            count += 1
          }
        }
        for _ in 0..<30_000 where count < 3 {
          try await Task.sleep(for: .milliseconds(1))
        }
        return count
      }
      #expect(count >= 3)
    }

    // MARK: Several homes

    @Test func `threads run side by side`() throws {
      let started = [Flag(), Flag()]
      let ended = [Flag(), Flag()]
      let wrong = Flag()
      for index in 0..<2 {
        Background.run {
          let thread = pthread_self()
          let text = try? Lull.run { home in
            started[index].set()
            // Neither goes on before both are here.
            for _ in 0..<30_000 where !started[1 - index].isSet {
              try await Task.sleep(for: .milliseconds(1))
            }
            let (api, _) = stubbed(("/a", .text("\(index)")))
            let text = try await api.resource("/a").load().entity().text
            return pthread_equal(pthread_self(), thread) != 0 ? text : "another thread"
          }
          if text != "\(index)" { wrong.set() }
          ended[index].set()
        }
      }
      #expect(ended.allSatisfy { $0.wait() })
      #expect(!wrong.isSet)
    }

    @Test func `a run inside a run has a loop of its own`() throws {
      try Lull.run { home in
        let (outer, _) = stubbed(("/a", .text("outer")))
        let request = outer.resource("/a").load()
        let outerPump = ObjectIdentifier(outer.pump)
        let text = try Lull.run { home in
          let (inner, _) = stubbed(("/a", .text("inner")))
          #expect(ObjectIdentifier(inner.pump) != outerPump)
          return try await inner.resource("/a").load().entity().text
        }
        #expect(text == "inner")
        #expect(request.state == .inProgress, "the outer loop stood still")
        #expect(try await request.entity().text == "outer")
        #expect(Service(baseURL: nil).pump === outer.pump)
      }
    }

    @Test func `a service made elsewhere without networking ends the program`() async {
      let ends = [
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          _ = Service(baseURL: "https://api.test")
        },
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          try Lull.run { home in }
          _ = Service(baseURL: "https://api.test")
        },
      ]
      for end in ends {
        let text = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Service(baseURL:) needs the event loop of this thread"), "\(text)")
      }
    }
  }
}
