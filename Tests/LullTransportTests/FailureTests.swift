import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Each way to fail, its kind and what the user reads.
  @Suite struct FailureTests {
    let harness: TransportHarness

    init() throws {
      harness = try TransportHarness()
    }

    @Test func `a name that does not resolve`() throws {
      let result = try harness.get("http://user:secret@nope.invalid/")
      #expect(result.error == TransportError(.dns, "cannot resolve host 'nope.invalid'"))
      #expect(result.body == nil)
      harness.finish()
    }

    @Test func `a port nobody listens on`() throws {
      let port = try #require(RawSocket.freePorts(1).first)
      let result = try harness.get("http://127.0.0.1:\(port)/")
      #expect(
        result.error
          == TransportError(.connection, "cannot connect to 127.0.0.1:\(port) (connection refused)")
      )
      harness.finish()
    }

    @Test(arguments: [
      "", "/path", "nothing", "ftp://127.0.0.1/", "http://", "http://a b/", "file:///x",
    ])
    func `a URL that is none`(_ url: String) throws {
      #expect(try harness.get(url).error?.kind == .invalidURL)
      harness.finish()
    }

    @Test func `a URL that goes wrong behind the host`() throws {
      #expect(try harness.get("http://127.0.0.1:1/").error?.kind == .connection)
      #expect(try harness.get("http://127.0.0.1:1/a b\u{1}").error?.kind == .invalidURL)
      #expect(try harness.get("http://127.0.0.1:1/a\u{0}b").error?.kind == .invalidURL)
      harness.finish()
    }

    @Test func `MTH-03 a method that is none`() throws {
      for method: RequestMethod in ["", "GET /", "A\r\nB"] {
        let result = try harness.send(HTTPRequest(method: method, url: "http://127.0.0.1:1/"))
        #expect(result.error?.kind == .network)
      }
      harness.finish()
    }

    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-A: 1\r\n\r\nshort",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n5\r\nshort\r\n",
    ])
    func `a body that breaks off`(_ text: String) throws {
      let result = try answer { connection in
        connection.readRequest()
        connection.write(text)
      }
      #expect(result.error?.kind == .truncatedBody)
      #expect(result.response?.status == 200)
      #expect(result.response?.headers["x-a"] == "1")
      #expect(result.body == nil)
    }

    @Test func `an answer that takes too long`() throws {
      var request = HTTPRequest(method: "GET", url: "")
      request.limits.timeout = 0.1
      let error = try answer(request) { connection in
        connection.readRequest()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
        connection.waitForClose()
      }.error
      #expect(error?.kind == .timeout)
      #expect(error?.message.hasSuffix("within 0.1 s (timeout)") == true)
    }

    @Test func `a connection that takes too long`() throws {
      // A TLS handshake nobody answers is still connecting.
      let server = try #require(RawServer { $0.waitForClose() })
      var request = HTTPRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/")
      request.limits.connectTimeout = 0.1
      let error = try harness.send(request).error
      #expect(
        error
          == TransportError(
            .timeout, "no connection to 127.0.0.1:\(server.port) within 0.1 s (connect_timeout)"))
      request.limits.connectTimeout = 10
      request.limits.timeout = 0.1
      #expect(try harness.send(request).error?.message.hasSuffix("within 0.1 s (timeout)") == true)
      harness.finish()
      server.stop()
    }

    private func answer(
      _ request: HTTPRequest = HTTPRequest(method: "GET", url: ""),
      _ script: @escaping @Sendable (RawConnection) -> Void
    ) throws -> NetworkResult {
      let server = try #require(RawServer(script))
      var request = request
      request.url = server.url
      let result = try harness.send(request)
      harness.finish()
      server.stop()
      return result
    }
  }
}
