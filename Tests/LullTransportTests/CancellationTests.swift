import LullCore
import LullTransport
import Testing

extension TransportSuite {
  @Suite struct CancellationTests {
    let harness: TransportHarness
    /// Takes requests and never answers.
    let silent: RawServer

    init() throws {
      harness = try TransportHarness()
      silent = try #require(
        RawServer { connection in
          guard connection.readRequest() != nil else { return }
          connection.waitForClose()
        })
    }

    @Test func `closes the connection at once`() throws {
      var result: NetworkResult?
      let transfer = harness.start(HTTPRequest(method: "GET", url: silent.url)) { result = $0 }
      harness.turn { silent.requests.count == 1 }
      transfer.cancel()
      // No turn of the loop is needed for that.
      while silent.closedByPeerCount == 0 {}
      harness.turn { result != nil }
      #expect(result?.error?.kind == .cancelled)
      #expect(result?.response == nil)
      finish()
    }

    @Test func `reports once however often it is cancelled`() throws {
      var reports = 0
      let transfer = harness.start(HTTPRequest(method: "GET", url: silent.url)) { _ in reports += 1
      }
      transfer.cancel()
      transfer.cancel()
      harness.turn { reports > 0 }
      harness.loop.turn(.noWait)
      transfer.cancel()
      #expect(reports == 1)
      #expect(harness.provider.activeCount == 0)
      finish()
    }

    @Test func `makes room for the next in the queue`() throws {
      let server = try #require(
        RawServer { connection in
          let request = connection.readRequest() ?? ""
          if request.hasPrefix("GET /hang") {
            connection.waitForClose()
          } else {
            connection.answer("ok")
          }
        })
      var first = HTTPRequest(method: "GET", url: server.url + "/hang")
      first.limits.connectionsPerHost = 1
      var second = first
      second.url = server.url + "/next"
      let hanging = harness.start(first)
      var result: NetworkResult?
      harness.start(second) { result = $0 }
      harness.turn { server.requests.count == 1 }
      hanging.cancel()
      harness.turn { result != nil }
      #expect(result?.text == "ok")
      finish()
      server.stop()
    }

    @Test func `waiting ones leave the queue in any order`() throws {
      var request = HTTPRequest(method: "GET", url: silent.url)
      request.limits.connectionsPerHost = 1
      var cancelled = 0
      let transfers = (0..<20_000).map { _ in
        harness.start(request) { result in
          if result.error?.kind == .cancelled { cancelled += 1 }
        }
      }
      for transfer in transfers.reversed() where transfer !== transfers[0] { transfer.cancel() }
      #expect(harness.provider.activeCount == 1)
      harness.turn { cancelled == 19_999 }
      transfers[0].cancel()
      harness.turn { cancelled == 20_000 }
      #expect(silent.requests.count <= 1)
      finish()
    }

    @Test func `closing cancels everything`() throws {
      var reports: [TransportError.Kind?] = []
      var request = HTTPRequest(method: "GET", url: silent.url)
      request.limits.connectionsPerHost = 2
      for _ in 0..<5 { harness.start(request) { reports.append($0.error?.kind) } }
      harness.turn { silent.requests.count == 2 }
      harness.provider.close()
      harness.turn { reports.count == 5 }
      #expect(reports.allSatisfy { $0 == .cancelled })
      harness.turn { silent.closedByPeerCount == 2 }
      finish()
    }

    @Test func `from the log it works too`() throws {
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            if request.hasPrefix("GET /a ") {
              connection.write("HTTP/1.1 302 F\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")
            } else {
              connection.answer("ok")
            }
          }
        })
      var transfers: [any RequestNetworking] = []
      var messages: [String] = []
      harness.loop.pump.log.messageHandler = { _, message in
        messages.append(message)
        for transfer in transfers { transfer.cancel() }
      }
      var reports = 0
      for path in ["/a", "/b", "/a", "/b"] {
        let request = HTTPRequest(method: "GET", url: server.url + path)
        transfers.append(harness.start(request) { _ in reports += 1 })
      }
      harness.turn { reports == 4 }
      #expect(!messages.isEmpty)
      let result = try harness.send(HTTPRequest(method: "GET", url: server.url + "/b"))
      #expect(result.text == "ok")
      finish()
      server.stop()
    }

    @Test func `from another's completion it works too`() throws {
      var transfers: [any RequestNetworking] = []
      var kinds: [TransportError.Kind?] = []
      for _ in 0..<10 {
        transfers.append(
          harness.start(HTTPRequest(method: "GET", url: silent.url)) {
            kinds.append($0.error?.kind)
          })
      }
      harness.start(HTTPRequest(method: "GET", url: "http://127.0.0.1:1/")) { _ in
        for transfer in transfers { transfer.cancel() }
      }
      harness.turn { kinds.count == 10 }
      #expect(kinds.allSatisfy { $0 == .cancelled })
      finish()
    }

    private func finish() {
      harness.finish()
      silent.stop()
    }
  }
}
