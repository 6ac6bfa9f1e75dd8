import LullCore
import LullTransport
import Testing

extension TransportSuite {
  @Suite struct BodyLimitTests {
    let nginx: NginxServer
    let harness: TransportHarness

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      harness = try TransportHarness()
    }

    @Test func `a body as large as the limit is fine`() throws {
      #expect(try get("/large", limit: NginxServer.largeSize).body?.count == NginxServer.largeSize)
      harness.finish()
    }

    @Test func `the limit counts decoded bytes`() throws {
      let error = try get("/compressed/large", limit: 1 << 20).error
      #expect(
        error
          == TransportError(
            .bodyTooLarge, "the response body is larger than the limit of 1 MB (max_body_size)"))
      harness.finish()
    }

    @Test func `an announced length fails before the first byte`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
          connection.waitForClose()
        })
      let result = try get(server.url, limit: 999)
      #expect(result.error?.kind == .bodyTooLarge)
      #expect(result.error?.message.contains("999 bytes") == true)
      harness.turn { server.closedByPeerCount == 1 }
      harness.finish()
      server.stop()
    }

    @Test func `a bomb stops at the limit`() throws {
      let directory = try #require(TemporaryDirectory())
      defer { directory.remove() }
      let path = directory.path + "/bomb.gz"
      #expect(ChildProcess("head -c 100M /dev/zero | gzip -1 > \(path)")?.wait() == 0)
      let bomb = try #require(contents(path))
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
          connection.write(bomb)
          connection.waitForClose()
        })
      let result = try get(server.url, limit: 10 << 20)
      #expect(result.error?.kind == .bodyTooLarge)
      #expect(result.body == nil)
      harness.finish()
      server.stop()
    }

    @Test func `HEAD may announce what it likes`() throws {
      var request = HTTPRequest(method: "HEAD", url: nginx.url + "/large")
      request.limits.maxBodySize = 10
      #expect(try harness.send(request).response?.status == 200)
      harness.finish()
    }

    private func get(_ path: String, limit: Int) throws -> NetworkResult {
      let url = path.hasPrefix("/") ? nginx.url + path : path
      var request = HTTPRequest(method: "GET", url: url)
      request.limits.maxBodySize = limit
      return try harness.send(request)
    }
  }
}
