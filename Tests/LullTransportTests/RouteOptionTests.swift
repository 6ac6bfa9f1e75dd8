import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Which way requests take by their own options: proxies, addresses, versions of HTTP.
  @Suite struct RouteOptionTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    @Test func `a proxy is asked and gets its password and nobody else does`() throws {
      let proxy = try #require(RawServer.plainProxy())
      let harness = try TransportHarness()
      let url = proxy.url.replacing("//", with: "//user:pa55@")
      let result = try harness.get("http://nope.invalid/x") { $0.connection.proxy = .url(url) }
      #expect(result.text == "by proxy")
      #expect(proxy.requests.count == 1)
      #expect(proxy.requests.first?.hasPrefix("GET http://nope.invalid/x HTTP/1.1\r\n") == true)
      #expect(proxy.requests.first?.contains("Proxy-Authorization: Basic dXNlcjpwYTU1") == true)
      #expect(!harness.log.contains { $0.contains("pa55") })
      // One without options goes its own way.
      #expect(try harness.get(nginx.url + "/few/").text == "few")
      #expect(proxy.connectionCount == 1)
      harness.finish()
      proxy.stop()
    }

    @Test func `hosts without proxy are asked directly`() throws {
      let proxy = try #require(RawServer.plainProxy())
      let harness = try TransportHarness()
      for (hosts, expected) in [("127.0.0.1", "few"), ("*", "few"), ("127.0.0.10", "by proxy")] {
        let result = try harness.get(nginx.url + "/few/") {
          $0.connection.proxy = .url(proxy.url)
          $0.connection.hostsWithoutProxy = hosts
        }
        #expect(result.text == expected, "\(hosts)")
      }
      harness.finish()
      proxy.stop()
    }

    @Test func `a tunnel goes to the host and is shared only by those who ask for it`() throws {
      let port = nginx.tlsPort
      let proxy = try #require(RawServer.tunnel(to: port))
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      for _ in 1...2 {
        let result = try harness.get(nginx.tlsURL + "/protocol") {
          $0.connection.proxy = .url(proxy.url)
        }
        #expect(result.text == "HTTP/2.0")
      }
      #expect(try harness.get(nginx.tlsURL + "/protocol").text == "HTTP/2.0")
      #expect(proxy.requests.count == 1)
      #expect(proxy.requests.first?.hasPrefix("CONNECT localhost:\(port) HTTP/1.1\r\n") == true)
      harness.finish()
      proxy.stop()
    }

    @Test func `a tunnel is not shared by those with other passwords`() throws {
      let proxy = try #require(RawServer.tunnel(to: nginx.tlsPort))
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      for password in ["one", "two", "one"] {
        let result = try harness.get(nginx.tlsURL + "/protocol") {
          $0.connection.proxy = .url(proxy.url.replacing("//", with: "//user:\(password)@"))
        }
        #expect(result.text == "HTTP/2.0")
      }
      #expect(proxy.requests.count == 2)
      harness.finish()
      proxy.stop()
    }

    @Test func `a SOCKS proxy resolves names itself`() throws {
      let port = nginx.port
      let proxy = try #require(
        RawServer { connection in
          guard let greeting = connection.bytes(2), connection.bytes(Int(greeting[1])) != nil else {
            return
          }
          connection.write([5, 0])
          guard let head = connection.bytes(5), let name = connection.bytes(Int(head[4]) + 2) else {
            return
          }
          connection.note("\(head[3]) " + String(decoding: name.dropLast(2), as: UTF8.self))
          connection.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
          connection.tunnel(to: port)
        })
      let harness = try TransportHarness()
      let url = proxy.url.replacing("http://", with: "socks5h://")
      let result = try harness.get("http://nope.invalid/few/") { $0.connection.proxy = .url(url) }
      #expect(result.text == "few")
      #expect(proxy.requests == ["3 nope.invalid"])
      harness.finish()
      proxy.stop()
    }

    @Test(arguments: ["http", "socks5", "socks5h"])
    func `a proxy that is not there is named without its password`(_ scheme: String) throws {
      let port = try #require(RawSocket.freePorts(1).first)
      let harness = try TransportHarness()
      let error = try harness.get("http://127.0.0.1/") {
        $0.connection.proxy = .url("\(scheme)://user:pa55@localhost:\(port)")
      }.error
      #expect(error?.kind == .connection)
      #expect(
        error?.message
          == "cannot connect to the proxy localhost:\(port) for 127.0.0.1 (connection refused)")
      harness.finish()
    }

    @Test func `a proxy that refuses is named`() throws {
      let proxy = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        })
      let harness = try TransportHarness()
      let error = try harness.get("https://nope.invalid/") { $0.connection.proxy = .url(proxy.url) }
        .error
      #expect(
        error?.message == "the proxy 127.0.0.1:\(proxy.port) does not connect to nope.invalid "
          + "(it responded with 403)")
      harness.finish()
      proxy.stop()
    }

    @Test func `an address stands for a host, and its certificate is the host's`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let port = nginx.tlsPort
      let result = try harness.get("https://localhost:4433/echo/x") {
        $0.connection.addresses = ["localhost:4433": "127.0.0.1:\(port)"]
      }
      #expect(result.text == "GET|||||*/*|lull/test|/echo/x")
      #expect(result.response?.url == "https://localhost:4433/echo/x")
      let wrong = try harness.get("https://api.invalid/") {
        $0.connection.addresses = ["api.invalid:443": "127.0.0.1:\(port)"]
      }
      #expect(wrong.error?.kind == .tls)
      // Nobody else goes that way.
      #expect(try harness.get("https://api.invalid/").error?.kind == .dns)
      harness.finish()
    }

    @Test func `NET-08 an address that stands for a host is found by us, not by curl`() throws {
      var allowed = AllowedHosts()
      let isEachAPattern = ["nope.invalid", "localhost"].map { allowed.allow($0) }
      #expect(isEachAPattern == [true, true])
      let evil = try #require(RawServer { connection in connection.readRequest() })
      let harness = try TransportHarness(allowedHosts: allowed)
      let good = "localhost:\(nginx.port)"
      let bad = "127.0.0.1:\(evil.port)"
      for (url, addresses) in [
        ("http://nope.invalid./few/", ["nope.invalid:80": bad]),
        ("http://nope.invalid/few/", ["nope.invalid.:80": bad]),
        ("http://nope%2einvalid/few/", ["NOPE.invalid:80": bad]),
      ] {
        let result = try harness.get(url) { $0.connection.addresses = addresses }
        #expect(result.error?.message == "the address \(bad) is not allowed (--allow-host)")
      }
      // Of two that name it the first counts, in the order of their names.
      for _ in 1...20 {
        let result = try harness.get("http://nope.invalid/few/") {
          $0.connection.addresses = ["nope.invalid:80": bad, "NOPE.invalid:80": good]
        }
        #expect(result.text == "few")
      }
      // A handle that is used again knows nothing of the host before.
      let addresses = ["nope.invalid:80": good, "localhost:1": good]
      for url in [
        "http://nope.invalid/few/", "http://localhost:1/few/", "http://nope.invalid/few/",
      ] {
        #expect(try harness.get(url) { $0.connection.addresses = addresses }.text == "few")
      }
      let other = try harness.get("http://localhost:2/few/") { $0.connection.addresses = addresses }
      #expect(other.error?.kind == .connection)
      #expect(evil.connectionCount == 0)
      harness.finish()
      evil.stop()
    }

    @Test func `what may not be reached may not be reached by another way`() throws {
      var allowed = AllowedHosts()
      let isEachAPattern = ["nope.invalid", "localhost"].map { allowed.allow($0) }
      #expect(isEachAPattern == [true, true])
      let harness = try TransportHarness(allowedHosts: allowed)
      let url = "http://nope.invalid/"
      let byAddress = try harness.get(url) {
        $0.connection.addresses = ["NOPE.invalid:80": "127.0.0.1:\(nginx.port)"]
      }
      #expect(
        byAddress.error?.message
          == "the address 127.0.0.1:\(nginx.port) is not allowed (--allow-host)")
      let byProxy = try harness.get(url) { $0.connection.proxy = .url("socks5://u:p@127.0.0.1:9") }
      #expect(byProxy.error?.message == "the proxy 127.0.0.1:9 is not allowed (--allow-host)")
      let allowedAddress = try harness.get("http://nope.invalid/few/") {
        $0.connection.addresses = ["nope.invalid:80": "localhost:\(nginx.port)"]
      }
      #expect(allowedAddress.text == "few")
      harness.finish()
    }

    @Test func `the version of HTTP is as asked for`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let secure = nginx.tlsURL + "/protocol"
      let plain = "http://127.0.0.1:\(nginx.plainHTTP2Port)/"
      for _ in 1...2 {
        #expect(try harness.get(secure).text == "HTTP/2.0")
        #expect(try harness.get(secure) { $0.connection.httpVersion = .http1 }.text == "HTTP/1.1")
        #expect(try harness.get(secure) { $0.connection.httpVersion = .http2 }.text == "HTTP/2.0")
        #expect(try harness.get(plain) { $0.connection.httpVersion = .http2 }.text == "HTTP/2.0")
      }
      harness.finish()
    }

    @Test func `a version that the library does not speak is an error`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let result = try harness.get(nginx.tlsURL + "/protocol") {
        $0.connection.httpVersion = .http3
      }
      // Where the library can, nginx cannot, and it falls back.
      if let error = result.error {
        #expect(
          error.message.hasPrefix("this system's libcurl does not support HTTP/3 (http_version)"))
        #expect(error.isFinal)
      } else {
        #expect(result.text == "HTTP/2.0")
      }
      harness.finish()
    }

    @Test func `limits count all that go to a host whatever their options`() throws {
      let harness = try TransportHarness()
      var answers: [String?] = []
      for number in 0..<10 {
        var request = HTTPRequest.get(nginx.url + "/few/") {
          if number % 2 == 0 { $0.connection.httpVersion = .http1 }
        }
        request.limits.connectionsPerHost = 2
        harness.start(request) { answers.append($0.text) }
      }
      #expect(harness.provider.waitingCount == 8)
      harness.turn { answers.count == 10 }
      #expect(answers == Array(repeating: "few", count: 10))
      harness.finish()
    }

    @Test func `who speaks HTTP/1 has a connection each where others share one`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      #expect(try harness.get(nginx.tlsURL + "/protocol").text == "HTTP/2.0")
      var answers: [String?] = []
      for _ in 0..<10 {
        var request = HTTPRequest.get(nginx.tlsURL + "/protocol") {
          $0.connection.httpVersion = .http1
        }
        request.limits.connectionsPerHost = 2
        harness.start(request) { answers.append($0.text) }
      }
      #expect(harness.provider.waitingCount == 8)
      harness.turn { answers.count == 10 }
      #expect(answers == Array(repeating: "HTTP/1.1", count: 10))
      harness.finish()
    }
  }
}
