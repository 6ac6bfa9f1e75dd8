import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Keeping connections, and waiting for one.
  @Suite struct ConnectionTests {
    let nginx: NginxServer
    let harness: TransportHarness

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      harness = try TransportHarness()
    }

    @Test func `one after the other share a connection`() throws {
      var connections: Set<String> = []
      var counts: [String] = []
      for _ in 0..<5 {
        let headers = try #require(try harness.get(nginx.url + "/json").response).headers
        connections.insert(headers["x-connection"] ?? "")
        counts.append(headers["x-requests"] ?? "")
      }
      #expect(connections.count == 1)
      #expect(counts == ["1", "2", "3", "4", "5"])
      harness.finish()
    }

    @Test func `a server that ends connections gets new ones`() throws {
      for _ in 0..<10 { #expect(try harness.get(nginx.url + "/few/").text == "few") }
      harness.finish()
    }

    @Test(arguments: ["GET", "POST"] as [RequestMethod])
    func `a connection closed between requests is replaced`(_ method: RequestMethod) throws {
      let server = try #require(
        RawServer { connection in
          guard connection.readRequest() != nil else { return }
          connection.answer("ok")
          connection.hangUp()
        })
      let request = HTTPRequest(
        method: method, url: server.url, body: method == "POST" ? [65] : nil)
      for count in 1...20 {
        let result = try harness.send(request)
        #expect(result.text == "ok", "\(String(describing: result.error))")
        // A POST is not sent twice, so that the end must have come.
        if method == "POST" { harness.turn { server.closedCount == count } }
      }
      #expect(server.connectionCount == 20)
      harness.finish()
      server.stop()
    }

    /// Answers once on each connection, and takes the next request there without an answer, as a
    /// server does whose keep-alive time ends just then.
    private func startAnsweringOnce() throws -> RawServer {
      try #require(
        RawServer { connection in
          guard connection.readRequest() != nil else { return }
          connection.answer("ok")
          connection.readRequest()
        })
    }

    @Test(arguments: ["GET", "PUT", "POST idempotency-key", "PATCH x-idempotency-key"])
    func `a connection closed instead of a second answer is replaced`(_ kind: String) throws {
      let server = try startAnsweringOnce()
      let words = kind.split(separator: " ").map(String.init)
      let request = HTTPRequest(
        method: try #require(RequestMethod(rawValue: words[0])), url: server.url,
        headers: RequestHeaders(words.dropFirst().map { ($0, "1") }),
        body: words[0] == "GET" ? nil : [65])
      #expect(try harness.send(request).text == "ok")
      #expect(try harness.send(request).text == "ok")
      #expect(server.connectionCount == 2)
      #expect(server.requests.count == 3)
      harness.finish()
      server.stop()
    }

    @Test(arguments: ["POST", "PATCH"] as [RequestMethod])
    func `RFC 9110, 9.2.2: what may have been done is not asked for twice`(_ method: RequestMethod)
      throws
    {
      for body in [[65], [UInt8]()] {
        let server = try startAnsweringOnce()
        let request = HTTPRequest(method: method, url: server.url, body: body)
        #expect(try harness.send(request).text == "ok")
        let error = try harness.send(request).error
        #expect(error?.kind == .network)
        #expect(
          error?.message.hasSuffix("may have been processed, so it is not sent again") ?? false)
        #expect(server.requests.count == 2)
        #expect(try harness.send(request).text == "ok")
        server.stop()
      }
      harness.finish()
    }

    @Test func `what is said on an idle connection is no answer`() throws {
      let hasSpoken = Flag()
      let server = try #require(
        RawServer { connection in
          guard connection.readRequest() != nil else { return }
          connection.answer("asked")
          guard !hasSpoken.isSet else { return connection.waitForClose() }
          Steps.pause()
          connection.write("HTTP/1.1 408 Late\r\nContent-Length: 7\r\n\r\nunasked")
          hasSpoken.set()
          connection.readRequest()
        })
      #expect(try harness.get(server.url).text == "asked")
      harness.turn { hasSpoken.isSet }
      harness.loop.turn(.noWait)
      let result = try harness.get(server.url)
      #expect(result.text == "asked")
      #expect(result.response?.status == 200)
      #expect(server.connectionCount == 2)
      harness.finish()
      server.stop()
    }

    @Test func `ten thousand at once complete in turn on few connections`() throws {
      var connections: Set<String> = []
      var finished = 0
      var worstOvertaking = 0
      for index in 0..<10_000 {
        harness.start(HTTPRequest(method: "GET", url: nginx.url + "/json")) { result in
          if result.response?.status != 200 { Issue.record("\(String(describing: result.error))") }
          connections.insert(result.response?.headers["x-connection"] ?? "")
          // Those before it that are not done are at most the others that were under way with it.
          worstOvertaking = max(worstOvertaking, index - finished)
          finished += 1
        }
      }
      #expect(harness.provider.activeCount == 10_000)
      harness.turn { finished == 10_000 }
      #expect(connections.count <= 32)
      #expect(worstOvertaking <= 31)
      harness.finish()
    }

    @Test func `the limit of connections is the request's`() throws {
      var request = HTTPRequest(method: "GET", url: nginx.url + "/json")
      request.limits.connectionsPerHost = 2
      var connections: Set<String> = []
      var finished = 0
      for _ in 0..<100 {
        harness.start(request) { result in
          connections.insert(result.response?.headers["x-connection"] ?? "")
          finished += 1
        }
      }
      harness.turn { finished == 100 }
      #expect(connections.count <= 2)
      harness.finish()
    }

    @Test func `one full host does not hold up another`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.waitForClose()
        })
      var slow = HTTPRequest(method: "GET", url: server.url)
      slow.limits.connectionsPerHost = 1
      let hanging = (0..<3).map { _ in harness.start(slow) }
      #expect(try harness.get(nginx.url + "/json").response?.status == 200)
      #expect(server.connectionCount <= 1)
      for transfer in hanging { transfer.cancel() }
      harness.finish()
      server.stop()
    }
  }
}
