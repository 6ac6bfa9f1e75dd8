import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

extension TransportSuite {
  /// A login by a browser, over real sockets.
  @Suite struct CodeFlowTests {
    private let harness: TransportHarness
    private let directory: TemporaryDirectory

    init() throws {
      harness = try TransportHarness()
      directory = try #require(TemporaryDirectory())
    }

    /// One flow, what it shows, and the browser that goes on from there.
    private final class Login {
      let flow: OAuth2LoginFlow
      private let seen: Seen
      var url: String { seen.url }

      init?(
        _ settings: OAuth2.Settings, _ harness: TransportHarness, patience: Double = 300
      ) {
        let seen = Seen()
        let context = AuthContext(networking: harness.provider, pump: harness.loop.pump)
        guard
          let flow = OAuth2LoginFlow(
            settings, context, for: HTTPRequest(method: "GET", url: "https://api.test"),
            patience: patience, watch: { DescriptorWatch($0, on: harness.loop) },
            show: { if case .open(let url) = $0 { seen.url = url } })
        else { return nil }
        self.flow = flow
        self.seen = seen
        flow.begin()
        harness.turn { !seen.url.isEmpty || flow.outcome != nil }
      }

      private final class Seen { var url = "" }

      func parameter(_ name: String) -> String {
        let request = LoopbackRequest(
          head: "GET \(url.dropFirst("https://login.test".count)) HTTP/1.1".utf8)
        return request?.parameters?.first { $0.name == name }?.value ?? ""
      }

      var port: UInt16 {
        parameter("redirect_uri").split(separator: ":").last
          .flatMap { UInt16($0.prefix { $0.isNumber }) } ?? 0
      }
    }

    private func settings(
      _ server: String, _ change: (inout OAuth2Login.Code) -> Void = { _ in }
    ) -> OAuth2.Settings {
      var code = OAuth2Login.Code(authorizationURL: "https://login.test/authorize?prompt=consent")
      change(&code)
      var settings = OAuth2.Settings(
        tokenURL: server + "/token", clientID: "me & you", clientSecret: nil,
        grant: .login(OAuth2Login(.code(code), name: "shop", command: "lull login shop")))
      settings.scope = "read write"
      settings.tokenFile = directory.path + "/shop.json"
      return settings
    }

    private func server(_ answer: String = #"{"access_token":"t1","refresh_token":"r1"}"#) throws
      -> RawServer
    {
      try #require(
        RawServer { connection in
          connection.readRequest()
          connection.answer(answer)
        })
    }

    /// What the listener says to a browser.
    private func browse(_ target: String, _ login: Login, host: String? = nil) throws -> String {
      let socket = try #require(RawSocket.connect(to: login.port))
      defer { close(socket) }
      let head = "GET \(target) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(login.port)")\r\n\r\n"
      #expect(head.utf8.count == write(socket, head, head.utf8.count))
      return answer(on: socket, login)
    }

    private func answer(on socket: Int32, _ login: Login) -> String {
      let flags = fcntl(socket, F_GETFL)
      _ = fcntl(socket, F_SETFL, flags | O_NONBLOCK)
      var text: [UInt8] = []
      var isOver = false
      harness.turn {
        login.flow.serve()
        // The loop does not wait for the browser's end.
        harness.loop.wake()
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = read(socket, &piece, piece.count)
        if count > 0 { text += piece[..<count] }
        isOver = count == 0 || count < 0 && errno != EAGAIN
        return isOver
      }
      return String(decoding: text, as: UTF8.self)
    }

    private func message(_ login: Login) -> String? {
      harness.turn { login.flow.outcome != nil }
      guard case .failure(let error)? = login.flow.outcome else { return nil }
      return error.message
    }

    private func finish(_ servers: RawServer...) {
      harness.finish(timers: 8)
      for server in servers { server.stop() }
      directory.remove()
    }

    @Test func `OAU-04 OAU-05 OAU-10 the code of the one request that fits is redeemed`() throws {
      let server = try server()
      let login = try #require(Login(settings(server.url), harness))
      #expect(
        login.url.hasPrefix("https://login.test/authorize?prompt=consent&response_type=code&"))
      #expect(login.parameter("client_id") == "me & you")
      #expect(login.parameter("scope") == "read write")
      #expect(login.parameter("code_challenge_method") == "S256")
      #expect(login.parameter("redirect_uri") == "http://127.0.0.1:\(login.port)/callback")
      let state = login.parameter("state")
      #expect(state.utf8.count == 43)
      for (target, host, status) in [
        ("/", nil, "404"), ("/callback?code=evil&state=x", nil, "400"),
        ("/callback?code=evil&state=\(state)", "evil.test", "400"),
      ] {
        #expect(try browse(target, login, host: host).hasPrefix("HTTP/1.1 \(status) "))
        #expect(login.flow.outcome == nil)
      }
      let page = try browse("/callback?code=c0de-99&state=\(state)", login)
      #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
      harness.turn { login.flow.outcome != nil }
      let path = directory.path + "/shop.json"
      #expect(try login.flow.outcome?.get() == .init(path: path, lifetime: nil))
      // Nobody listens any more.
      #expect(RawSocket.connect(to: login.port) == nil)
      let told = try #require(server.requests.first)
      #expect(told.contains("grant_type=authorization_code"))
      #expect(told.contains("code=c0de-99"))
      let body = told.split(separator: "\r\n").last ?? ""
      let verifier = body.split(separator: "&").first { $0.hasPrefix("code_verifier=") }?.dropFirst(
        14)
      let made = PKCE(verifier: String(verifier ?? ""))
      #expect(made.challenge == login.parameter("code_challenge"))
      let seen = harness.log.joined(separator: "\n") + login.url + page
      for secret in ["c0de-99", made.verifier] { #expect(!seen.contains(secret)) }
      finish(server)
    }

    @Test func `OAU-06 OAU-09 a refusal is shown as text and ends it`() throws {
      let login = try #require(Login(settings("https://login.test"), harness))
      let state = login.parameter("state")
      let page = try browse(
        "/callback?state=\(state)&error=access_denied&error_description=%3Cb%3Eno%3C/b%3E", login)
      #expect(page.contains("access_denied: &lt;b&gt;no&lt;/b&gt;"))
      #expect(
        message(login)
          == "the login 'shop' failed: the server reports access_denied: <b>no</b>")
      #expect(access(directory.path + "/shop.json", F_OK) != 0)
      finish()
    }

    @Test func `OAU-10 what the endpoint repeats of a code is masked`() throws {
      let server = try #require(
        RawServer { connection in
          let body = connection.readRequest()?.split(separator: "\r\n").last ?? ""
          let text = "{\"error\":\"invalid_grant\",\"error_description\":\"\(body)\"}"
          connection.write(
            "HTTP/1.1 400 Bad\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
        })
      let login = try #require(Login(settings(server.url), harness))
      _ = try browse("/callback?state=\(login.parameter("state"))&code=c0de-99", login)
      let said = try #require(message(login))
      #expect(said.contains("invalid_grant: client_id=me"))
      #expect(said.contains("‹secret authorization code›"))
      #expect(!said.contains("c0de-99"))
      finish(server)
    }

    @Test func `OAU-03 nobody is asked for what cannot be kept`() throws {
      directory.write("shop.json", "{}".utf8)
      chmod(directory.path + "/shop.json", 0o644)
      let login = try #require(Login(settings("https://login.test"), harness))
      #expect(login.url == "")
      #expect(
        message(login)?.contains("can be read by other users, and is not used: run chmod 600")
          == true)
      finish()
    }

    @Test func `OAU-08 nobody is waited for longer than that`() throws {
      let login = try #require(Login(settings("https://login.test"), harness, patience: 0.02))
      #expect(
        message(login)
          == "the login 'shop' failed: the browser did not return within 0.02 s")
      #expect(RawSocket.connect(to: login.port) == nil)
      #expect(OAuth2LoginFlow.patience == 300)
      finish()
    }

    @Test func `OAU-05 a port that is taken is told of`() throws {
      let first = try #require(Login(settings("https://login.test"), harness))
      let port = first.port
      let second = try #require(
        Login(settings("https://login.test") { $0.port = port }, harness))
      #expect(
        message(second)
          == "cannot listen on 127.0.0.1:\(port) (Address already in use); another login may be "
          + "using that port")
      #expect(first.flow.outcome == nil)
      first.flow.cancel()
      // It is free again at once.
      let third = try #require(
        Login(settings("https://login.test") { $0.port = port }, harness))
      #expect(third.port == port)
      third.flow.cancel()
      finish()
    }

    @Test func `OAU-05 whoever says nothing, too much or nonsense keeps nobody out`() throws {
      let login = try #require(
        Login(settings("https://login.test") { $0.path = "/back" }, harness))
      let silent = try (0..<12).map { _ in try #require(RawSocket.connect(to: login.port)) }
      let socket = try #require(RawSocket.connect(to: login.port))
      let long = "GET /" + String(repeating: "a", count: 20_000)
      #expect(write(socket, long, long.utf8.count) == long.utf8.count)
      #expect(answer(on: socket, login).hasPrefix("HTTP/1.1 431 "))
      close(socket)
      let other = try #require(RawSocket.connect(to: login.port))
      #expect(write(other, "\u{16}\u{3}\u{1}\r\n\r\n", 7) == 7)
      #expect(answer(on: other, login).hasPrefix("HTTP/1.1 400 "))
      close(other)
      _ = try browse("/back?state=\(login.parameter("state"))&error=x", login)
      #expect(message(login) == "the login 'shop' failed: the server reports x")
      for socket in silent { close(socket) }
      finish()
    }

    @Test func `OAU-17 a login is kept once whoever renews at that time has ended`() throws {
      let server = try server()
      let settings = settings(server.url)
      let login = try #require(Login(settings, harness))
      let lock = try TokenFile(directory.path + "/shop.json").lock()
      _ = try browse("/callback?code=a&state=\(login.parameter("state"))", login)
      harness.turn { !server.requests.isEmpty && harness.provider.activeCount == 0 }
      #expect(login.flow.outcome == nil)
      lock.release()
      harness.turn { login.flow.outcome != nil }
      #expect(throws: Never.self) { try login.flow.outcome?.get() }
      finish(server)
    }

    @Test func `OAU-17 of two logins at once the later one counts`() throws {
      let server = try server()
      let settings = settings(server.url)
      let logins = try (0..<2).map { _ in try #require(Login(settings, harness)) }
      #expect(logins[0].port != logins[1].port)
      var ids: [String?] = []
      for login in logins {
        _ = try browse("/callback?code=a&state=\(login.parameter("state"))", login)
        harness.turn { login.flow.outcome != nil }
        #expect(throws: Never.self) { try login.flow.outcome?.get() }
        ids.append(OAuth2TokenKeeper(TokenFile(directory.path + "/shop.json"), settings).login)
      }
      #expect(ids[0] != nil && ids[1] != nil && ids[0] != ids[1])
      finish(server)
    }
  }
}
