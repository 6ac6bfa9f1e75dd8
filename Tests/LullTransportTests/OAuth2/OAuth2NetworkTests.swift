import LullCore
import Testing

@testable import LullTransport

extension TransportSuite {
  /// Tokens over the network, from endpoints that are not what they should be.
  @Suite struct OAuth2NetworkTests {
    let harness: TransportHarness
    let directory: TemporaryDirectory

    init() throws {
      harness = try TransportHarness()
      directory = try #require(TemporaryDirectory())
    }

    private var context: AuthContext {
      AuthContext(networking: harness.provider, pump: harness.loop.pump)
    }

    private func settings(_ url: String, inBody: Bool = false) -> OAuth2.Settings {
      directory.write("client", "hunter2/+ secret".utf8)
      let client = Secret(.file(directory.path + "/client"), name: "CLIENT")
      let refresh = Secret(.literal("refresh&tok=99"), name: "REFRESH")
      var settings = OAuth2.Settings(
        tokenURL: url + "/token", clientID: "me", clientSecret: SecretText(client),
        grant: .refresh(SecretText(refresh)))
      settings.sendsSecretInBody = inBody
      return settings
    }

    private func request(timeout: Double = 60) -> HTTPRequest {
      var request = HTTPRequest(method: "GET", url: "https://api.test/")
      request.limits.timeout = timeout
      request.secrets = SecretUses(origin: "https://api.test")
      return request
    }

    private func authorize(_ auth: OAuth2, timeout: Double = 60) throws
      -> Result<AuthorizedRequest, TransportError>
    {
      var result: Result<AuthorizedRequest, TransportError>?
      _ = auth.authorize(request(timeout: timeout), in: context) { result = $0 }
      harness.turn { result != nil }
      return try #require(result)
    }

    private func message(_ result: Result<AuthorizedRequest, TransportError>) -> String {
      switch result {
      case .success: "authorized"
      case .failure(let error): "\(error.kind.rawValue): \(error.message)"
      }
    }

    @Test(
      arguments: [true, false],
      [
        #"{"error":"server_error","error_description":"@"}"#, #"{"error":"@"}"#,
        #"{"access_token":"t","token_type":"@"}"#,
      ])
    func `what an endpoint repeats is masked`(_ inBody: Bool, _ answer: String) throws {
      let server = try #require(
        RawServer { connection in
          guard let request = connection.readRequest() else { return }
          let lines = request.split(separator: "\r\n")
          let header = lines.first { $0.lowercased().hasPrefix("authorization") }
          let said = "\(lines.last ?? "") \(header ?? "")"
          let status = answer.contains("access_token") ? "200 OK" : "400 Bad"
          let body = answer.replacing("@", with: said)
          connection.write(
            "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        })
      let message = message(try authorize(OAuth2(settings(server.url, inBody: inBody))))
      #expect(message.hasPrefix("auth_failed: "))
      #expect(message.contains("‹"))
      let basic = Base64.encode(Array("me:hunter2%2F%2B%20secret".utf8))
      let start = String(decoding: basic.prefix(8), as: UTF8.self)
      for said in harness.log + [message] {
        for secret in ["hunter2", "tok%3D99", "tok=99", start] { #expect(!said.contains(secret)) }
      }
      // What it was told is what it repeats.
      let told = try #require(server.requests.first)
      #expect(told.contains("refresh_token=refresh%26tok%3D99"))
      #expect(told.contains(inBody ? "hunter2" : start))
      harness.finish(timers: 5)
      server.stop()
      directory.remove()
    }

    private static let token = #"{"access_token":"t","token_type":"bearer"}"#

    /// Each with another origin in it: its port, its name, or its scheme.
    @Test(
      arguments: [301, 302, 303, 307, 308],
      ["http://127.0.0.1:@/token", "//127.0.0.1:@/token", "http://localhost:#/token", "https:same"])
    func `a redirect to another origin is refused`(status: Int, form: String) throws {
      let other = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.answer(OAuth2NetworkTests.token)
        })
      let server = try #require(
        RawServer { connection in
          guard let request = connection.readRequest() else { return }
          let port =
            request.split(separator: "\r\n").first { $0.hasPrefix("Host:") }?
            .split(separator: ":").last ?? ""
          let location =
            form == "https:same"
            ? "https://127.0.0.1:\(port)/token"
            : form.replacing("@", with: "\(other.port)").replacing("#", with: port)
          connection.write(
            "HTTP/1.1 \(status) Elsewhere\r\nLocation: \(location)\r\n"
              + "Content-Length: \(OAuth2NetworkTests.token.utf8.count)\r\n\r\n"
              + OAuth2NetworkTests.token)
        })
      let target =
        switch form {
        case "https:same": "https://127.0.0.1:\(server.port)"
        case "http://localhost:#/token": "http://localhost:\(server.port)"
        default: "http://127.0.0.1:\(other.port)"
        }
      let auth = OAuth2(settings(server.url))
      #expect(
        message(try authorize(auth))
          == "auth_failed: no token from \(server.url)/token: 127.0.0.1:\(server.port) redirects to "
          + "another origin, \(target), which is not followed")
      #expect(other.requests.isEmpty)
      #expect(server.requests.count == 1)
      harness.finish(timers: 5)
      server.stop()
      other.stop()
      directory.remove()
    }

    @Test func `a redirect within the origin is followed`() throws {
      let server = try #require(
        RawServer { connection in
          guard let request = connection.readRequest() else { return }
          guard request.hasPrefix("POST /token ") else {
            return connection.answer(OAuth2NetworkTests.token)
          }
          connection.write(
            "HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          )
        })
      #expect(message(try authorize(OAuth2(settings(server.url)))) == "authorized")
      #expect(server.requests.last?.hasPrefix("POST /there ") == true)
      harness.finish(timers: 5)
      server.stop()
      directory.remove()
    }

    @Test func `what another origin has answered is not believed`() {
      func tokens(from url: String?) -> Result<OAuth2Tokens, TransportError> {
        let response = HTTPResponse(status: 200, url: url)
        return OAuth2Answer(
          NetworkResult(response: response, body: Array(OAuth2NetworkTests.token.utf8)),
          from: "https://a.test/token",
          hiding: SecretStore(pump: harness.loop.pump).search(for: [])
        ).tokens(now: 0, known: nil)
      }
      for url in ["https://b.test/token", "http://a.test/token", "https://a.test:444/token"] {
        guard case .failure(let error) = tokens(from: url) else {
          Issue.record("tokens of \(url) were taken")
          continue
        }
        #expect(
          error.message.hasPrefix(
            "no token from https://a.test/token: the response came from another origin")
        )
      }
      for url in ["https://A.test:443/elsewhere", nil] {
        #expect(throws: Never.self) { try tokens(from: url).get() }
      }
      harness.finish(timers: 5)
      directory.remove()
    }

    @Test func `one whose time is up is not kept by others who wait`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.waitForClose()
        })
      let auth = OAuth2(settings(server.url))
      var patient: Result<AuthorizedRequest, TransportError>?
      let stop = auth.authorize(request(), in: context) { patient = $0 }
      let url = server.url + "/token"
      #expect(
        message(try authorize(auth, timeout: 0.05))
          == "auth_failed: no token from \(url) within 0.05 s")
      #expect(patient == nil)
      stop?()
      harness.provider.close()
      harness.finish(timers: 5)
      server.stop()
      directory.remove()
    }

    @Test func `a token request has the limits of the request that waits`() {
      var waiting = request(timeout: 7)
      waiting.limits.connectTimeout = 3
      var options = TransferOptions()
      options.firstByteTimeout = 2
      options.idleTimeout = 1
      options.redirects = .answer
      waiting.options = options
      let http = OAuth2Request(settings("https://a.test"), refreshToken: nil, for: waiting).http
      #expect(http.limits.timeout == 7)
      #expect(http.limits.connectTimeout == 3)
      options.redirects = .followWithinOrigin
      #expect(http.options == options)
      harness.finish(timers: 5)
      directory.remove()
    }

    /// One whose token file somebody else has locked.
    private func lockedOut() throws -> (OAuth2, TokenFileLock) {
      var settings = settings("http://127.0.0.1:1")
      settings.tokenFile = directory.path + "/tokens.json"
      return (OAuth2(settings), try TokenFile(directory.path + "/tokens.json").lock())
    }

    @Test func `a lock that nobody waits for any more is given up`() throws {
      let (auth, lock) = try lockedOut()
      let stop = auth.authorize(request(), in: context) { _ in }
      stop?()
      // Whoever comes then begins anew.
      var late: Result<AuthorizedRequest, TransportError>?
      _ = auth.authorize(request(), in: context) { late = $0 }
      lock.release()
      harness.turn { late != nil }
      #expect(late.map(message)?.contains("cannot connect") == true)
      harness.finish(timers: 5)
      directory.remove()
    }

    @Test func `a loop that closes does not wait for a lock`() throws {
      let (auth, lock) = try lockedOut()
      _ = auth.authorize(request(), in: context) { _ in }
      let began = ContinuousClock.now
      harness.loop.close()
      // Not a matter of speed: a lock is waited for half a minute.
      #expect(began.duration(to: .now) < .seconds(20))
      lock.release()
      directory.remove()
    }
  }
}
