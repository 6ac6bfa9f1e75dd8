import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Bodies over TLS that end with their connection, and whether the server announced that end.
  @Suite struct CloseNoticeTests {
    let server: TruncatingServer
    let harness: TransportHarness

    init() throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      server = try #require(
        TruncatingServer(
          certificate: nginx.certificate("good.pem"), key: nginx.certificate("good.key")),
        "python3 is needed")
      harness = try TransportHarness(certificateAuthorities: nginx.authority)
    }

    private func finish() {
      harness.finish()
      server.stop()
    }

    @Test func `NET-10 a body whose end was announced is complete`() throws {
      #expect(try harness.get(server.url + "/closed").text == "hello")
      finish()
    }

    @Test(arguments: ["/cut", "/cut/gzip", "/cut/old", "/cut/empty"])
    func `NET-10 a body whose end was not announced may be truncated`(_ path: String) throws {
      let result = try harness.get(server.url + path)
      #expect(result.error?.kind == .truncatedBody)
      #expect(result.error?.message.contains("close_notify") == true)
      #expect(result.error?.message.contains("allow_truncated") == true)
      // What came before the body is known, as of any that breaks off.
      #expect(result.response?.status == 200)
      finish()
    }

    @Test(arguments: ["/cut", "/cut/gzip", "/cut/old"])
    func `NET-10 who allows it takes the body as it came`(_ path: String) throws {
      #expect(
        try harness.get(server.url + path) { $0.allowsTruncatedBodies = true }.text == "hello")
      // The next request is without that option, and in the same pool of handles.
      #expect(try harness.get(server.url + path).error?.kind == .truncatedBody)
      finish()
    }

    @Test func `NET-10 a body with a length or chunks needs no announcement`() throws {
      #expect(try harness.get(server.url + "/cut/length").text == "hello")
      #expect(try harness.get(server.url + "/cut/chunks").text == "hello")
      #expect(try harness.get(server.url + "/cut/head").response?.status == 204)
      #expect(try harness.send(HTTPRequest(method: "HEAD", url: server.url + "/cut")).error == nil)
      #expect(try harness.get(server.url + "/cut/redirect").text == "hello")
      finish()
    }

    @Test func `NET-10 the end of a kept connection counts for its last answer only`() throws {
      for path in ["/closed", "/cut"] {
        #expect(try harness.get(server.url + "/kept").text == "kept")
        let result = try harness.get(server.url + path)
        #expect(result.text == (path == "/closed" ? "hello" : nil))
        #expect(result.error?.kind == (path == "/closed" ? nil : .truncatedBody))
      }
      finish()
    }

    /// The connection goes before or after the answer that waits for its end.
    @Test func `NET-10 a request that is cancelled meanwhile leaves nothing behind`() throws {
      for turns in 0..<12 {
        let transfer = harness.start(HTTPRequest(method: "GET", url: server.url + "/cut"))
        for _ in 0..<turns {
          harness.loop.turn(.noWait)
          Steps.pause()
        }
        transfer.cancel()
        harness.turn { harness.provider.activeCount == 0 }
      }
      #expect(try harness.get(server.url + "/closed").text == "hello")
      finish()
    }

    /// Without TLS there is no such alert, and over HTTP/2 the frames say where a body ends.
    @Test func `NET-10 other bodies without a length are complete at their end`() throws {
      let plain = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\n\r\nhello")
        })
      #expect(try harness.get(plain.url).text == "hello")
      plain.stop()
      finish()
    }
  }
}
