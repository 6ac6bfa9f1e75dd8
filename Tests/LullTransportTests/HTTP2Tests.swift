import LullCore
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
  }
}
