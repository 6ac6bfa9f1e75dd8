import LullCore
import Testing

@testable import LullTransport

extension TransportSuite {
  /// What of a URL reaches the server, and which server.
  @Suite struct WireURLTests {
    /// The request line's target of every request that comes.
    private func echo() throws -> RawServer {
      try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            connection.answer(String(request.split(separator: " ")[1]))
          }
        })
    }

    @Test(arguments: [
      "/v1/../admin", "/a/./b", "/..", "/%2e%2e/x", "/a/..?b=/../c", "/.//..//x", "/a%2F..%2fb",
    ])
    func `SVC-09 dot segments go out as they stand in the URL`(_ target: String) throws {
      let server = try echo()
      let harness = try TransportHarness()
      #expect(try harness.get(server.url + target).text == target)
      // By way of a proxy, too.
      let proxied = try harness.get("http://nope.invalid" + target) {
        $0.connection.proxy = .url(server.url)
      }
      #expect(proxied.text == "http://nope.invalid" + target)
      harness.finish()
      server.stop()
    }

    @Test func `NET-08 each URL is sent as it is, whatever its handle was asked for before`() throws
    {
      let server = try echo()
      let other = try echo()
      let harness = try TransportHarness()
      let targets = [
        "/first", "/a/b?c=d&e=f", "/a/b", "/?q", "/g?h?i=/../j", "/%2E%aF?k=%2C", "/l/../m",
        "/n?o=%C3%A9", "/n", "/:@!$&'()*+,;=~_-.p", "//q//?//", "/r?s#t", "/u",
      ]
      for target in targets + targets.reversed() {
        let sent = target.split(separator: "#").first.map(String.init) ?? ""
        #expect(try harness.get(server.url + target).text == sent)
        #expect(try harness.get(other.url + "/other" + target).text == "/other" + sent)
      }
      #expect(try harness.get(server.url + "?v=w").text == "/?v=w")
      #expect(try harness.get(server.url).text == "/")
      harness.finish()
      server.stop()
      other.stop()
    }

    @Test func `NET-08 a redirect's dot segments are resolved before, escaped ones are kept`()
      throws
    {
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            let target = String(request.split(separator: " ")[1])
            let next = [
              "/a/b/1": "../c", "/2": "/a/../b/./", "/3": "%2e%2e/x", "/4": "/a b\tc?d e#f g",
              "/5?q": "#x", "/6": "//127.0.0.1:\(connection.port)/y/../z", "/7": "?a=b",
            ][target]
            if let next {
              connection.write("HTTP/1.1 302 F\r\nLocation: \(next)\r\nContent-Length: 0\r\n\r\n")
            } else {
              connection.answer(target)
            }
          }
        })
      let harness = try TransportHarness()
      for (target, expected) in [
        ("/a/b/1", "/a/c"), ("/2", "/b/"), ("/3", "/%2e%2e/x"), ("/4", "/a%20bc?d%20e"),
        ("/6", "/z"), ("/7", "/7?a=b"), ("/x/../7", "/x/../7"),
      ] {
        #expect(try harness.get(server.url + target).text == expected, "\(target)")
      }
      // To itself, for ever.
      #expect(try harness.get(server.url + "/5?q").error?.kind == .tooManyRedirects)
      harness.finish()
      server.stop()
    }

    @Test func `SVC-41 the bytes of a Location that are no UTF-8 come back as escapes`() throws {
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            let target = String(request.split(separator: " ")[1])
            if target == "/" {
              connection.write(
                Array("HTTP/1.1 302 F\r\nLocation: /a".utf8) + [0xFE, 0xC3, 0xA9, 0xFF]
                  + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
            } else {
              connection.answer(target)
            }
          }
        })
      let harness = try TransportHarness()
      let result = try harness.get(server.url + "/")
      #expect(result.text == "/a%FE%C3%A9%FF")
      #expect(result.response?.url == server.url + "/a%FE%C3%A9%FF")
      harness.finish()
      server.stop()
    }

    @Test(arguments: [
      "http://user:p%40ss@127.0.0.1:PORT/x", "http://127.1:PORT/x", "http://0x7f.0.0.1:PORT/x",
      "http://2130706433:PORT/x", "http://%31%32%37.0.0.1:PORT/x", "http://127.0.0.1.:PORT/x",
      "HTTP://１２７.0.0.1:PORT/x", "http://127.0.0.1:0PORT/x", "http://@127.0.0.1:PORT/x",
    ])
    func `NET-08 whatever a host is written like, it is asked by its one name`(_ url: String) throws
    {
      let server = try #require(
        RawServer { connection in
          while connection.readRequest() != nil { connection.answer("here") }
        })
      var allowed = AllowedHosts()
      let isPattern = allowed.allow("127.0.0.1:\(server.port)")
      #expect(isPattern)
      let harness = try TransportHarness(allowedHosts: allowed)
      #expect(try harness.get(url.replacing("PORT", with: "\(server.port)")).text == "here")
      let lines = server.requests.first?.split(separator: "\r\n").map(String.init) ?? []
      #expect(lines.first == "GET /x HTTP/1.1")
      #expect(lines.contains("Host: 127.0.0.1:\(server.port)"))
      let user = lines.filter { $0.hasPrefix("Authorization:") }
      #expect(user == (url.contains("user") ? ["Authorization: Basic dXNlcjpwQHNz"] : []))
      harness.finish()
      server.stop()
    }

    @Test(arguments: [
      "http:///127.0.0.1:PORT/", "http:/127.0.0.1:PORT/", "http:127.0.0.1:PORT/",
      "http:\\\\127.0.0.1:PORT/", "http://127.0.0.1:PORT\\@localhost/",
      "http://a@b@127.0.0.1:PORT/",
      "http://127.0.0.1%2f@localhost:PORT/", "http://127.0.0.1%00:PORT/",
      "http://[127.0.0.1]:PORT/",
      "http://127.0.0.1 :PORT/", "http://127.0.0.1:PORT@/", "http://[::1]127.0.0.1:PORT/",
      "http://127.0.0.1:PORT:PORT/", "http://127.0.0.256:PORT/", "//127.0.0.1:PORT/",
      "http://℀:PORT/",
    ])
    func `NET-08 what can be read in two ways is sent nowhere`(_ url: String) throws {
      let server = try #require(
        RawServer { connection in
          while connection.readRequest() != nil { connection.answer("here") }
        })
      let harness = try TransportHarness()
      // The host must not be taken for the one asked before.
      #expect(try harness.get(server.url).text == "here")
      let text = url.replacing("PORT", with: "\(server.port)")
      let result = try harness.get(text)
      // Users are written so, and localhost has not been forbidden.
      if result.error?.kind != .invalidURL { #expect(text.contains("@localhost")) }
      #expect(server.requests.count == 1 || text.contains("@localhost"))
      harness.finish()
      server.stop()
    }

    @Test
    func `SVC-40 an international name is asked for by its A-label, redirects and cookies too`()
      throws
    {
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            if request.hasPrefix("GET /go") {
              connection.write(
                "HTTP/1.1 302 F\r\nLocation: http://BÜCHER.example/there\r\n"
                  + "Set-Cookie: a=1\r\nContent-Length: 0\r\n\r\n")
            } else {
              connection.answer("here", headers: "Set-Cookie: b=2\r\n")
            }
          }
        })
      var allowed = AllowedHosts()
      for pattern in ["bücher.example", "xn--tda.example", "127.0.0.1"] {
        let isPattern = allowed.allow(pattern)
        #expect(isPattern, "\(pattern)")
      }
      let harness = try TransportHarness(allowedHosts: allowed)
      let jar = CookieJar()
      func get(_ url: String) throws -> NetworkResult {
        try harness.get(url) {
          $0.cookies = jar
          $0.connection.addresses = [
            "bücher.example:80": "127.0.0.1:\(server.port)",
            "ü.example:80": "127.0.0.1:\(server.port)",
          ]
        }
      }
      #expect(try get("http://ü.example/go").text == "here")
      #expect(try get("http://bücher.example/again").text == "here")
      let hosts = server.requests.map { request in
        request.split(separator: "\r\n").first { $0.hasPrefix("Host:") }.map(String.init) ?? ""
      }
      #expect(
        hosts == ["xn--tda", "xn--bcher-kva", "xn--bcher-kva"].map { "Host: \($0).example" })
      let cookies = server.requests.map { request in
        request.split(separator: "\r\n").first { $0.hasPrefix("Cookie:") }.map(String.init) ?? ""
      }
      #expect(cookies == ["", "", "Cookie: b=2"])
      #expect(
        try get("http://é.example/").error?.message
          == "the host xn--9ca.example is not allowed (--allow-host)")
      #expect(
        try get("http://ü..example/").error?.message
          == "'http://ü..example/' is not an absolute http or https URL: the host name 'ü..example' "
          + "is not valid (a label is empty)")
      harness.finish()
      server.stop()
    }

    @Test(arguments: [
      "http://GOOD/@EVIL", "http://EVIL/@GOOD", "http://EVIL?@GOOD", "http://EVIL#@GOOD",
      "http:///EVIL@GOOD", "http://EVIL\\@GOOD", "http://a@EVIL@GOOD", "http://EVIL;@GOOD",
      "socks5://EVIL/@GOOD", "socks5://EVIL", "socks5h://EVIL", "socks4://EVIL", "socks4a://EVIL",
      "https://EVIL", "http://0x7f.1:EVILPORT", "http://[::1]:EVILPORT/@GOOD",
      "http://GOOD%2f@EVIL", "http://GOOD%40EVIL", "http://GOOD@EVIL", "http://EVIL%23@GOOD",
    ])
    func `NET-08 a proxy is told nothing but what was checked`(_ template: String) throws {
      let evil = try #require(
        RawServer { connection in
          connection.readSome(1)
          connection.note("touched")
        })
      let good = try #require(RawServer.plainProxy())
      var allowed = AllowedHosts()
      for pattern in ["nope.invalid", "127.0.0.1:\(good.port)"] {
        let isPattern = allowed.allow(pattern)
        #expect(isPattern)
      }
      let harness = try TransportHarness(allowedHosts: allowed)
      let url = template.replacing("EVILPORT", with: "\(evil.port)")
        .replacing("EVIL", with: "127.0.0.1:\(evil.port)")
        .replacing("GOOD", with: "127.0.0.1:\(good.port)")
      let result = try harness.get("http://nope.invalid/") { $0.connection.proxy = .url(url) }
      #expect(evil.connectionCount == 0)
      if result.text != "by proxy" { #expect(result.error?.kind == .connection) }
      harness.finish()
      evil.stop()
      good.stop()
    }
  }
}
