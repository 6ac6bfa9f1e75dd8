import LullCore
import Testing

@testable import LullTransport

extension TransportSuite {
  @Suite struct AllowedHostsTests {
    private func permits(_ patterns: [String], _ url: String) throws -> Bool {
      var hosts = AllowedHosts()
      for pattern in patterns {
        let isPattern = hosts.allow(pattern)
        #expect(isPattern, "\(pattern) is no pattern")
      }
      let origin = try #require(Origin(of: url), "\(url) is no URL")
      return hosts.permits(origin)
    }

    @Test(arguments: [
      "http://example.com/", "https://example.com/x?y", "http://example.com:8080/",
      "http://EXAMPLE.com/", "http://example.com./", "http://user:password@example.com/",
      "http://ex%61mple.com/", "http://other.example@example.com/", "http://ｅxample.com/",
    ])
    func `a name allows itself on every port, however it is written`(_ url: String) throws {
      #expect(try permits(["example.com"], url))
      #expect(try permits(["Example.COM."], url))
      #expect(try permits(["other.example", "example.com"], url))
      #expect(try permits(["*"], url))
    }

    @Test(arguments: [
      "http://example.com.evil.test/", "http://evil.test/example.com",
      "http://example.com@evil.test/", "http://example.com:80@evil.test/",
      "http://example.com%2f@evil.test/", "http://evil.test#@example.com/",
      "http://evil.test?@example.com/", "http://notexample.com/", "http://sub.example.com/",
      "http://example.co/", "http://example.com../", "http://127.0.0.1/", "http://[::1]/",
      "http:///example.com/", "http://example.com\\@evil.test/",
      "http://ex%61mple.com.evil.test/",
      "http://évil.example.com/", "http://example.com%00.evil.test/",
    ])
    func `a name allows nothing that only looks like it`(_ url: String) throws {
      // What is no URL is nowhere to go.
      guard Origin(of: url) != nil else { return }
      #expect(try !permits(["example.com"], url))
      #expect(try !permits([], url))
    }

    @Test func `SOCK-07 a socket is allowed by its path and nothing else`() {
      var hosts = AllowedHosts()
      for pattern in ["*", "localhost", "unix:/run/a.sock"] {
        let isPattern = hosts.allow(pattern)
        #expect(isPattern, "\(pattern) is no pattern")
      }
      #expect(hosts.permits(socket: "/run/a.sock"))
      for path in ["/run/b.sock", "/run/a.sock/", "/run/../run/a.sock", "run/a.sock", "", "*"] {
        #expect(!hosts.permits(socket: path), "\(path)")
      }
      let isPattern = hosts.allow("unix:run/a.sock")
      #expect(!isPattern)
    }

    @Test func `a wildcard allows what is below a name, not the name`() throws {
      #expect(try permits(["*.example.com"], "http://a.example.com/"))
      #expect(try permits(["*.example.com"], "http://a.b.EXAMPLE.com.:81/"))
      #expect(try !permits(["*.example.com"], "http://example.com/"))
      #expect(try !permits(["*.example.com"], "http://.example.com/"))
      #expect(try !permits(["*.example.com"], "http://evil-example.com/"))
      #expect(try !permits(["*.example.com"], "http://a.example.com.evil.test/"))
      #expect(try permits(["*.example.com:8443"], "https://a.example.com:8443/"))
      #expect(try !permits(["*.example.com:8443"], "https://a.example.com/"))
    }

    @Test func `a port is compared with the one that is used`() throws {
      #expect(try permits(["localhost:8080"], "http://localhost:8080/"))
      #expect(try !permits(["localhost:8080"], "http://localhost/"))
      #expect(try permits(["localhost:80"], "http://localhost/"))
      #expect(try permits(["localhost:443"], "https://localhost/"))
      #expect(try !permits(["localhost:80"], "https://localhost/"))
      #expect(try permits(["*:8080"], "http://anything.test:8080/"))
      #expect(try !permits(["*:8080"], "http://anything.test/"))
    }

    @Test(arguments: [
      ("127.0.0.1", "http://127.0.0.1:9/", true), ("127.0.0.1", "http://0x7f.1/", true),
      ("127.0.0.1", "http://2130706433/", true), ("127.0.0.1", "http://127.0.0.2/", false),
      ("127.0.0.1", "http://localhost/", false), ("[::1]", "http://[::1]/", true),
      ("::1", "http://[0:0:0:0:0:0:0:1]/", true), ("[::1]:8080", "http://[::1]:8080/", true),
      ("[::1]:8080", "http://[::1]/", false), ("::1", "http://[::2]/", false),
      ("::1", "http://127.0.0.1/", false), ("127.0.0.1", "http://127.1./", true),
      ("0x7f.1", "http://127.0.0.1/", true), ("127.0.0.1", "http://0177.1/", true),
      ("127.0.0.1", "http://[::ffff:127.0.0.1]/", false),
      ("fe80::1", "http://[fe80::1%25eth0]/", true),
      ("bücher.example", "http://BÜCHER.example/", true),
      ("bücher.example", "http://xn--bcher-kva.example/", true),
      ("*.bücher.example", "http://a.bücher.example/", true),
      ("bücher.example", "http://bucher.example/", false),
    ])
    func `addresses are compared as addresses`(_ pattern: String, _ url: String, _ expected: Bool)
      throws
    {
      #expect(try permits([pattern], url) == expected)
    }

    @Test(arguments: [
      ("example.com", true), ("EXAMPLE.com.:8080", true), (" example.com\t", true),
      ("a.example.net", true), ("localhost:8080", true), ("[::1]", true), ("[0:0::1]:81", true),
      ("evil.test", false), ("", false), ("example.com, evil.test", false),
      ("example.com@evil.test", false), ("ex%61mple.com", false), ("example.com.evil.test", false),
      ("example.net", false), ("localhost", false), ("localhost:8081", false),
      ("example.com:", false), ("example.com/x", false), ("example.com evil.test", false),
      ("éxample.com", false), ("http://example.com", false), ("::1", false), ("[::2]", false),
      ("example.com:80:80", false), ("example.com\\evil.test", false),
    ])
    func `NET-163 a Host header is compared as a host, with the port of the scheme`(
      value: String, expected: Bool
    ) {
      var hosts = AllowedHosts()
      for pattern in ["example.com", "*.example.net", "localhost:8080", "[::1]"] {
        let isPattern = hosts.allow(pattern)
        #expect(isPattern)
      }
      #expect(hosts.permits(hostHeader: Array(value.utf8), scheme: "http") == expected)
    }

    @Test func `NET-163 the port of https is another one than that of http`() {
      var hosts = AllowedHosts()
      let isPattern = hosts.allow("example.com:443")
      #expect(isPattern)
      #expect(hosts.permits(hostHeader: Array("example.com".utf8), scheme: "https"))
      #expect(!hosts.permits(hostHeader: Array("example.com".utf8), scheme: "http"))
    }

    @Test func `NET-163 nothing is sent with a Host header that names another host`() throws {
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            if request.hasPrefix("GET /go") {
              connection.write(
                "HTTP/1.1 302 F\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
            } else {
              connection.answer("here")
            }
          }
        })
      var hosts = AllowedHosts()
      for pattern in ["127.0.0.1:\(server.port)", "good.example"] {
        let isPattern = hosts.allow(pattern)
        #expect(isPattern)
      }
      let harness = try TransportHarness(allowedHosts: hosts)
      func send(_ path: String, _ names: String...) throws -> NetworkResult {
        let headers = RequestHeaders(names.map { ("Host", $0) })
        return try harness.send(
          HTTPRequest(method: "GET", url: server.url + path, headers: headers))
      }
      for names in [["evil.test"], ["good.example", "evil.test"], ["evil.test", "good.example"]] {
        let headers = RequestHeaders(names.map { ("hOsT", $0) })
        let result = try harness.send(
          HTTPRequest(method: "GET", url: server.url + "/x", headers: headers))
        #expect(
          result.error?.message
            == "the host 'evil.test' of the Host header is not allowed (--allow-host)")
        #expect(result.error?.kind == .connection && result.error?.isUnsent == true)
      }
      #expect(server.requests.isEmpty)
      // Where it is allowed it is sent, after a redirect too.
      #expect(try send("/go", "good.example").text == "here")
      #expect(server.requests.count == 2)
      for request in server.requests {
        #expect(request.lowercased().contains("\r\nhost: good.example\r\n"), "\(request)")
      }
      harness.finish()
      server.stop()
    }

    @Test(arguments: [
      "", " ", "http://example.com", "example.com/x", "a b", "user@example.com", "*example.com",
      "a.*.com", "example.com:x", "example.com:99999", "*.", "*.*", "a..b*", "ü..example", "[::1",
      "example.com?", "example.com#", "exa%6dple.com", ".example.com",
    ])
    func `what is no pattern is refused`(_ text: String) {
      var hosts = AllowedHosts()
      let isPattern = hosts.allow(text)
      #expect(!isPattern)
    }

    @Test func `nothing is sent to a host that is not allowed, nor to where a redirect leads`()
      throws
    {
      let nginx = try #require(NginxServer.shared, "nginx and openssl are needed")
      let port = try #require(Origin(of: nginx.url)?.port)
      var hosts = AllowedHosts()
      let isPattern = hosts.allow("127.0.0.1:\(port)")
      #expect(isPattern)
      let harness = try TransportHarness(allowedHosts: hosts)
      #expect(try harness.get(nginx.url + "/303").response?.status == 200)
      let refused = try harness.get("http://localhost:\(port)/echo")
      #expect(refused.response == nil)
      #expect(
        refused.error
          == TransportError(
            .connection, "the host localhost:\(port) is not allowed (--allow-host)"))
      for path in ["/cross", "/cross-name"] {
        let result = try harness.get(nginx.url + path)
        #expect(result.response == nil)
        #expect(result.error?.kind == .connection)
        let message = result.error?.message ?? ""
        #expect(message.hasPrefix("127.0.0.1:\(port) redirects to "))
        #expect(message.hasSuffix(", which is not allowed (--allow-host)"))
      }
      harness.finish()
    }
  }
}
