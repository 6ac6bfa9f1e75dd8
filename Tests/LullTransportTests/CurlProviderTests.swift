import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// What goes out and what comes back when all is well.
  @Suite struct CurlProviderTests {
    let nginx: NginxServer
    let harness: TransportHarness

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      harness = try TransportHarness()
    }

    @Test func `gets a body with status headers and URL`() throws {
      let result = try harness.get(nginx.url + "/json")
      #expect(result.error == nil)
      #expect(result.text == #"{"answer":42}"#)
      #expect(result.response?.status == 200)
      #expect(result.response?.headers["content-type"] == "application/json")
      #expect(result.response?.url == nginx.url + "/json")
      #expect((result.response?.elapsed ?? -1) >= 0)
      harness.finish()
    }

    @Test func `decodes compressed bodies`() throws {
      let result = try harness.get(nginx.url + "/compressed/large")
      #expect(result.response?.headers["content-encoding"] == "gzip")
      #expect(result.body?.count == NginxServer.largeSize)
      #expect(result.body?.last == UInt8(truncatingIfNeeded: (NginxServer.largeSize - 1) >> 3))
      harness.finish()
    }

    @Test func `error statuses are responses like any other`() throws {
      let missing = try harness.get(nginx.url + "/missing")
      #expect(missing.error == nil)
      #expect(missing.response?.status == 404)
      #expect(missing.text == "no such thing")
      #expect(try harness.get(nginx.url + "/broken").response?.status == 500)
      harness.finish()
    }

    @Test func `an empty body is empty and not absent`() throws {
      let result = try harness.get(nginx.url + "/empty")
      #expect(result.response?.status == 204)
      #expect(result.body == [])
      harness.finish()
    }

    @Test func `HEAD has headers and no body`() throws {
      let result = try harness.send(HTTPRequest(method: "HEAD", url: nginx.url + "/large"))
      #expect(result.response?.headers["content-length"] == "\(NginxServer.largeSize)")
      #expect(result.body == [])
      // The next one on the same curl handle has a body again.
      #expect(try harness.get(nginx.url + "/json").text == #"{"answer":42}"#)
      harness.finish()
    }

    @Test func `large bodies arrive whole`() throws {
      let body = try #require(try harness.get(nginx.url + "/large").body)
      #expect(body.count == NginxServer.largeSize)
      #expect(body.indices.allSatisfy { body[$0] == UInt8(truncatingIfNeeded: $0 >> 3) })
      harness.finish()
    }

    @Test(arguments: ["GET", "DELETE", "OPTIONS", "PROPFIND", "get"])
    func `sends any method without a body`(_ method: RequestMethod) throws {
      let request = try received(HTTPRequest(method: method, url: "/x"))
      #expect(request.hasPrefix("\(method) /x HTTP/1.1\r\n"))
      #expect(!request.lowercased().contains("content-length"))
      #expect(!request.lowercased().contains("content-type"))
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET", "REPORT"] as [RequestMethod])
    func `sends any method with a body`(_ method: RequestMethod) throws {
      let request = try received(
        HTTPRequest(method: method, url: "/x", body: Array("some body".utf8)))
      #expect(request.hasPrefix("\(method) /x HTTP/1.1\r\n"))
      #expect(request.lowercased().contains("\r\ncontent-length: 9\r\n"))
      #expect(!request.lowercased().contains("content-type"))
      #expect(request.hasSuffix("\r\n\r\nsome body"))
    }

    @Test(arguments: ["POST", "PUT", "PATCH"] as [RequestMethod])
    func `says that a body is empty`(_ method: RequestMethod) throws {
      for body in [nil, []] as [[UInt8]?] {
        let request = try received(HTTPRequest(method: method, url: "/x", body: body))
        #expect(request.lowercased().contains("\r\ncontent-length: 0\r\n"))
      }
    }

    @Test func `bodies may hold zero bytes and megabytes`() throws {
      let server = try #require(
        RawServer { connection in
          let request = connection.readRequest() ?? ""
          connection.answer("\(request.utf8.count) \(request.lowercased().contains("expect"))")
          connection.waitForClose()
        })
      var body = [UInt8](repeating: 0, count: 3 << 20)
      body[body.count - 1] = 7
      let result = try harness.send(HTTPRequest(method: "POST", url: server.url, body: body))
      #expect(result.text?.hasSuffix(" false") == true)
      #expect(Int(result.text?.split(separator: " ").first ?? "") ?? 0 > 3 << 20)
      harness.finish()
      server.stop()
    }

    @Test func `sends headers as given`() throws {
      var headers = RequestHeaders()
      headers.add("Content-Type", "application/vnd.thing+json")
      headers.add("X-Token", "a b")
      headers.add("X-Empty", "")
      headers.add("X-Blank", "  ")
      headers.add("X-Many", "1")
      headers.add("X-Many", "2")
      headers.add("Content-Length", "77")
      let request = try received(
        HTTPRequest(method: "POST", url: "/x", headers: headers, body: [65, 66]))
      let lines = request.components
      #expect(lines.contains("content-type: application/vnd.thing+json"))
      #expect(lines.contains("x-token: a b"))
      #expect(lines.contains("x-empty:"))
      #expect(lines.contains("x-blank:"))
      #expect(lines.filter { $0.hasPrefix("x-many") } == ["x-many: 1", "x-many: 2"])
      #expect(lines.filter { $0.lowercased().hasPrefix("content-length") } == ["Content-Length: 2"])
      #expect(lines.contains("user-agent: lull/test"))
    }

    @Test func `a user agent of one's own wins`() throws {
      let request = try received(
        HTTPRequest(method: "GET", url: "/x", headers: RequestHeaders([("User-Agent", "me")])))
      #expect(
        request.components.filter { $0.lowercased().hasPrefix("user-agent") } == ["user-agent: me"])
    }

    @Test func `headers of one request do not leak into the next`() throws {
      let first = HTTPRequest(
        method: "POST", url: nginx.url + "/echo", headers: RequestHeaders([("X-Token", "t")]),
        body: [1])
      #expect(try harness.send(first).text?.contains("|t|") == true)
      let second = try harness.get(nginx.url + "/echo")
      #expect(second.text == "GET||||" + "|*/*|lull/test|/echo")
      harness.finish()
    }

    @Test func `keeps only the final response's headers`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 103 Early Hints\r\nX-Hint: 1\r\n\r\n")
          connection.write("HTTP/1.1 200 OK\r\nX-A: 1\r\nX-Folded: one\r\n two\r\nX-A:2\r\n")
          connection.write(
            "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n")
          connection.waitForClose()
        })
      let result = try harness.get(server.url)
      #expect(result.text == "abc")
      let names = result.response?.headers.pairs.map(\.name)
      #expect(names == ["x-a", "x-folded", "x-a", "transfer-encoding"])
      #expect(result.response?.headers["x-folded"]?.hasSuffix("two") == true)
      harness.finish()
      server.stop()
    }

    @Test func `counts the bytes of both bodies`() throws {
      var result: NetworkResult?
      let transfer = harness.start(
        HTTPRequest(method: "POST", url: nginx.url + "/echo", body: [1, 2, 3])
      ) { result = $0 }
      #expect(transfer.transferMetrics.requestBytesSent == 0)
      #expect(transfer.transferMetrics.requestBytesTotal == 3)
      harness.turn { result != nil }
      #expect(transfer.transferMetrics.requestBytesSent == 3)
      #expect(transfer.transferMetrics.responseBytesReceived > 0)
      harness.finish()
    }

    @Test func `leaves one line per exchange in the log`() throws {
      _ = try harness.get(nginx.url.replacing("//", with: "//user:secret@") + "/json")
      _ = try harness.get("http://127.0.0.1:1/")
      #expect(harness.log.count == 2)
      #expect(harness.log[0].hasPrefix("GET \(nginx.url)/json → 200 (13 bytes, "))
      #expect(
        harness.log[1] == "GET http://127.0.0.1:1/ → connection: "
          + "cannot connect to 127.0.0.1:1 (connection refused)")
      harness.finish()
    }

    @Test func `works with SIGPIPE blocked`() throws {
      let guarded = try TransportHarness(blocksSIGPIPE: true)
      #expect(try guarded.get(nginx.url + "/json").text == #"{"answer":42}"#)
      guarded.finish()
      harness.finish()
    }

    @Test func `after closing every request fails`() throws {
      harness.provider.close()
      let result = try harness.get(nginx.url + "/json")
      #expect(result.error?.kind == .network)
      harness.finish()
    }

    /// What a server receives of `request`, whose URL is only a path here.
    private func received(_ request: HTTPRequest) throws -> String {
      let server = try #require(
        RawServer { connection in
          while connection.readRequest() != nil { connection.answer("ok") }
        })
      defer { server.stop() }
      var request = request
      request.url = server.url + request.url
      let result = try harness.send(request)
      #expect(result.text == "ok")
      return try #require(server.requests.first)
    }
  }
}

extension String {
  /// The lines of a request's head.
  fileprivate var components: [String] {
    split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }
}
