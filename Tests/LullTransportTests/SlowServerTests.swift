import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Answers that come a byte at a time: fine within the time-out, which counts the whole exchange.
  @Suite struct SlowServerTests {
    let harness: TransportHarness

    init() throws {
      harness = try TransportHarness()
    }

    @Test(arguments: ["Content-Length: 20\r\n", ""])
    func `every byte counts`(_ length: String) throws {
      let seen = Steps()
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\n\(length)\r\n")
          for count in 1...20 {
            connection.write("x")
            seen.wait(for: count)
          }
        })
      var received: [Int] = []
      var totals: Set<Int?> = []
      var result: NetworkResult?
      let transfer = harness.start(HTTPRequest(method: "GET", url: server.url)) { result = $0 }
      harness.turn {
        let metrics = transfer.transferMetrics
        if metrics.responseBytesReceived > received.last ?? 0 {
          received.append(metrics.responseBytesReceived)
          totals.insert(metrics.responseBytesTotal)
          seen.advance()
        }
        return result != nil
      }
      #expect(received == Array(1...20))
      #expect(totals == [length.isEmpty ? nil : 20])
      #expect(result?.text == String(repeating: "x", count: 20))
      harness.finish()
      server.stop()
    }

    @Test func `also the headers may drip`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          for byte in "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nhi".utf8 {
            connection.write([byte])
            // Without a pause a later byte would arrive together with it.
            Steps.pause()
          }
        })
      let result = try harness.get(server.url)
      #expect(result.text == "hi")
      #expect(result.response?.headers["x-a"] == "b")
      harness.finish()
      server.stop()
    }

    @Test(arguments: [
      "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func `drips beyond the timeout fail`(_ start: String) throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write(start)
          let drop = start.hasSuffix("chunked\r\n\r\n") ? "1\r\nx\r\n" : "x"
          while connection.write(start.isEmpty ? "" : drop) && !connection.isClosedByPeer {
            Steps.pause()
          }
        })
      var request = HTTPRequest(method: "GET", url: server.url)
      request.limits.timeout = 0.2
      let result = try harness.send(request)
      #expect(
        result.error
          == TransportError(
            .timeout,
            "no complete response from 127.0.0.1:\(server.port) within 0.2 s (timeout)"))
      #expect(result.body == nil)
      harness.finish()
      server.stop()
    }

    @Test func `an answer may come before the whole body is sent`() throws {
      let server = try #require(
        RawServer { connection in
          guard connection.readHead() != nil else { return }
          connection.write(
            "HTTP/1.1 413 Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
          connection.waitForClose()
        })
      let body = [UInt8](repeating: 65, count: 16 << 20)
      let result = try harness.send(HTTPRequest(method: "POST", url: server.url, body: body))
      #expect(result.response?.status == 413)
      #expect(result.text == "no")
      harness.finish()
      server.stop()
    }

    @Test(arguments: [RawConnection.Ending.close, .reset])
    func `a connection may be lost while the body is sent`(_ ending: RawConnection.Ending) throws {
      let server = try #require(
        RawServer { connection in
          guard let head = connection.readHead() else { return }
          guard head.hasPrefix("POST") else { return connection.answer("fine") }
          guard connection.read(1 << 20) else { return }
          connection.end(ending)
        })
      let body = [UInt8](repeating: 65, count: 32 << 20)
      let result = try harness.send(HTTPRequest(method: "POST", url: server.url, body: body))
      #expect(result.error?.kind == .connection)
      #expect(
        result.error?.message.hasPrefix("the connection to 127.0.0.1:\(server.port) was lost")
          == true)
      #expect(try harness.get(server.url).text == "fine")
      harness.finish()
      server.stop()
    }

    @Test func `a slow reader of the body is waited for`() throws {
      let body = [UInt8](repeating: 65, count: 8 << 20)
      let seen = Steps()
      let server = try #require(
        RawServer { connection in
          guard connection.readHead() != nil else { return }
          for count in 1...8 {
            guard connection.read(1 << 20) else { return }
            seen.wait(for: count)
          }
          connection.answer("ok")
        })
      var sent: [Int] = []
      var result: NetworkResult?
      let transfer = harness.start(HTTPRequest(method: "POST", url: server.url, body: body)) {
        result = $0
      }
      harness.turn {
        seen.advance()
        if transfer.transferMetrics.requestBytesSent > sent.last ?? 0 {
          sent.append(transfer.transferMetrics.requestBytesSent)
        }
        return result != nil
      }
      #expect(result?.text == "ok")
      #expect(sent.last == body.count)
      #expect(sent.count > 1, "the counter moves while the body goes out")
      harness.finish()
      server.stop()
    }
  }
}
