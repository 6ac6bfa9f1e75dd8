import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// What is lost, refused or cut on the way to a proxy, at it or behind it, by the request's own options.
  @Suite struct ProxyFaultTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    /// What a proxy does with a connection, and what is reported: of a plain request and of one that needs
    /// a tunnel. `PROXY` stands for the proxy.
    struct Fault: CustomTestStringConvertible {
      let name: String
      var scheme = "http"
      let play: @Sendable (RawConnection) -> Void
      let plain: String
      let tunnel: String
      var testDescription: String { "\(scheme) \(name)" }
    }

    private static let connected = "HTTP/1.1 200 Connected\r\n\r\n"

    /// Answers the request, reads what follows if that is wanted, and ends.
    private static func answering(
      _ answer: String, reads: Bool = false, _ ending: RawConnection.Ending = .close
    ) -> @Sendable (RawConnection) -> Void {
      { connection in
        connection.readRequest()
        connection.write(answer)
        if reads { connection.readSome(4096) }
        connection.end(ending)
      }
    }

    /// Greets, and answers the request for a connection.
    private static func socks(_ reply: [UInt8]?, _ ending: RawConnection.Ending = .close)
      -> @Sendable (RawConnection) -> Void
    {
      { connection in
        guard let greeting = connection.bytes(2), connection.bytes(Int(greeting[1])) != nil else {
          return
        }
        connection.write([5, 0])
        guard let head = connection.bytes(5), connection.bytes(Int(head[4]) + 2) != nil,
          let reply
        else { return connection.end(ending) }
        connection.write(reply)
        // The first bytes to the server.
        connection.readSome(4096)
        connection.end(ending)
      }
    }

    private static let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]

    static let faults = [
      Fault(
        name: "ends before an answer", play: answering(""),
        plain: "connection: PROXY closed the connection without a response (for nope.invalid)",
        tunnel: "connection: PROXY does not connect to nope.invalid (Proxy CONNECT aborted)"),
      Fault(
        name: "resets before an answer", play: answering("", .reset),
        plain: "connection: the connection to PROXY for nope.invalid was lost (",
        tunnel: "connection: PROXY does not connect to nope.invalid ("),
      Fault(
        name: "resets within its answer", play: answering("HTTP/1.1 2", .reset),
        plain: "connection: the connection to PROXY for nope.invalid was lost (",
        tunnel: "connection: PROXY does not connect to nope.invalid ("),
      Fault(
        name: "ends among its headers", play: answering("HTTP/1.1 200 OK\r\nA: b"),
        plain: "connection: the connection to PROXY for nope.invalid ended in the middle of",
        tunnel: "connection: PROXY does not connect to nope.invalid ("),
      Fault(
        name: "does not answer", play: answering("", .wait),
        plain: "timeout: no complete response from PROXY for nope.invalid within 1 s (timeout)",
        tunnel: "timeout: PROXY did not connect to nope.invalid within 1 s (timeout)"),
      Fault(
        name: "ends in a body",
        play: answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
        plain:
          "200 truncated_body: the connection to PROXY for nope.invalid ended before the body was",
        tunnel:
          "connection: no secure connection to nope.invalid through PROXY: the connection was "
          + "lost during the TLS handshake"),
      Fault(
        name: "answers garbage", play: answering("SMTP ready\r\n\r\n"),
        plain: "malformed_response: PROXY for nope.invalid sent a response that is not valid HTTP",
        tunnel: "connection: PROXY does not connect to nope.invalid (CONNECT tunnel failed"),
      Fault(
        name: "has no time", play: answering("HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\na"),
        plain: "503 truncated_body: the connection to PROXY for nope.invalid ended before the body",
        tunnel: "connection: PROXY does not connect to nope.invalid (it responded with 503)"),
      Fault(
        name: "cuts the tunnel", play: answering(connected, reads: true, .reset),
        // Without a tunnel that is a body, which the end completes.
        plain: "timeout: no complete response from PROXY for nope.invalid within 1 s (timeout)",
        tunnel:
          "connection: no secure connection to nope.invalid through PROXY: the connection was "
          + "lost during the TLS handshake"),
      Fault(
        name: "has nothing in the tunnel", play: answering(connected, .wait),
        plain: "timeout: no complete response from PROXY for nope.invalid within 1 s (timeout)",
        tunnel: "timeout: no complete response from nope.invalid through PROXY within 1 s (timeout)"
      ),
      Fault(
        name: "ends at the greeting", scheme: "socks5h",
        play: { $0.readSome(3) },
        plain: "connection: PROXY does not connect to nope.invalid (",
        tunnel: "connection: PROXY does not connect to nope.invalid ("),
      Fault(
        name: "resets instead of a reply", scheme: "socks5h", play: socks(nil, .reset),
        plain: "connection: PROXY does not connect to nope.invalid (",
        tunnel: "connection: PROXY does not connect to nope.invalid ("),
      Fault(
        name: "refuses", scheme: "socks5h", play: socks([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]),
        plain: "connection: PROXY does not connect to nope.invalid (",
        tunnel: "connection: PROXY does not connect to nope.invalid ("),
      Fault(
        name: "cuts the connection", scheme: "socks5h", play: socks(granted),
        plain:
          "connection: the connection to nope.invalid through PROXY was closed without a response",
        tunnel:
          "connection: no secure connection to nope.invalid through PROXY: the connection was "
          + "lost during the TLS handshake"),
      Fault(
        name: "is silent", scheme: "socks5h", play: socks(nil, .wait),
        plain: "timeout: no complete response from nope.invalid through PROXY within 1 s (timeout)",
        tunnel: "timeout: no complete response from nope.invalid through PROXY within 1 s (timeout)"
      ),
    ]

    @Test(arguments: faults)
    func `NET-160 NET-161 a proxy that fails is named without its password`(_ fault: Fault) throws {
      let proxy = try #require(RawServer(fault.play))
      let harness = try TransportHarness()
      for (scheme, expected) in [("http", fault.plain), ("https", fault.tunnel)] {
        let url = proxy.url.replacing("http://", with: "\(fault.scheme)://user:pa55@")
        var request = HTTPRequest.get("\(scheme)://nope.invalid/x") {
          $0.connection.proxy = .url(url)
        }
        request.limits.timeout = 1
        let result = try harness.send(request)
        let error = try #require(result.error, "\(scheme): came through")
        let status = result.response.map { "\($0.status) " } ?? ""
        let text = "\(status)\(error.kind.rawValue): \(error.message)"
        let name = "the proxy 127.0.0.1:\(proxy.port)"
        #expect(
          text.hasPrefix(expected.replacing("PROXY", with: name)), "\(scheme): \(text)")
        #expect(!text.contains("pa55"))
      }
      harness.finish()
      proxy.stop()
    }

    @Test(arguments: ["http", "socks5", "socks5h"])
    func `NET-160 a proxy whose name does not resolve is named, whatever it speaks`(
      _ scheme: String
    ) throws {
      let harness = try TransportHarness()
      let error = try harness.get("http://127.0.0.1:1/") {
        $0.connection.proxy = .url("\(scheme)://user:pa55@proxy.invalid:2")
      }.error
      #expect(error?.kind == .dns)
      #expect(error?.message == "cannot resolve the proxy proxy.invalid:2 for 127.0.0.1:1")
      harness.finish()
    }

    @Test func `NET-160 a host that is asked without the proxy is not its fault`() throws {
      let server = try #require(RawServer { $0.readRequest() })
      let harness = try TransportHarness()
      let error = try harness.get("http://127.0.0.1:\(server.port)/") {
        $0.connection.proxy = .url("http://127.0.0.1:1")
        $0.connection.hostsWithoutProxy = "127.0.0.1"
      }.error
      #expect(
        error?.message
          == "the server closed the connection without a response (127.0.0.1:\(server.port))")
      harness.finish()
      server.stop()
    }

    @Test(arguments: ["http", "https"])
    func `NET-162 TLS to a proxy fails as the proxy's, and insecure is about servers`(
      _ scheme: String
    ) throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      for (name, reason) in [
        ("expired", "certificate has expired"), ("self-signed", "self-signed certificate"),
      ] {
        let proxy = "\(name).localhost:\(nginx.tlsPort)"
        let error = try harness.get("\(scheme)://nope.invalid/") {
          $0.connection.proxy = .url("https://user:pa55@\(proxy)")
          $0.connection.verifiesServer = false
        }.error
        let message = try #require(error?.message)
        #expect(error?.kind == .tls)
        #expect(
          message.hasPrefix("no secure connection to the proxy \(proxy) for nope.invalid ("))
        #expect(message.contains(reason), "\(message)")
        #expect(!message.contains("insecure"), "\(message)")
      }
      harness.finish()
    }

    @Test func `NET-162 a proxy's certificate is trusted by the authorities of the request`() throws
    {
      let proxy = "localhost:\(nginx.tlsPort)"
      // One harness trusts the tests' authority by itself, the other for this request only.
      for authority in [nginx.authority, nil] {
        let harness = try TransportHarness(certificateAuthorities: authority)
        let error = try harness.get("https://nope.invalid/") {
          $0.connection.proxy = .url("https://\(proxy)")
          if authority == nil { $0.connection.certificateAuthorities = nginx.authority }
        }.error
        #expect(error?.kind == .connection)
        #expect(
          error?.message.hasPrefix(
            "the proxy \(proxy) does not connect to nope.invalid (it responded with 4")
            == true, "\(error?.message ?? "")")
        harness.finish()
      }
    }

    @Test func `NET-162 a proxy that speaks no TLS is named`() throws {
      let proxy = try #require(
        RawServer { connection in
          connection.readSome(4096)
          connection.write("HTTP/1.1 400 Bad\r\n\r\n")
        })
      let harness = try TransportHarness()
      for scheme in ["http", "https"] {
        let error = try harness.get("\(scheme)://nope.invalid/") {
          $0.connection.proxy = .url("https://127.0.0.1:\(proxy.port)")
        }.error
        #expect(error?.kind == .tls)
        #expect(
          error?.message.hasPrefix(
            "no secure connection to the proxy 127.0.0.1:\(proxy.port) for nope.invalid (") == true)
      }
      harness.finish()
      proxy.stop()
    }
  }
}
