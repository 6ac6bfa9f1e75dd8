import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// What requests say themselves of redirects.
  @Suite struct RedirectOptionTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    @Test func `RED-01 a limit is the number that is followed`() throws {
      let harness = try TransportHarness()
      let enough = try harness.get(nginx.url + "/hops/3") { $0.redirects = .follow(atMost: 3) }
      #expect(enough.text == #"{"answer":42}"#)
      for (limit, count) in [(2, "2 times"), (1, "once"), (0, "0 times")] {
        let error = try harness.get(nginx.url + "/hops/3") {
          $0.redirects = .follow(atMost: limit)
        }.error
        #expect(error?.kind == .tooManyRedirects)
        #expect(error?.message == "127.0.0.1:\(nginx.port) redirected more than \(count)")
      }
      harness.finish()
    }

    @Test func `RED-11 a redirect can be the answer with its body`() throws {
      let harness = try TransportHarness()
      let result = try harness.get(nginx.url + "/301") { $0.redirects = .answer }
      #expect(result.response?.status == 301)
      #expect(result.response?.headers["location"] == "/echo/301")
      #expect(result.response?.url == nginx.url + "/301")
      #expect(result.text?.contains("301 Moved Permanently") == true)
      harness.finish()
    }

    @Test func `RED-11 another origin can be refused`() throws {
      let harness = try TransportHarness()
      let set: (inout TransferOptions) -> Void = { $0.redirects = .followWithinOrigin }
      #expect(try harness.get(nginx.url + "/hops/3", set).text == #"{"answer":42}"#)
      for (path, target) in [
        ("/cross", nginx.otherURL), ("/cross-name", "http://localhost:\(nginx.port)"),
        ("/to-tls", nginx.tlsURL),
      ] {
        let error = try harness.get(nginx.url + path, set).error
        #expect(error?.kind == .redirectRefused)
        #expect(
          error?.message
            == "127.0.0.1:\(nginx.port) redirects to another origin, \(target), which is not "
            + "followed (redirects = \"same_origin\")")
      }
      let error = try harness.get(nginx.url + "/loop", set).error
      #expect(error?.message == "127.0.0.1:\(nginx.port) redirected more than 10 times")
      harness.finish()
    }
  }
}
