import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

/// Streams over stubbed networking, which gives each body as a whole.
@Suite(.timeLimit(.minutes(20)))
struct EventStreamTests {
  private typealias Answer = StubProvider.Answer

  private static func events(_ text: String) -> Answer {
    .text(text, type: "text/event-stream")
  }

  private static let end = Answer(status: 204, body: nil)

  /// What it gives before it has to be waited for.
  private func take(_ stream: EventStream) -> [String] {
    var all: [String] = []
    while true {
      switch stream.next() {
      case .item(.event(let event)): all.append("\(event.id):\(event.text)")
      case .item(.row(let row)): all.append("row \(row.root.int ?? -1)")
      case .wait: return all
      case .end: return all + ["end"]
      case .failure(let error):
        return all + ["failure \(error.cause?.kind ?? "\(error.httpStatusCode ?? 0)")"]
      }
    }
  }

  private func takeAll(_ stream: EventStream, _ harness: Harness) -> [String] {
    var all = take(stream)
    for _ in 0..<1000 where !stream.isOver {
      var isReady = false
      stream.whenReady { isReady = true }
      harness.settle()
      if !isReady { harness.advance(by: 0.5) }
      if isReady { all += take(stream) }
    }
    return all
  }

  private func result(
    _ answers: Answer..., options: StreamOptions = StreamOptions(),
    then check: (Harness, EventStream) -> Void = { _, _ in }
  ) -> [String] {
    var all: [String] = []
    withHarness { harness in
      harness.provider.stub("GET", "https://api.test/v1/s", answers: answers)
      let stream = harness.service.resource("/s").events(options)
      all = takeAll(stream, harness)
      check(harness, stream)
    }
    return all
  }

  @Test func `STR-01 nothing is sent before the first item is asked for, and no state changes`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"), Self.end)
      let resource = harness.service.resource("/s")
      let recorder = resource.recorded()
      let stream = resource.events()
      harness.settle()
      #expect(harness.sent == [])
      #expect(takeAll(stream, harness) == [":a", "end"])
      #expect(recorder.take() == [])
      #expect(resource.latestData == nil)
      #expect(resource.latestError == nil)
      #expect(take(stream) == ["end"])
    }
  }

  @Test func `STR-12 STR-14 STR-29 it goes on behind the last id, until there is nothing more`() {
    let all = result(
      Self.events("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: lost"),
      Self.events("data: c\n\n"), Self.events("retry: 10\nid\ndata: d\n\n"), Self.end
    ) { harness, stream in
      let sent = harness.provider.requests
      #expect(sent.map { $0.headers["last-event-id"] } == [nil, "2", "2", nil])
      #expect(sent.allSatisfy { $0.headers["accept"]?.hasPrefix("text/event-stream") ?? false })
      #expect(stream.lastEventID == "")
    }
    #expect(all == ["1:a", "2:b", "2:c", ":d", "end"])
  }

  @Test func `STR-12 STR-13 it waits as long as the server wants, and longer after failures`() {
    withHarness { harness in
      let failure = Answer.failure(TransportError(.connection, "refused"))
      harness.stub(
        "GET", "/s", Self.events("retry: 2000\nid: 1\ndata: a\n\n"), failure, failure,
        Self.events("data: b\n\n"), Self.end)
      harness.pump.random = { 0 }
      let stream = harness.service.resource("/s").events()
      #expect(take(stream) == [])
      harness.settle()
      #expect(take(stream) == ["1:a"])
      for (seconds, count) in [(1.9, 1), (0.2, 2), (3.7, 2), (0.4, 3), (7.5, 3), (0.6, 4)] {
        harness.advance(by: seconds)
        _ = take(stream)
        harness.settle()
        #expect(harness.provider.requests.count == count)
        if count < 4 { _ = take(stream) }
      }
      #expect(takeAll(stream, harness) == ["1:b", "end"])
    }
  }

  @Test func `STR-15 what is no stream fails it for good, with what it says`() {
    #expect(result(.text("{}", type: "text/html")) == ["failure not_a_stream"])
    #expect(result(Answer(headers: [], body: "data: a\n\n")) == ["failure not_a_stream"])
    #expect(result(.text("data: a\n\n", type: "text/plain")) == ["failure not_a_stream"])
    var other = Self.events("data: a\n\n")
    for status in [201, 206, 299, 300] {
      other.status = status
      #expect(result(other) == ["failure not_a_stream"])
    }
    for status in [304, 400, 404, 500, 503] {
      other.status = status
      let kind = status == 304 ? "no_local_data_for_304" : "\(status)"
      #expect(result(other) == ["failure \(kind)"])
      #expect(result(Self.events("data: a\n\n"), other) == [":a", "failure \(kind)"])
    }
    #expect(result(.json("{}", status: 404)) == ["failure 404"])
    for type in ["text/event-stream;charset=latin1", " Text/Event-Stream ; x=y"] {
      #expect(
        result(.text("data: é\n\n", type: type), options: StreamOptions(reconnects: false))
          == [":é", "end"])
    }
  }

  @Test func `STR-16 a failure before it has been there fails it`() {
    #expect(result(.failure(TransportError(.connection, "refused"))) == ["failure connection"])
    #expect(result(.failure(TransportError(.timeout, "slow"))) == ["failure timeout"])
    #expect(
      result(Self.events(""), .failure(TransportError(.tls, "bad")), Self.end) == ["failure tls"])
  }

  @Test func `STR-17 without going on it ends with its body`() {
    let options = StreamOptions(reconnects: false)
    #expect(result(Self.events("data: a\n\ndata: b"), options: options) == [":a", "end"])
    #expect(result(Self.end, options: options) == ["end"])
  }

  @Test func `STR-18 it may begin behind an event`() {
    let all = result(
      Self.events("data: a\n\n"), Self.end, options: StreamOptions(lastEventID: "é 9")
    ) { harness, stream in
      let sent = harness.provider.requests.map { $0.headers.bytes("last-event-id") ?? [] }
      #expect(sent == [Array("é 9".utf8), Array("é 9".utf8)])
      #expect(stream.lastEventID == "é 9")
    }
    #expect(all == ["é 9:a", "end"])
  }

  @Test func `STR-11 STR-19 NDJSON ends with its body`() {
    for type in ["application/x-ndjson", "application/jsonl; charset=utf-8"] {
      #expect(result(.text("1\n\n2\n3", type: type)) == ["row 1", "row 2", "row 3", "end"])
    }
    let all = result(.text("1\n{\n3\n", type: "application/x-ndjson"))
    #expect(all == ["row 1", "failure malformed_json"])
  }

  @Test func `STR-22 stopping cancels its request, and tells who waits`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/s")
      let stream = resource.events()
      #expect(take(stream) == [])
      #expect(resource.allRequests.count == 1)
      var told = 0
      stream.whenReady { told += 1 }
      stream.stop()
      #expect(resource.allRequests.isEmpty)
      #expect(harness.provider.cancelledCount == 1)
      #expect(told == 0)
      harness.settle()
      #expect(told == 1)
      #expect(take(stream) == ["end"])
    }
  }

  @Test func `STR-22 a request that others cancel fails it`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      harness.provider.holdsAnswers = true
      let resource = harness.service.resource("/s")
      let stream = resource.events()
      #expect(take(stream) == [])
      resource.wipe()
      #expect(takeAll(stream, harness) == ["failure request_cancelled"])
    }
  }

  @Test func `STR-30 one that nobody holds any more is closed`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      harness.provider.holdsAnswers = true
      var stream: EventStream? = harness.service.resource("/s").events()
      _ = stream?.next()
      stream = nil
      #expect(harness.provider.cancelledCount == 0)
      harness.settle()
      #expect(harness.provider.cancelledCount == 1)
    }
  }

  @Test func `STR-23 its bounds are those of silence, unless it is given one`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      harness.service.configure("**") { $0.limits.timeout = 90 }
      let resource = harness.service.resource("/s")
      var options = StreamOptions()
      for timeout in [nil, 10] as [Double?] {
        options.timeout = timeout
        let stream = resource.events(options)
        _ = stream.next()
        let sent = harness.provider.requests.last
        #expect(sent?.limits.timeout == timeout ?? .infinity)
        #expect(sent?.options?.idleTimeout == 90)
        if timeout == nil {
          stream.stop()
        } else {
          // 3 s each, and the time that is left for the next.
          #expect(takeAll(stream, harness) == [":a", ":a", ":a", ":a", "failure timeout"])
        }
      }
    }
  }

  @Test func `STR-24 it passes no pipeline and goes into no cache`() {
    withHarness { harness in
      harness.stub("GET", "/s", .text("{\"a\":1}\n", type: "application/x-ndjson"))
      let resource = harness.service.resource("/s")
      let cache = SpyCache()
      harness.service.configure("**") { $0.pipeline[.parsing].cacheUsing(cache) }
      #expect(takeAll(resource.events(), harness) == ["row -1", "end"])
      #expect(cache.entries.isEmpty)
    }
  }

  @Test func `STR-25 a GET for the whole of an event stream fails`() {
    withHarness { harness in
      harness.stub("GET", "/s", Self.events("data: a\n\n"))
      harness.stub("POST", "/s", Self.events("data: a\n\n"))
      let resource = harness.service.resource("/s")
      let load = resource.load()
      let get = resource.request("GET")
      let post = resource.request("POST")
      harness.settle()
      for request in [load, get] {
        let error = request.response?.error
        #expect(error?.cause?.kind == "event_stream")
        #expect(error?.userMessage.contains("events()") == true)
      }
      #expect(resource.latestError != nil)
      #expect(post.response?.entity?.text == "data: a\n\n")
    }
  }
}
