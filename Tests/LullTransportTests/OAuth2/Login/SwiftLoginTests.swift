import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Synchronization
import Testing

extension TransportSuite {
  /// Logins of Swift programs, by what is public, over real sockets.
  @Suite struct SwiftLoginTests {
    private let directory: TemporaryDirectory

    init() throws {
      directory = try #require(TemporaryDirectory())
    }

    private var file: String { directory.path + "/shop.json" }

    /// An authorization server, and an API that takes its tokens.
    private func server(pendingPolls: Int = 1) throws -> RawServer {
      let polls = Mutex(0)
      return try #require(
        RawServer { connection in
          guard let request = connection.readRequest() else { return }
          let path = request.split(separator: " ").dropFirst().first ?? ""
          switch path {
          case "/device":
            connection.answer(
              #"{"device_code":"dev1ce","user_code":"AB-CD","interval":0.1,"#
                + #""verification_uri":"https://login.test/go","expires_in":60}"#)
          case "/token":
            let isPending =
              request.contains("device_code")
              && polls.withLock { count in
                count += 1
                return count <= pendingPolls
              }
            if isPending {
              let body = #"{"error":"authorization_pending"}"#
              connection.write(
                "HTTP/1.1 400 Bad\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            } else {
              connection.answer(#"{"access_token":"t1","token_type":"Bearer","expires_in":900}"#)
            }
          case "/me":
            let isKnown = request.lowercased().contains("authorization: bearer t1")
            connection.answer(isKnown ? "ann" : "nobody", headers: "Content-Type: text/plain\r\n")
          default: connection.answer("{}")
          }
        })
    }

    private func device(_ url: String, revocationURL: String? = nil) throws -> Auth {
      try Auth.oauth2Device(
        deviceURL: url + "/device", tokenURL: url + "/token", clientID: "me", name: "shop",
        scope: "read", tokenFile: file, revocationURL: revocationURL)
    }

    private func code(_ url: String) throws -> Auth {
      try Auth.oauth2Code(
        authorizationURL: "https://login.test/authorize", tokenURL: url + "/token", clientID: "me",
        name: "shop", tokenFile: file)
    }

    private static func parameter(_ name: String, of url: String) -> String {
      guard let start = url.firstRange(of: "\(name)=")?.upperBound else { return "" }
      return String(url[start...].prefix { $0 != "&" })
    }

    private static func port(of url: String) -> UInt16 {
      let redirect = parameter("redirect_uri", of: url).replacing("%3A", with: ":")
      return redirect.firstRange(of: "127.0.0.1:")
        .flatMap { UInt16(redirect[$0.upperBound...].prefix { $0.isNumber }) } ?? 0
    }

    @Test func `OLS-01 OLS-02 a person types a code and requests have the token`() throws {
      let server = try server()
      defer { server.stop() }
      let url = server.url
      try Lull.run { home in
        let api = Service(baseURL: url)
        let auth = try device(url)
        api.configure { $0.auth = auth }
        let error = await api.resource("/me").load().completed().error
        #expect(error?.cause?.kind == "auth_failed")
        #expect(
          error?.cause?.message
            == "there is no login 'shop' yet; call logIn(over:) of its Auth")
        #expect(server.requests.isEmpty)
        var prompts: [OAuth2Prompt] = []
        let login = try await auth.logIn(over: api) { prompts.append($0) }
        #expect(prompts == [.enter(code: "AB-CD", url: "https://login.test/go", complete: nil)])
        #expect(login.tokenFile == file && login.lifetime == 900)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        // With that from before, and with the new one, which is somebody else.
        let text1 = try await api.resource("/me").load().entity().text
        #expect(text1 == "ann")
        api.configure { $0.auth = login.auth }
        let text2 = try await api.resource("/me").load().entity().text
        #expect(text2 == "ann")
        #expect(login.auth.identity != auth.identity)
        #expect(!"\(login.auth) \(auth)".contains("t1"))
      }
      directory.remove()
    }

    @Test func `OLS-03 a browser on this machine brings a code`() throws {
      let server = try server()
      defer { server.stop() }
      let url = server.url
      let page = Journal()
      try Lull.run { home in
        let api = Service(baseURL: url)
        let auth = try code(url)
        let login = try await auth.logIn(over: api) { prompt in
          guard case .open(let shown) = prompt else { return }
          let port = Self.port(of: shown)
          let target = "/callback?code=c0de&state=" + Self.parameter("state", of: shown)
          Background.run {
            guard let socket = RawSocket.connect(to: port) else { return page("no listener") }
            defer { close(socket) }
            let head = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            _ = write(socket, head, head.utf8.count)
            var piece = [UInt8](repeating: 0, count: 15)
            _ = read(socket, &piece, piece.count)
            page(String(decoding: piece, as: UTF8.self))
          }
        }
        api.configure { $0.auth = login.auth }
        let text = try await api.resource("/me").load().entity().text
        #expect(text == "ann")
      }
      while page.lines.isEmpty { usleep(1000) }
      #expect(page.lines == ["HTTP/1.1 200 OK"])
      #expect(
        server.requests.contains { $0.contains("code=c0de") && $0.contains("code_verifier=") })
      directory.remove()
    }

    @Test(arguments: [true, false])
    func `OLS-04 cancelling the task ends a login and keeps nothing`(isCode: Bool) throws {
      let server = try server(pendingPolls: .max)
      defer { server.stop() }
      let url = server.url
      try Lull.run { home in
        let api = Service(baseURL: url)
        let auth = isCode ? try code(url) : try device(url)
        var shown: OAuth2Prompt?
        let task = home.spawn { () -> String in
          do throws(TransportError) {
            return try await auth.logIn(over: api) { shown = $0 }.tokenFile
          } catch {
            return "\(error.kind)"
          }
        }
        while shown == nil { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        let outcome = try await task.value
        #expect(outcome == "cancelled")
        #expect(access(file, F_OK) != 0)
        if case .open(let address) = shown {
          #expect(RawSocket.connect(to: Self.port(of: address)) == nil)
        }
        // Cancelled before it begins.
        shown = nil
        let late = home.spawn { () -> String in
          do throws(TransportError) {
            return try await auth.logIn(over: api) { shown = $0 }.tokenFile
          } catch {
            return "\(error.kind)"
          }
        }
        late.cancel()
        let ending = try await late.value
        #expect(ending == "cancelled" && shown == nil)
      }
      directory.remove()
    }

    @Test func `OLS-05 the end of the home ends a login`() async throws {
      let server = try server(pendingPolls: .max)
      defer { server.stop() }
      let url = server.url
      let home = try Home.start()
      let journal = Journal()
      let file = file
      let task = home.spawn { home in
        let api = Service(baseURL: url)
        let auth = try Auth.oauth2Device(
          deviceURL: url + "/device", tokenURL: url + "/token", clientID: "me", name: "shop",
          tokenFile: file)
        do throws(TransportError) {
          return try await auth.logIn(over: api) { _ in journal("shown") }.tokenFile
        } catch {
          return "\(error.kind)"
        }
      }
      while journal.lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      await home.shutdown()
      let outcome = try await task.value
      #expect(outcome == "cancelled" && access(file, F_OK) != 0)
      directory.remove()
    }

    @Test func `OLS-06 a login is taken away and given back where that is possible`() throws {
      let server = try server(pendingPolls: 0)
      defer { server.stop() }
      let url = server.url
      try Lull.run { home in
        let api = Service(baseURL: url)
        for (revocationURL, expected) in [
          (nil, OAuth2LogoutResult.removed), (url + "/revoke", .revoked),
        ] {
          let auth = try device(url, revocationURL: revocationURL)
          let before = try await auth.logOut(over: api)
          #expect(before == .absent)
          _ = try await auth.logIn(over: api) { _ in }
          api.configure { $0.auth = auth }
          let text = try await api.resource("/me").load().entity().text
          #expect(text == "ann")
          let after = try await auth.logOut(over: api)
          #expect(after == expected)
          #expect(access(file, F_OK) != 0)
          let error = await api.resource("/me").load().completed().error
          #expect(error?.cause?.kind == "auth_failed")
        }
        #expect(
          server.requests.contains { $0.hasPrefix("POST /revoke") && $0.contains("token=t1") })
      }
      directory.remove()
    }

    @Test func `OLS-07 what cannot be a login is refused in one line`() throws {
      func message(_ make: () throws(TransportError) -> Auth) -> String {
        do throws(TransportError) {
          return "\(try make())"
        } catch {
          return "\(error.kind): \(error.message)"
        }
      }
      let good = "https://login.test/x"
      func code(
        _ url: String = "https://login.test/x", token: String = "https://login.test/x",
        name: String = "shop", path: String = "/callback", file: String? = "t.json",
        revocation: String? = nil
      ) -> String {
        message { () throws(TransportError) in
          try Auth.oauth2Code(
            authorizationURL: url, tokenURL: token, clientID: "me", name: name, redirectPath: path,
            tokenFile: file, revocationURL: revocation)
        }
      }
      let mustBe = "must be an https URL without a fragment, or an http URL of this machine, got"
      #expect(
        code("http://login.test/a")
          == "authFailed: authorizationURL \(mustBe) 'http://login.test/a'")
      #expect(code(token: "nowhere") == "authFailed: tokenURL \(mustBe) 'nowhere'")
      #expect(code(token: good + "#a").hasPrefix("authFailed: tokenURL \(mustBe)"))
      #expect(code(revocation: "ftp://a") == "authFailed: revocationURL \(mustBe) 'ftp://a'")
      for name in ["", "../a", ".a", "-a", "a b", "ä", String(repeating: "a", count: 101)] {
        #expect(
          code(name: name).hasPrefix("authFailed: name must have only letters, digits, '-', '_'"))
      }
      #expect(
        code(path: "callback")
          == "authFailed: redirectPath must be a path such as \"/callback\", got 'callback'")
      #expect(code(file: "") == "authFailed: tokenFile must not be empty")
      #expect(code("http://127.0.0.1:1/a").hasPrefix("authorization: Bearer ‹token of "))
      let device = message { () throws(TransportError) in
        try Auth.oauth2Device(
          deviceURL: "", tokenURL: good, clientID: "me", name: "shop", tokenFile: "t")
      }
      #expect(device == "authFailed: deviceURL \(mustBe) ''")
      try Lull.run { home in
        let api = Service(baseURL: "https://api.test", networking: StubProvider())
        for auth in [
          Auth.bearer("t"),
          Auth.oauth2ClientCredentials(tokenURL: good, clientID: "me", clientSecret: "s"),
        ] {
          do throws(TransportError) {
            try await auth.logOut(over: api)
            Issue.record("it did not throw")
          } catch {
            #expect(error.message.hasPrefix("this Auth has no login: use Auth.oauth2Code or"))
          }
        }
      }
      directory.remove()
    }

    @Test func `OLS-07 what cannot be kept and what the server refuses ends it in words`() throws {
      directory.write("shop.json", "{}".utf8)
      chmod(file, 0o644)
      try Lull.run { home in
        let network = StubProvider()
        network.stub("POST", "https://login.test/device", .json("{}"))
        let api = Service(baseURL: "https://api.test", networking: network)
        let auth = try device("https://login.test")
        func message() async -> String {
          do throws(TransportError) {
            return try await auth.logIn(over: api) { _ in }.tokenFile
          } catch {
            return error.message
          }
        }
        let kept = await message()
        #expect(kept.contains("can be read by other users, and is not used: run chmod 600"))
        #expect(network.requests.isEmpty)
        chmod(file, 0o600)
        let refused = await message()
        #expect(
          refused.contains("its response lacks device_code, user_code, or a verification_uri"))
      }
      directory.remove()
    }
  }
}
