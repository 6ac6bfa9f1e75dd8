import LullCore
import LullLibC
import LullTransport
import Testing

extension TransportSuite {
  /// HTTP/2 over TLS: nginx says what it was spoken to, and over which connection.
  @Suite struct HTTP2Tests {
    let nginx: NginxServer
    let harness: TransportHarness

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      harness = try TransportHarness(certificateAuthorities: nginx.authority)
    }

    @Test func `is spoken with a server that offers it`() throws {
      let result = try harness.get(nginx.tlsURL + "/protocol")
      #expect(result.text == "HTTP/2.0")
      #expect(result.response?.status == 200)
      #expect(result.response?.headers["content-type"] == "text/plain")
      harness.finish()
    }

    @Test func `many exchanges share one connection`() throws {
      _ = try harness.get(nginx.tlsURL + "/protocol")
      var connections: Set<String> = []
      var finished = 0
      for _ in 0..<500 {
        harness.start(HTTPRequest(method: "GET", url: nginx.tlsURL + "/protocol")) { result in
          #expect(result.text == "HTTP/2.0")
          connections.insert(result.response?.headers["x-connection"] ?? "")
          finished += 1
        }
      }
      harness.turn { finished == 500 }
      #expect(connections.count == 1)
      harness.finish()
    }

    @Test func `exchanges run side by side on one connection`() throws {
      // Not even a first one is needed: the others wait for its connection and use it.
      var results: [NetworkResult] = []
      let transfers = (0..<4).map { _ in
        harness.start(HTTPRequest(method: "GET", url: nginx.tlsURL + "/metered")) {
          results.append($0)
        }
      }
      harness.turn { transfers.allSatisfy { $0.transferMetrics.responseBytesReceived > 0 } }
      #expect(results.isEmpty, "each takes a second at least")
      #expect(
        transfers.allSatisfy { $0.transferMetrics.responseBytesTotal == NginxServer.largeSize })
      for transfer in transfers.dropFirst(2) { transfer.cancel() }
      harness.turn { results.count == 4 }
      let whole = results.filter { $0.error == nil }
      #expect(whole.map { $0.body?.count } == [NginxServer.largeSize, NginxServer.largeSize])
      #expect(Set(whole.map { $0.response?.headers["x-connection"] }).count == 1)
      harness.finish()
    }

    @Test func `cancelling a stream leaves the others`() throws {
      _ = try harness.get(nginx.tlsURL + "/protocol")
      var texts: [String?] = []
      let transfers = (0..<20).map { _ in
        harness.start(HTTPRequest(method: "GET", url: nginx.tlsURL + "/protocol")) {
          texts.append($0.text)
        }
      }
      harness.loop.turn(.noWait)
      for transfer in transfers.prefix(10) { transfer.cancel() }
      harness.turn { texts.count == 20 }
      #expect(texts.filter { $0 == "HTTP/2.0" }.count >= 10)
      harness.finish()
    }

    /// curl (7.88) stops reading when a head is larger than its buffer, whatever it has that size from.
    @Test(arguments: [false, true])
    func `a head may be almost as long as curl takes`(hasOptions: Bool) throws {
      let url = nginx.tlsURL + "/long-head"
      let result =
        try hasOptions
        ? harness.get(url) { $0.connection.certificateAuthorities = nginx.authority }
        : harness.get(url)
      #expect(result.error == nil)
      #expect(result.response?.headers["x-a"]?.utf8.count == 60_000)
      #expect(result.response?.headers["x-b"]?.utf8.count == 60_000)
      #expect(result.body?.count == 20_000)
      harness.finish()
    }

    /// nginx does not read these bodies: it answers and resets the stream.
    @Test func `an answer before the body was read counts`() throws {
      for _ in 0..<20 {
        let harness = try TransportHarness(certificateAuthorities: nginx.authority)
        let result = try harness.send(
          HTTPRequest(method: "POST", url: nginx.tlsURL + "/echo", body: [1, 2, 3]))
        #expect(
          result.text == "POST||3|||*/*|lull/test|/echo", "\(String(describing: result.error))")
        harness.finish()
      }
      harness.finish()
    }

    /// Its server may go on sending, and have no ear for what is asked next.
    @Test func `a connection with a stopped stream is not used again`() throws {
      let before = try harness.get(nginx.tlsURL + "/protocol")
      var request = HTTPRequest(method: "GET", url: nginx.tlsURL + "/metered")
      request.limits.maxBodySize = 10
      let stopped = try harness.send(request)
      #expect(stopped.error?.kind == .bodyTooLarge)
      let after = try harness.get(nginx.tlsURL + "/protocol")
      #expect(after.text == "HTTP/2.0")
      let connections = [before, after].map { $0.response?.headers["x-connection"] }
      #expect(connections[0] != nil && connections[1] != nil && connections[0] != connections[1])
      harness.finish()
    }

    private func truncating() throws -> TruncatingServer {
      try #require(
        TruncatingServer.http2(
          certificate: nginx.certificate("good.pem"), key: nginx.certificate("good.key")),
        "python3 and python3-hpack are needed")
    }

    @Test func `NET-11 a body without a length is complete at the end of its stream`() throws {
      let server = try truncating()
      #expect(try harness.get(server.url + "/whole").text == "hello")
      harness.finish()
      server.stop()
    }

    @Test(arguments: ["/reset/length", "/reset/gzip"])
    func `NET-11 a stream that is reset before a known end fails`(_ path: String) throws {
      let server = try truncating()
      #expect(try harness.get(server.url + path).error?.kind == .truncatedBody)
      #expect(try harness.get(server.url + "/whole").text == "hello")
      harness.finish()
      server.stop()
    }

    @Test(
      arguments: [
        ("2", .connection), ("8", .connection), ("11", .connection), ("1", .malformedResponse),
        ("later", .truncatedBody),
      ] as [(String, TransportError.Kind)])
    func `RTY-05 a stream that is reset before its answer is a failed connection`(
      _ path: String, _ kind: TransportError.Kind
    ) throws {
      let server = try truncating()
      let error = try harness.get(server.url + "/failed/\(path)").error
      #expect(error?.kind == kind)
      #expect(error?.isUnsent == false)
      #expect(try harness.get(server.url + "/whole").text == "hello")
      harness.finish()
      server.stop()
    }

    @Test(arguments: [false, true])
    func `RTY-05 RTY-03 a TLS handshake that is cut is a failed connection, and nothing was sent`(
      isRead: Bool
    ) throws {
      let server = try #require(
        RawServer { connection in
          // With its greeting unread the connection is reset, else it is closed.
          var greeting = [UInt8](repeating: 0, count: 4096)
          if isRead { _ = recv(connection.descriptor, &greeting, greeting.count, 0) }
        })
      let url = "https://127.0.0.1:\(server.port)/"
      let error = try harness.send(HTTPRequest(method: "POST", url: url, body: [1])).error
      #expect(error?.kind == .connection, "\(String(describing: error))")
      #expect(error?.isUnsent == true)
      server.stop()
      harness.finish()
    }

    /// libcurl 7.88 to 8.14 does not tell this reset from the end of the stream. One that does must make
    /// the request fail.
    @Test func `NET-11 a reset without a known end is what libcurl takes it for`() throws {
      let server = try truncating()
      let result = try harness.get(server.url + "/reset")
      switch result.error?.kind {
      case nil: #expect(result.text == "hel")
      case .truncatedBody, .malformedResponse: break
      case let kind: Issue.record("\(String(describing: kind))")
      }
      harness.finish()
      server.stop()
    }
  }
}
