import Glibc
import LullCore
import LullTransport
import Testing

extension TransportSuite {
  @Suite struct TLSTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    @Test func refusesACertificateItDoesNotKnow() throws {
      let harness = try TransportHarness()
      let error = try harness.get(nginx.tlsURL + "/protocol").error
      #expect(error?.kind == .tls)
      #expect(
        error?.message.hasPrefix("no secure connection to localhost:\(nginx.tlsPort)") == true)
      harness.finish()
    }

    @Test func refusesACertificateForAnotherName() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.certificate)
      let error = try harness.get("https://127.0.0.2:\(nginx.tlsPort)/protocol").error
      #expect(error?.kind == .tls || error?.kind == .connection)
      harness.finish()
    }

    @Test func speaksHTTP2WithATrustedServer() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.certificate)
      #expect(try harness.get(nginx.tlsURL + "/protocol").text == "HTTP/2.0")
      harness.finish()
    }

    @Test func manyExchangesShareOneHTTP2Connection() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.certificate)
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

    @Test func cancellingAStreamLeavesTheOthers() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.certificate)
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

    /// nginx does not read these bodies: it answers and resets the stream.
    @Test func anAnswerBeforeTheBodyWasReadCounts() throws {
      for _ in 0..<20 {
        let harness = try TransportHarness(certificateAuthorities: nginx.certificate)
        let result = try harness.send(
          HTTPRequest(method: "POST", url: nginx.tlsURL + "/echo", body: [1, 2, 3]))
        #expect(
          result.text == "POST||3|||*/*|lull/test|/echo", "\(String(describing: result.error))")
        harness.finish()
      }
    }

    @Test func aRedirectToTLSIsAnotherOrigin() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.certificate)
      let result = try harness.send(
        HTTPRequest(
          method: "GET", url: nginx.url + "/to-tls", headers: Headers([("X-Token", "t")])))
      #expect(result.text == "GET|||||*/*|lull/test|/echo")
      harness.finish()
    }

    @Test(arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
    func theEnvironmentNamesWhomToTrust(_ name: String) throws {
      setenv(name, nginx.certificate, 1)
      let harness = try TransportHarness()
      unsetenv(name)
      #expect(try harness.get(nginx.tlsURL + "/protocol").text == "HTTP/2.0")
      harness.finish()
    }
  }
}
