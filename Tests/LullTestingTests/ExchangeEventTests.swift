import LullCore
import LullTesting
import Synchronization
import Testing

/// What a program hears of the requests of its home.
@Suite(.timeLimit(.minutes(20)))
struct ExchangeEventTests {
  /// What has been heard, on whichever thread.
  private final class Heard: Sendable {
    private let events = Mutex<[ExchangeEvent]>([])
    func callAsFunction(_ event: ExchangeEvent) { events.withLock { $0.append(event) } }
    func take() -> [ExchangeEvent] {
      events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  @Test func `HOME-160 each request is one event, with its attempts, sizes and times`() throws {
    try Lull.test { test in
      let heard = Heard()
      test.onExchange { heard($0) }
      test.network.stub(
        "GET", "https://ann:hunter2@api.test/a?token=S3", .json("{}", status: 503),
        .json(#"{"n": 1}"#))
      let api = test.service("https://ann:hunter2@api.test", name: "shop")
      api.configure {
        $0.retry = RetryPolicy()
        $0.retry?.backoff.hasJitter = false
      }
      let request = api.resource("/a").withParam("token", "S3").load()
      request.onSuccess { _ in #expect(heard.take() == [], "hooks are told before") }
      await test.advance(by: 2)
      let events = heard.take()
      let event = try #require(events.first)
      #expect(events.count == 1)
      #expect(event.service == "shop" && event.method == .get && event.status == 200)
      #expect(event.url == "https://api.test/a?token=***")
      #expect(event.attempts == 2 && event.retries == 1 && event.source == .network)
      #expect(event.requestBytes == nil && event.responseBytes == 8 && event.errorKind == nil)
      #expect(event.elapsed == 0.5 && event.timestamp == 1000.5)
      #expect(
        event.description
          == "GET https://api.test/a?token=*** → 200, 8 bytes, 2 attempts, 0.50 s")
    }
  }

  @Test func `HOME-160 failures have the kind of their cause, and bodies their size`() throws {
    try Lull.test { test in
      let heard = Heard()
      test.onExchange { heard($0) }
      let api = test.service()
      test.network.stub("POST", "https://api.test/a", .json("{}", status: 500))
      _ = await api.resource("/a").request(.post, text: "four").completed()
      test.network.stub("GET", "https://api.test/a", .json("{"))
      _ = await api.resource("/a").load().completed()
      test.network.stub("GET", "https://api.test/a", .failure(TransportError(.timeout, "slow")))
      _ = await api.resource("/a").load().completed()
      api.isOffline = true
      // A load asks nobody then; any other request is refused.
      _ = await api.resource("/a").load().completed()
      _ = await api.resource("/a").request(.post).completed()
      api.isOffline = false
      test.network.holdsAnswers = true
      let request = api.resource("/a").load()
      await test.settle()
      request.cancel()
      await test.settle()
      let events = heard.take()
      #expect(
        events.map(\.errorKind) == [
          "status", "malformed_json", "timeout", "offline", "request_cancelled",
        ])
      #expect(events.map(\.status) == [500, 200, nil, nil, nil])
      #expect(events.map(\.attempts) == [1, 1, 1, 0, 1])
      #expect(events.first?.requestBytes == 4)
    }
  }

  @Test func `HOME-160 data from a cache, and what has not changed, is told as such`() throws {
    try Lull.test { test in
      let heard = Heard()
      test.onExchange { heard($0) }
      test.network.stub(
        "GET", "https://api.test/a", .json("[1]", etag: "\"1\""), .init(status: 304, body: nil))
      let cache = MemoryEntityCache()
      func service(_ test: isolated LullTest) -> Service {
        let api = test.service()
        api.configure { $0.pipeline[.rawData].cacheUsing(cache) }
        return api
      }
      let resource = service(test).resource("/a")
      _ = try await resource.load().entity()
      _ = try await resource.load().entity()
      #expect(heard.take().map(\.status) == [200, 304])
      // Another service finds it in the cache.
      let other = service(test).resource("/a")
      _ = try await other.loadIfNeeded()?.entity()
      await test.settle()
      let events = heard.take()
      #expect(events.map(\.source) == [.cache] && events.map(\.attempts) == [0], "\(events)")
    }
  }

  @Test func `HOME-160 several hear in their order, until each is removed`() throws {
    try Lull.test { test in
      let heard = Mutex<[String]>([])
      let one = test.onExchange { _ in heard.withLock { $0.append("one") } }
      test.onExchange { _ in heard.withLock { $0.append("two") } }
      test.network.stub("GET", "https://api.test/a", .json("1"))
      let resource = test.service().resource("/a")
      _ = try await resource.load().entity()
      await test.settle()
      #expect(heard.withLock { $0 } == ["one", "two"])
      one.remove()
      one.remove()
      _ = try await resource.load().entity()
      await test.settle()
      #expect(heard.withLock { $0 } == ["one", "two", "two"])
    }
  }

  @Test func `HOME-161 a chain is one event for each request that it sends`() throws {
    try Lull.test { test in
      let heard = Heard()
      test.network.stub("GET", "https://api.test/a", .json("1"))
      let resource = test.service().resource("/a")
      // Nobody listens when it begins.
      test.network.holdsAnswers = true
      let request = resource.load()
      await test.settle()
      test.onExchange { heard($0) }
      test.network.release()
      _ = try await request.entity()
      await test.settle()
      #expect(heard.take().map(\.elapsed) == [nil])
      test.network.holdsAnswers = false
      let chain = resource.request(.get).chained { _ in .passTo(resource.request(.get)) }
      _ = try await chain.entity()
      await test.settle()
      #expect(heard.take().map(\.method) == [.get, .get])
    }
  }

  @Test func `HOME-161 a connection of a stream is one event, when it ends`() throws {
    try Lull.test { test in
      let heard = Heard()
      test.onExchange { heard($0) }
      test.network.stub(
        "GET", "https://api.test/events",
        .bytes(Array("data: 1\n\ndata: 2\n\n".utf8), type: "text/event-stream"))
      var options = StreamOptions()
      options.reconnects = false
      let stream = test.service().resource("/events").events(options)
      var count = 0
      for try await _ in stream.items { count += 1 }
      await test.settle()
      #expect(count == 2 && heard.take().map(\.status) == [200])
    }
  }
}
