import LullLibC
import LullCore
import LullTestSupport
import LullTransport
import Testing

extension TransportSuite {
  /// What the environment says about proxies, told to a process of its own.
  @Suite struct ProxyTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    @Test func `http_proxy is asked for the whole URL`() throws {
      let proxy = try #require(RawServer.plainProxy())
      let result = try Command.get(
        "http://nope.invalid/x", environment: ["http_proxy": proxy.url])
      #expect(result == "200 by proxy")
      #expect(proxy.requests.count == 1)
      #expect(
        proxy.requests.first?.hasPrefix("GET http://nope.invalid/x HTTP/1.1\r\n") == true)
      proxy.stop()
    }

    @Test func `https_proxy carries what it cannot read`() throws {
      let proxy = try #require(RawServer.tunnel(to: nginx.tlsPort))
      let result = try Command.get(
        "https://localhost:\(nginx.tlsPort)/protocol",
        environment: [
          "https_proxy": proxy.url.replacing("//", with: "//user:pa%20ss@"),
          "SSL_CERT_FILE": nginx.authority,
        ])
      #expect(result == "200 HTTP/2.0")
      let requests = proxy.requests
      let lines = requests.first?.split(separator: "\r\n") ?? []
      #expect(requests.count == 1)
      #expect(lines.first == "CONNECT localhost:\(nginx.tlsPort) HTTP/1.1")
      #expect(lines.contains("Proxy-Authorization: Basic dXNlcjpwYSBzcw=="))
      proxy.stop()
    }

    @Test func `a tunnel does not make a bad certificate good`() throws {
      let proxy = try #require(RawServer.tunnel(to: nginx.tlsPort))
      let result = try Command.get(
        "https://expired.localhost:\(nginx.tlsPort)/",
        environment: ["https_proxy": proxy.url, "SSL_CERT_FILE": nginx.authority])
      #expect(result.hasPrefix("tls: no secure connection to expired.localhost:"), "\(result)")
      #expect(result.contains("certificate has expired"))
      proxy.stop()
    }

    @Test(arguments: [
      (noProxy: "127.0.0.1", isDirect: true),
      (noProxy: "example.com,127.0.0.1", isDirect: true),
      (noProxy: "*", isDirect: true),
      (noProxy: "127.0.0.10", isDirect: false),
      (noProxy: "", isDirect: false),
    ])
    func `no_proxy names those who are asked directly`(_ noProxy: String, isDirect: Bool) throws {
      let proxy = try #require(RawServer.plainProxy())
      let result = try Command.get(
        nginx.url + "/few/", environment: ["http_proxy": proxy.url, "no_proxy": noProxy])
      #expect(result == (isDirect ? "200 few" : "200 by proxy"))
      #expect(proxy.connectionCount == (isDirect ? 0 : 1))
      proxy.stop()
    }

    @Test func `a proxy of the other scheme is not asked`() throws {
      let port = try #require(RawSocket.freePorts(1).first)
      let result = try Command.get(
        nginx.url + "/few/", environment: ["https_proxy": "http://127.0.0.1:\(port)"])
      #expect(result == "200 few")
    }

    @Test(arguments: ["http", "https"])
    func `a proxy that is not there`(_ scheme: String) throws {
      let port = try #require(RawSocket.freePorts(1).first)
      let result = try Command.get(
        "\(scheme)://nope.invalid/", environment: ["all_proxy": "http://127.0.0.1:\(port)"])
      #expect(
        result
          == "connection: cannot connect to the proxy 127.0.0.1:\(port) for nope.invalid "
          + "(connection refused)")
    }

    @Test(arguments: ["http", "https"])
    func `a proxy whose name does not resolve`(_ scheme: String) throws {
      let result = try Command.get(
        "\(scheme)://127.0.0.1/", environment: ["all_proxy": "http://proxy.invalid:1"])
      #expect(result == "dns: cannot resolve the proxy proxy.invalid:1 for 127.0.0.1")
    }

    struct BadProxy: CustomTestStringConvertible {
      let answer: String
      var ending = RawConnection.Ending.close
      /// What comes of a plain request, and of one that needs a tunnel; `HOST` stands for the host, `PROXY`
      /// for the proxy.
      let plain: String
      let tunnel: String
      var testDescription: String { "\(answer.prefix(20)) \(ending)" }
    }

    @Test(arguments: [
      BadProxy(
        answer:
          "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=a\r\nContent-Length: 0\r\n\r\n",
        plain: "407",
        tunnel: "connection: PROXY does not connect to HOST: it requires a user and password "
          + "(407), which can be part of the proxy's URL"),
      BadProxy(
        answer: "HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", plain: "403",
        tunnel: "connection: PROXY does not connect to HOST (it responded with 403)"),
      BadProxy(
        answer: "HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n", ending: .wait, plain: "502",
        tunnel: "connection: PROXY does not connect to HOST (it responded with 502)"),
      BadProxy(
        answer: "", plain: "connection: PROXY closed the connection without a response (for HOST)",
        tunnel: "connection: PROXY does not connect to HOST (Proxy CONNECT aborted)"),
      BadProxy(
        answer: "", ending: .reset, plain: "connection: the connection to PROXY for HOST was lost",
        tunnel: "connection: PROXY does not connect to HOST (Recv failure"),
      BadProxy(
        answer: "SMTP ready\r\n\r\n",
        plain: "malformed_response: PROXY for HOST sent a response that",
        tunnel: "connection: PROXY does not connect to HOST (CONNECT tunnel failed"),
      BadProxy(
        answer: "HTTP/1.1 2", ending: .wait,
        plain: "timeout: no complete response from PROXY for HOST within 2 s (timeout)",
        tunnel: "timeout: PROXY did not connect to HOST within 2 s (timeout)"),
      BadProxy(
        answer: "HTTP/1.1 200 OK\r\n\r\nno TLS here", plain: "200 no TLS here",
        tunnel: "tls: no secure connection to HOST through PROXY ("),
    ])
    func `NET-160 NET-161 a bad proxy of the environment is named`(_ bad: BadProxy) throws {
      let proxy = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write(bad.answer)
          connection.end(bad.ending)
        })
      for (scheme, expected) in [("http", bad.plain), ("https", bad.tunnel)] {
        let result = try Command.get(
          "\(scheme)://nope.invalid/", timeout: 2, environment: ["all_proxy": proxy.url])
        #expect(
          result.hasPrefix(
            expected.replacing("HOST", with: "nope.invalid")
              .replacing("PROXY", with: "the proxy 127.0.0.1:\(proxy.port)")),
          "\(scheme): \(result)")
      }
      proxy.stop()
    }
  }
}
