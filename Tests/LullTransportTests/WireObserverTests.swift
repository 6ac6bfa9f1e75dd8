import LullCore
import LullTransport
import Synchronization
import Testing

extension TransportSuite {
  /// What an observer of the wire is told.
  @Suite struct WireObserverTests {
    let harness: TransportHarness

    init() throws { harness = try TransportHarness() }

    private final class Told: Sendable {
      let lines = Mutex<[String]>([])

      var all: [String] { lines.withLock { $0 } }

      func observer(withBodies: Bool = false) -> WireObserver {
        WireObserver(wantsBodies: withBodies) { [self] event in
          switch event {
          case .head(let isSent, let bytes):
            add("\(isSent ? ">" : "<") \(String(decoding: bytes, as: UTF8.self))")
          case .body(let isSent, let bytes, let count):
            add("\(isSent ? ">" : "<") \(count): \(String(decoding: bytes, as: UTF8.self))")
          }
        }
      }

      private func add(_ line: String) {
        lines.withLock { $0.append(line.replacing("\r\n", with: "|")) }
      }
    }

    private func request(
      _ url: String, _ told: Told, method: RequestMethod = "GET", bodies: Bool = false
    ) -> HTTPRequest {
      var options = TransferOptions()
      options.wire = told.observer(withBodies: bodies)
      return HTTPRequest(method: method, url: url, options: options)
    }

    private func serving(_ answers: String...) throws -> RawServer {
      try serving(answers.map { Array($0.utf8) })
    }

    private func serving(_ answers: [[UInt8]]) throws -> RawServer {
      let left = Mutex(answers[...])
      return try #require(
        RawServer { connection in
          while connection.readRequest() != nil, let answer = left.withLock({ $0.popFirst() }) {
            connection.write(answer)
          }
        })
    }

    @Test func `SHOW-03 heads of every hop come in order and as they are`() throws {
      let server = try serving(
        "HTTP/1.1 302 Elsewhere, dear\r\nLOCATION: /b\r\nContent-length: 0\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"
          + "HTTP/1.1 200 Fine By Me\r\nx-Odd:  two \r\nContent-Length: 2\r\n\r\nhi")
      let told = Told()
      var asked = request(server.url + "/a", told)
      asked.headers["X-Mine"] = "1"
      #expect(try harness.send(asked).text == "hi")
      let host = "Host: 127.0.0.1:\(server.port)"
      let sent =
        "\(host)|Accept: */*|x-mine: 1|user-agent: lull/test|accept-encoding: gzip, br, zstd||"
      #expect(
        told.all == [
          "> GET /a HTTP/1.1|\(sent)",
          "< HTTP/1.1 302 Elsewhere, dear|LOCATION: /b|Content-length: 0||",
          "> GET /b HTTP/1.1|\(sent)",
          "< HTTP/1.1 103 Early Hints|Link: <x>|",
          "< HTTP/1.1 200 Fine By Me|x-Odd:  two |Content-Length: 2||",
        ])
      harness.finish()
      server.stop()
    }

    @Test func `SHOW-03 the next exchange of the same handle is not seen`() throws {
      let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
      let server = try serving(answer, answer, answer)
      let told = Told()
      _ = try harness.send(request(server.url, told))
      #expect(told.all.count == 2)
      _ = try harness.get(server.url)
      #expect(told.all.count == 2)
      _ = try harness.send(request(server.url, told))
      #expect(told.all.count == 4)
      harness.finish()
      server.stop()
    }

    @Test func `SHOW-04 bodies are decoded, whole up to a limit, and only for who wants them`()
      throws
    {
      let large = String(repeating: "x", count: WireObserver.bodyLimit + 7)
      let coded = Array(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(CodedText.gzip.count)\r\n\r\n"
          .utf8)
      let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
      let server = try serving([coded + CodedText.gzip, Array(chunked.utf8), Array(chunked.utf8)])
      let told = Told()
      var post = request(server.url, told, method: "POST", bodies: true)
      post.body = Array(large.utf8)
      _ = try harness.send(post)
      #expect(told.all.count == 4)
      #expect(told.all[1] == "> \(large.count): \(large.dropLast(7))")
      #expect(
        told.all[3]
          == "< \(CodedText.plain.count): \(String(decoding: CodedText.plain, as: UTF8.self))"
      )
      let second = Told()
      _ = try harness.send(request(server.url, second, bodies: true))
      #expect(second.all.last == "< 3: abc")
      let third = Told()
      post.options = request(server.url, third).options
      _ = try harness.send(post)
      #expect(third.all.count == 2)
      harness.finish()
      server.stop()
    }

    @Test func `SHOW-03 a failure tells what there was`() throws {
      let server = try #require(
        RawServer { connection in
          _ = connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\nX-Half: way\r\n")
        })
      let told = Told()
      #expect(try harness.send(request(server.url, told)).error != nil)
      #expect(told.all.last == "< HTTP/1.1 200 OK|X-Half: way|")
      let nobody = Told()
      #expect(try harness.send(request("http://127.0.0.1:1/", nobody)).error != nil)
      #expect(nobody.all.isEmpty)
      harness.finish()
      server.stop()
    }

    @Test func `SHOW-05 secrets are masked, short ones where they are sent too`() throws {
      let server = try serving(
        "HTTP/1.1 200 OK\r\nX-Echo: see hunter2\r\nContent-Length: 13\r\n\r\nback: hunter2")
      let told = Told()
      var asked = request(server.url + "/", told, method: "POST", bodies: true)
      asked.headers.add("x-pin", SecretText(Secret(.literal("7"), name: "pin")))
      asked.headers.add("x-word", SecretText(Secret(.literal("hunter2"), name: "word")))
      let body = SecretBody(form: [("q", SecretText(Secret(.literal("42"), name: "answer")))])
      asked.body = body.template.masked
      asked.secrets = SecretUses(origin: server.url, body: body.template)
      #expect(try harness.send(asked).text == "back: hunter2")
      let all = told.all.joined(separator: "\n")
      #expect(server.requests.first?.contains("x-pin: 7") == true)
      #expect(
        !all.contains("hunter2") && !all.contains("x-pin: 7") && !all.contains("q=42"), "\(all)")
      #expect(all.contains("|x-pin: ‹secret pin›|"), "\(all)")
      #expect(all.contains("|X-Echo: see ‹secret word›|"), "\(all)")
      #expect(all.contains("< 13: back: ‹secret word›"), "\(all)")
      harness.finish()
      server.stop()
    }

    @Test func `SHOW-03 what a proxy is told and says comes first`() throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let proxy = try #require(RawServer.tunnel(to: nginx.tlsPort))
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let told = Told()
      var asked = request(nginx.tlsURL + "/protocol", told)
      asked.options?.connection.proxy = .url(proxy.url)
      #expect(try harness.send(asked).text == "HTTP/2.0")
      let host = "localhost:\(nginx.tlsPort)"
      #expect(told.all.count == 4, "\(told.all)")
      #expect(told.all[0].hasPrefix("> CONNECT \(host) HTTP/1.1|Host: \(host)|"), "\(told.all)")
      #expect(told.all[1].hasPrefix("< HTTP/1.1 200 Connected|X-Proxy: 1|"), "\(told.all)")
      #expect(told.all[2].hasPrefix("> GET /protocol HTTP/2|"), "\(told.all)")
      harness.finish()
      proxy.stop()
    }

    @Test func `SHOW-03 over HTTP/2 it is what libcurl writes`() throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let told = Told()
      #expect(try harness.send(request(nginx.tlsURL + "/protocol", told)).text == "HTTP/2.0")
      #expect(told.all.first?.hasPrefix("> GET /protocol HTTP/2|Host: localhost:") == true)
      #expect(told.all.last?.hasPrefix("< HTTP/2 200 |server: nginx") == true, "\(told.all)")
      harness.finish()
    }
  }
}
