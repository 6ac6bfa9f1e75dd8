import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Whom a secure connection trusts, and what the user reads when it does not.
  @Suite struct TLSTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    struct BadCertificate: CustomTestStringConvertible {
      let name: String
      let reason: String
      /// Whether the message says how to trust it.
      var advises = false
      var testDescription: String { name }
    }

    @Test(arguments: [
      BadCertificate(name: "expired", reason: "certificate has expired"),
      BadCertificate(
        name: "elsewhere", reason: "subject name matches target host name 'elsewhere.localhost'"),
      BadCertificate(name: "unknown", reason: "unable to get local issuer", advises: true),
      BadCertificate(name: "self-signed", reason: "self-signed certificate", advises: true),
    ])
    func `refuses a bad certificate`(_ bad: BadCertificate) throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let host = "\(bad.name).localhost:\(nginx.tlsPort)"
      let result = try harness.get("https://\(host)/")
      let message = try #require(result.error?.message)
      #expect(result.error?.kind == .tls)
      #expect(result.response == nil)
      #expect(message.hasPrefix("no secure connection to \(host) ("))
      #expect(message.contains(bad.reason), "\(message)")
      #expect(message.contains("SSL_CERT_FILE") == bad.advises, "\(message)")
      #expect(message.contains("ca_file") == bad.advises, "\(message)")
      #expect(message.contains("insecure = true") == bad.advises, "\(message)")
      // The others do not suffer.
      #expect(try harness.get(nginx.tlsURL + "/protocol").text == "HTTP/2.0")
      harness.finish()
    }

    @Test func `without the tests' authority nobody trusts it`() throws {
      let harness = try TransportHarness()
      let error = try harness.get(nginx.tlsURL + "/protocol").error
      #expect(error?.kind == .tls)
      #expect(error?.message.contains("unable to get local issuer certificate") == true)
      harness.finish()
    }

    @Test func `a trusted certificate is trusted by itself`() throws {
      let path = nginx.authority.replacing("authority.pem", with: "self-signed.pem")
      let harness = try TransportHarness(certificateAuthorities: path)
      let result = try harness.get("https://self-signed.localhost:\(nginx.tlsPort)/")
      #expect(result.response?.status == 200)
      harness.finish()
    }

    @Test func `a file of authorities that is missing is named`() throws {
      let harness = try TransportHarness(certificateAuthorities: "/nowhere/authorities.pem")
      let error = try harness.get(nginx.tlsURL + "/protocol").error
      #expect(error?.kind == .tls)
      #expect(error?.message.contains("/nowhere/authorities.pem") == true)
      harness.finish()
    }

    @Test func `a server without TLS is no secure one`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let error = try harness.get("https://localhost:\(nginx.port)/json").error
      #expect(error?.kind == .tls)
      #expect(error?.message.hasPrefix("no secure connection to localhost:\(nginx.port)") == true)
      harness.finish()
    }

    @Test(arguments: [RawConnection.Ending.close, .reset])
    func `RTY-05 a handshake that breaks off`(_ ending: RawConnection.Ending) throws {
      let server = try #require(
        RawServer { connection in
          connection.readSome(100)
          connection.end(ending)
        })
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let error = try harness.get("https://127.0.0.1:\(server.port)/").error
      #expect(error?.kind == .connection)
      #expect(
        error?.message.hasPrefix("no secure connection to 127.0.0.1:\(server.port)") == true)
      harness.finish()
      server.stop()
    }

    @Test func `a redirect to TLS is another origin`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let result = try harness.send(
        HTTPRequest(
          method: "GET", url: nginx.url + "/to-tls", headers: RequestHeaders([("X-Token", "t")])))
      #expect(result.text == "GET|||||*/*|lull/test|/echo")
      harness.finish()
    }

    @Test(arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
    func `the environment names whom to trust`(_ name: String) throws {
      let url = nginx.tlsURL + "/protocol"
      #expect(try Command.get(url, environment: [name: nginx.authority]) == "200 HTTP/2.0")
      #expect(try Command.get(url, environment: [:]).hasPrefix("tls: no secure connection"))
    }
  }
}
