import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Exchanges that stand still, and those that only take long.
  @Suite struct StandstillTests {
    private func server(_ script: @escaping @Sendable (RawConnection) -> Void) throws -> RawServer {
      try #require(RawServer(script))
    }

    @Test func `who says nothing is given up`() throws {
      let server = try server { connection in
        connection.readRequest()
        connection.waitForClose()
      }
      let harness = try TransportHarness()
      let error = try harness.get(server.url) { $0.firstByteTimeout = 0.05 }.error
      #expect(error?.kind == .timeout)
      #expect(
        error?.message == "no byte of a response from 127.0.0.1:\(server.port) within 0.05 s "
          + "(first_byte_timeout)")
      // The connection is closed, and the next request gets another.
      harness.turn { server.closedByPeerCount == 1 }
      harness.finish()
      server.stop()
    }

    @Test func `who stops in the middle is given up`() throws {
      let server = try server { connection in
        connection.readRequest()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        connection.waitForClose()
      }
      let harness = try TransportHarness()
      let error = try harness.get(server.url) {
        $0.firstByteTimeout = 20
        $0.idleTimeout = 0.05
      }.error
      #expect(error?.kind == .timeout)
      #expect(
        error?.message
          == "no data was sent or received in the exchange with 127.0.0.1:\(server.port) for 0.05 s "
          + "(idle_timeout)")
      harness.finish()
      server.stop()
    }

    @Test func `who does not read is given up`() throws {
      let over = Steps()
      let server = try server { connection in
        connection.readSome(10)
        over.wait(for: 1)
      }
      let harness = try TransportHarness()
      var request = HTTPRequest.get(server.url) {
        $0.firstByteTimeout = 0.05
        $0.idleTimeout = 0.3
      }
      request.method = "POST"
      request.body = [UInt8](repeating: 0, count: 64 << 20)
      // The answer cannot come before the request is out: that is no reason to give up.
      let error = try harness.send(request).error
      #expect(error?.message.hasSuffix("for 0.3 s (idle_timeout)") == true)
      over.advance()
      harness.finish()
      server.stop()
    }

    @Test func `who moves may take longer`() throws {
      let server = try server { connection in
        connection.readRequest()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        for _ in 1...5 {
          RawConnection.pause(seconds: 0.5)
          connection.write("x")
        }
      }
      let harness = try TransportHarness()
      let result = try harness.get(server.url) {
        $0.firstByteTimeout = 2
        $0.idleTimeout = 2
      }
      #expect(result.text == "xxxxx")
      harness.finish()
      server.stop()
    }

    @Test func `another request takes its place`() throws {
      let server = try server { connection in
        while let request = connection.readRequest() {
          if request.hasPrefix("GET /still") { return connection.waitForClose() }
          connection.answer("here")
        }
      }
      let harness = try TransportHarness()
      var answers: [String] = []
      for path in ["/still", "/next"] {
        var request = HTTPRequest.get(server.url + path) {
          if path == "/still" { $0.firstByteTimeout = 0.05 }
        }
        request.limits.connectionsPerHost = 1
        harness.start(request) { answers.append($0.text ?? $0.error?.kind.rawValue ?? "") }
      }
      harness.turn { answers.count == 2 }
      #expect(answers == ["timeout", "here"])
      harness.finish()
      server.stop()
    }
  }
}
