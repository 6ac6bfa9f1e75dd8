import LullCore
import LullLibC
import LullTestSupport
import LullTesting
import LullTransport
import Synchronization
import Testing

extension TransportSuite {
  /// Streams over real connections, which end as badly as they like.
  @Suite struct StreamTests {
    let harness: TransportHarness

    init() throws { harness = try TransportHarness() }

    private static let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"

    /// A server that writes this to whoever asks, and then keeps the connection.
    private func open(_ head: String, _ rest: [UInt8] = []) throws -> RawServer {
      try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write(head)
          connection.write(rest)
          connection.waitForClose()
        })
    }

    private func stream(
      _ url: String, _ options: StreamOptions = StreamOptions(),
      configured: @escaping (inout Configuration) -> Void = { _ in }
    ) -> EventStream {
      let service = Service(
        baseURL: url, networking: harness.provider, pump: harness.loop.pump)
      service.configure { configured(&$0) }
      return service.resource("/s").events(options)
    }

    /// Takes items until `body` says that it has enough, or there are none; why it ended.
    private func read(_ stream: EventStream, _ body: (StreamItem) -> Bool) -> RequestError? {
      while true {
        switch stream.next() {
        case .item(let item): if body(item) { return nil }
        case .wait:
          var isReady = false
          stream.whenReady { isReady = true }
          harness.turn { isReady }
        case .end: return nil
        case .failure(let error): return error
        }
      }
    }

    private static func lastEventID(_ request: String) -> Int {
      for line in request.split(separator: "\r\n")
      where line.lowercased().hasPrefix("last-event-id:") {
        return Int(line.dropFirst(14).trimmingPrefix(" ")) ?? -1
      }
      return 0
    }

    /// Each connection brings some events from the one asked for on, then dies at any byte of the next;
    /// now and then none is accepted at all.
    @Test func `STR-12 nothing is lost or doubled while a server dies a thousand times`() throws {
      let deaths = 1000
      let total = 5000
      let state = Mutex((deaths: 0, random: SeededGenerator(seed: 7)))
      let server = try #require(
        RawServer { connection in
          let next = Self.lastEventID(connection.readRequest() ?? "") + 1
          let (count, cut, isSilent) = state.withLock { state in
            state.deaths += 1
            let isLast = state.deaths > deaths
            return (
              isLast ? total : Int.random(in: 0...9, using: &state.random),
              Int.random(in: 0...30, using: &state.random),
              !isLast && Int.random(in: 0..<60, using: &state.random) == 0 && state.deaths > 1
            )
          }
          // Nobody answers while a server starts.
          guard !isSilent else { return }
          var text = next == 1 ? "retry: 0\n\n" : ""
          let last = min(total, next + count - 1)
          for id in next..<max(next, last + 1) { text += "id: \(id)\r\ndata: event \(id)\n\n" }
          if last < total { text += "id: \(last + 1)\ndata: event \(last + 1)\n\n".prefix(cut) }
          connection.write(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
          if !text.isEmpty {
            connection.write("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
          }
          if last == total { connection.waitForClose() }
        })
      defer { server.stop() }
      var expected = 1
      let stream = stream(server.url)
      let error = read(stream) { item in
        guard case .event(let event) = item else { return true }
        #expect(event.id == "\(expected)")
        #expect(event.text == "event \(expected)")
        expected += 1
        return event.id != "\(expected - 1)" || expected > total
      }
      #expect(error == nil)
      #expect(expected == total + 1)
      #expect(state.withLock { $0.deaths } >= deaths)
      stream.stop()
      harness.finish()
    }

    @Test func `STR-22 stopping closes the connection at once`() throws {
      let server = try open(Self.head + "\r\ndata: a\n\n")
      defer { server.stop() }
      let stream = stream(server.url)
      #expect(read(stream) { _ in true } == nil)
      stream.stop()
      while server.closedByPeerCount == 0 { harness.loop.turn(.noWait) }
      harness.finish()
    }

    @Test func `STR-20 no more is read than there is room for, however long that takes`() throws {
      let written = Mutex(0)
      let piece = String(
        repeating: "data: 0123456789012345678901234567890123456789\n\n", count: 1000)
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write(Self.head + "\r\n")
          for _ in 0..<600 {
            connection.write(piece)
            written.withLock { $0 += 1 }
          }
        })
      defer { server.stop() }
      let stream = stream(server.url, StreamOptions(reconnects: false)) {
        $0.setOptions { $0.idleTimeout = 0.5 }
      }
      let heldBefore = HeldBytes.bodies
      var count = 0
      #expect(read(stream) { _ in true } == nil)
      var isLater = false
      let timer = harness.loop.schedule(after: 1.2) { isLater = true }
      harness.turn { isLater }
      timer.cancel()
      // The rest is in the sockets of both sides at most.
      #expect(written.withLock { $0 } < 400)
      // Other tests of the process may hold large bodies for a while; what this stream holds it keeps.
      var waits = 0
      while HeldBytes.bodies - heldBefore >= 4 << 20, waits < 600 {
        usleep(100_000)
        waits += 1
      }
      #expect(HeldBytes.bodies - heldBefore < 4 << 20)
      #expect(
        read(stream) { _ in
          count += 1; return false
        } == nil)
      #expect(count == 600_000 - 1)
      harness.finish(timers: 4)
    }

    @Test func `STR-23 silence is a break, and a timeout of its own is the end`() throws {
      let server = try #require(
        RawServer { connection in
          let last = Self.lastEventID(connection.readRequest() ?? "")
          connection.write(Self.head + "\r\nretry: 0\nid: \(last + 1)\ndata: a\n\n")
          connection.waitForClose()
        })
      defer { server.stop() }
      var ids: [String] = []
      let silent = stream(server.url) { $0.setOptions { $0.idleTimeout = 0.1 } }
      #expect(
        read(silent) { item in
          if case .event(let event) = item { ids.append(event.id) }
          return ids.count == 3
        } == nil)
      #expect(ids == ["1", "2", "3"])
      silent.stop()
      var options = StreamOptions()
      options.timeout = 0.3
      let error = read(stream(server.url, options)) { _ in false }
      guard case .transport(let cause)? = error?.cause else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(cause.kind == .timeout)
      harness.finish()
    }

    @Test func `STR-19 a break of NDJSON fails it, after the rows that are whole`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write(
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: 99\r\n\r\n1\n2\n3"
          )
        })
      defer { server.stop() }
      var rows: [Int] = []
      let error = read(stream(server.url)) { item in
        if case .row(let row) = item { rows.append(row.root.int ?? -1) }
        return false
      }
      #expect(rows == [1, 2])
      #expect(error?.cause?.kind == "truncated_body")
      #expect(server.connectionCount == 1)
      harness.finish()
    }

    @Test func `STR-25 a load of an event stream fails at its head`() throws {
      let server = try open(Self.head + "\r\ndata: a\n\n")
      defer { server.stop() }
      let result = try harness.get(server.url)
      #expect(result.error?.kind == .eventStream)
      #expect(result.error?.message.contains("events()") == true)
      harness.finish()
    }

    @Test func `STR-01 STR-22 a task waits for the items, and cancelling it ends the stream`()
      throws
    {
      let server = try open(Self.head + "\r\ndata: a\n\ndata: b\n\n")
      defer { server.stop() }
      let url = server.url
      let texts = try Lull.run { home in
        let resource = Service(baseURL: url).resource("/s")
        let reading = home.spawn { () -> [String] in
          var texts: [String] = []
          do throws(RequestError) {
            for try await item in resource.events().items {
              if case .event(let event) = item { texts.append(event.text) }
              if texts.count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
            }
          } catch { texts.append("\(error)") }
          return texts
        }
        return try await reading.value
      }
      #expect(texts == ["a", "b"])
    }

    @Test func `STR-24 what is coded is decoded as it comes`() throws {
      let server = try open(Self.head + "Content-Encoding: gzip\r\n\r\n", CodedText.flushedEvent)
      defer { server.stop() }
      let stream = stream(server.url)
      var texts: [String] = []
      let error = read(stream) { item in
        if case .event(let event) = item { texts.append(event.text) }
        return true
      }
      #expect(error == nil)
      #expect(texts == ["a"])
      stream.stop()
      harness.finish()
    }

    @Test
    func `STR-24 a failure after the body has begun is not retried with what was asked before`()
      throws
    {
      let server = try #require(
        RawServer { connection in
          let last = Self.lastEventID(connection.readRequest() ?? "")
          guard last < 3 else {
            connection.write("HTTP/1.1 204 No\r\n\r\n")
            return
          }
          connection.write(
            Self.head + "Content-Length: 99\r\n\r\nretry: 0\nid: \(last + 1)\ndata\n\n")
        })
      defer { server.stop() }
      var ids: [String] = []
      let stream = stream(server.url) { $0.retry = RetryPolicy() }
      let error = read(stream) { item in
        if case .event(let event) = item { ids.append(event.id) }
        return false
      }
      #expect(error == nil)
      #expect(ids == ["1", "2", "3"])
      #expect(server.requests.map(Self.lastEventID) == [0, 1, 2, 3])
      harness.finish()
    }
  }
}
