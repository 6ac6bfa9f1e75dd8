import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Whom a request trusts, and whom it shows itself to, by its own options.
  @Suite struct TrustOptionTests {
    let nginx: NginxServer

    init() throws {
      nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
    }

    private var url: String { nginx.tlsURL + "/protocol" }

    @Test func `a file of its own is trusted`() throws {
      let harness = try TransportHarness()
      let trusting = try harness.get(url) { $0.connection.certificateAuthorities = nginx.authority }
      #expect(trusting.text == "HTTP/2.0")
      // What one request trusts another does not, on whatever connection.
      #expect(try harness.get(url).error?.kind == .tls)
      harness.finish()
    }

    @Test func `a file of its own stands in the place of the network's`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      #expect(try harness.get(url).text == "HTTP/2.0")
      let error = try harness.get(url) {
        $0.connection.certificateAuthorities = nginx.certificate("stranger.pem")
      }.error
      #expect(error?.kind == .tls)
      harness.finish()
    }

    @Test(arguments: ["expired", "elsewhere", "unknown", "self-signed"])
    func `insecure takes any certificate`(_ name: String) throws {
      let said = Journal()
      let harness = try TransportHarness()
      let url = "https://\(name).localhost:\(nginx.tlsPort)/"
      try StandardError.$sink.withValue({ said($0) }) {
        for _ in 1...2 {
          let result = try harness.get(url) { $0.connection.verifiesServer = false }
          #expect(result.response?.status == 200)
        }
      }
      // Once for each host.
      #expect(said.lines.count == 1)
      #expect(
        said.lines.first?.contains(" \(name).localhost:\(nginx.tlsPort) is not verified") == true)
      #expect(said.lines.first?.contains("insecure") == true)
      #expect(try harness.get(url).error?.kind == .tls)
      harness.finish()
    }

    @Test func `insecure says nothing of what needs no certificate`() throws {
      let said = Journal()
      let harness = try TransportHarness()
      try StandardError.$sink.withValue({ said($0) }) {
        let result = try harness.get(nginx.url + "/json") { $0.connection.verifiesServer = false }
        #expect(result.response?.status == 200)
      }
      #expect(said.lines == [])
      harness.finish()
    }

    @Test func `connections are not shared by those who have another key`() throws {
      let directory = try #require(TemporaryDirectory())
      defer { directory.remove() }
      directory.write("other.key", try #require(contents(nginx.certificate("client.key"))))
      directory.write("wrong.key", try #require(contents(nginx.certificate("stranger.key"))))
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      func get(_ key: String) throws -> NetworkResult {
        try harness.get(url) {
          $0.connection.clientCertificate = nginx.certificate("client.pem")
          $0.connection.clientKey = key
        }
      }
      let keys = [nginx.certificate("client.key"), directory.path + "/other.key"]
      let first = try keys.map { try get($0).response?.headers["x-connection"] }
      #expect(Set(first).count == 2)
      #expect(try keys.map { try get($0).response?.headers["x-connection"] } == first)
      // A key that is not that of the certificate.
      let wrong = try get(directory.path + "/wrong.key")
      #expect(wrong.response == nil)
      #expect(wrong.error?.kind == .tls)
      harness.finish()
    }

    @Test func `connections are shared only by those who trust the same`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      func connection(_ set: (inout TransferOptions) -> Void) throws -> String {
        let result = try harness.get(url, set)
        return try #require(result.response?.headers["x-connection"])
      }
      let settings: [(inout TransferOptions) -> Void] = [
        { _ in },
        { $0.connection.verifiesServer = false },
        { [nginx] in $0.connection.certificateAuthorities = nginx.authority },
        { [nginx] in
          $0.connection.clientCertificate = nginx.certificate("client.pem")
          $0.connection.clientKey = nginx.certificate("client.key")
        },
        { $0.connection.httpVersion = .http1 },
        { $0.connection.addresses = ["localhost:\(nginx.tlsPort)": "127.0.0.1"] },
      ]
      let said = Journal()
      try StandardError.$sink.withValue({ said($0) }) {
        let first = try settings.map { try connection($0) }
        #expect(Set(first).count == settings.count, "\(first)")
        // Cookies and timings are no reason for another connection.
        let second = try settings.map { try connection($0) }
        #expect(second == first)
        let recorded = try connection { $0.recordsTimings = true }
        let withCookies = try connection { $0.cookies = CookieJar() }
        #expect([recorded, withCookies] == [first[0], first[0]])
      }
      harness.finish()
    }

    @Test func `a certificate is shown to those who ask`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let url = "https://client.localhost:\(nginx.tlsPort)/"
      #expect(try harness.get(url).response?.status == 400)
      let result = try harness.get(url) {
        $0.connection.clientCertificate = nginx.certificate("client.pem")
        $0.connection.clientKey = nginx.certificate("client.key")
      }
      #expect(result.text == "CN=client")
      #expect(try harness.get(url).response?.status == 400)
      harness.finish()
    }

    @Test func `a certificate does not go along to another origin`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      func set(_ options: inout TransferOptions) {
        options.connection.clientCertificate = nginx.certificate("client.pem")
        options.connection.clientKey = nginx.certificate("client.key")
      }
      #expect(try harness.get(nginx.tlsURL + "/client", set).text == "SUCCESS CN=client")
      let away = "https://client.localhost:\(nginx.tlsPort)/away"
      #expect(try harness.get(away, set).text == "NONE ")
      #expect(harness.log.contains { $0.contains("dropped client_cert") })
      harness.finish()
    }

    @Test func `a key with a passphrase is none and nobody is asked`() throws {
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let certificate = nginx.certificate("client.pem")
      let error = try harness.get("https://client.localhost:\(nginx.tlsPort)/") {
        $0.connection.clientCertificate = certificate
        $0.connection.clientKey = nginx.certificate("locked.key")
      }.error
      #expect(error?.kind == .tls)
      let message = error?.message ?? ""
      #expect(
        message.hasPrefix("the client certificate in '\(certificate)' cannot be used"),
        "\(message)")
      #expect(message.hasSuffix("(client_cert)"), "\(message)")
      harness.finish()
    }

    @Test func `who insists on a certificate is quoted`() throws {
      let port = try #require(RawSocket.freePorts(1).first)
      let folder = nginx.certificate("")
      let command =
        "cd \(folder) && openssl s_server -accept 127.0.0.1:\(port) -cert good.pem -key good.key "
        + "-Verify 1 -verify_return_error -CAfile authority.pem -www >/dev/null 2>&1 & "
        + "read line; kill $!"
      let server = try #require(ChildProcess(command))
      #expect(RawSocket.isAnswering(port, within: 5))
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let error = try harness.get("https://127.0.0.1:\(port)/").error
      #expect(error?.kind == .tls)
      #expect(
        error?.message
          == "127.0.0.1:\(port) requires a client certificate (client_cert)")
      harness.finish()
      server.hangUp()
      server.wait()
    }

    @Test func `files that cannot be read are named`() throws {
      let harness = try TransportHarness()
      func message(_ set: (inout TransferOptions) -> Void) throws -> String? {
        let error = try harness.get(url, set).error
        #expect(error?.kind == .tls)
        return error?.message
      }
      let reason = "cannot read '/nowhere/x.pem' (no such file or directory)"
      #expect(
        try message { $0.connection.certificateAuthorities = "/nowhere/x.pem" }
          == "ca_file: \(reason)")
      #expect(
        try message { $0.connection.clientCertificate = "/nowhere/x.pem" }
          == "client_cert: \(reason)")
      #expect(
        try message {
          $0.connection.clientCertificate = nginx.certificate("client.pem")
          $0.connection.clientKey = "/nowhere/x.pem"
        } == "client_key: \(reason)")
      harness.finish()
    }
  }
}
