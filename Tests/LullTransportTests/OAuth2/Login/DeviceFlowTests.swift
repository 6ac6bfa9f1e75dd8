import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

extension TransportSuite {
  /// A login by device, on a manual clock, from a stubbed server.
  @Suite struct DeviceFlowTests {
    private let harness = Harness()
    private let directory: TemporaryDirectory
    private let shown = EventLog()

    /// What the person is shown.
    private final class EventLog {
      var prompts: [OAuth2Prompt] = []
    }

    init() throws {
      directory = try #require(TemporaryDirectory())
    }

    private var settings: OAuth2.Settings {
      var login = OAuth2Login(
        .device(url: "https://login.test/device"), name: "shop", command: "lull login shop")
      login.revocationURL = "https://login.test/revoke"
      var settings = OAuth2.Settings(
        tokenURL: "https://login.test/token", clientID: "me", clientSecret: nil,
        grant: .login(login)
      )
      settings.scope = "read"
      settings.tokenFile = directory.path + "/tokens/shop.json"
      return settings
    }

    private var context: AuthContext {
      AuthContext(networking: harness.provider, pump: harness.pump)
    }

    private func begin() throws -> OAuth2LoginFlow {
      let made = OAuth2LoginFlow(
        settings, context, for: HTTPRequest(method: "GET", url: "https://api.test"),
        watch: { _ in nil }, show: { [shown] in shown.prompts.append($0) })
      let flow = try #require(made)
      flow.begin()
      harness.settle()
      return flow
    }

    private func device(_ more: String = "", interval: String = #","interval":5"#)
      -> StubProvider.Answer
    {
      .json(
        #"{"device_code":"dev1ce","user_code":"AB-CD","verification_uri":"https://login.test/go""#
          + #","expires_in":60\#(interval)\#(more)}"#)
    }

    private func error(_ name: String) -> StubProvider.Answer {
      .json("{\"error\":\"\(name)\"}", status: 400)
    }

    private static let token = #"{"access_token":"t1","token_type":"Bearer","refresh_token":"r1"}"#

    private func answers(_ answers: StubProvider.Answer...) {
      harness.provider.stub("POST", "https://login.test/device", answers: [device()])
      harness.provider.stub("POST", "https://login.test/token", answers: answers)
    }

    private var polls: Int {
      harness.provider.requests.count { $0.url == "https://login.test/token" }
    }

    private func message(_ flow: OAuth2LoginFlow) -> String? {
      guard case .failure(let error)? = flow.outcome else { return nil }
      return error.message
    }

    @Test func `OAU-11 OAU-02 it asks at the interval and keeps what comes`() throws {
      answers(error("authorization_pending"), error("slow_down"), .json(Self.token))
      let flow = try begin()
      #expect(shown.prompts == [.enter(code: "AB-CD", url: "https://login.test/go", complete: nil)])
      harness.advance(by: 4.9)
      #expect(polls == 0)
      harness.advance(by: 0.2)
      #expect(polls == 1)
      harness.advance(by: 5)
      #expect(polls == 2)
      harness.advance(by: 9.9)
      #expect(polls == 2)
      harness.advance(by: 0.2)
      #expect(polls == 3)
      let path = directory.path + "/tokens/shop.json"
      #expect(try flow.outcome?.get() == .init(path: path, lifetime: nil))
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(stat(directory.path + "/tokens", &status) == 0 && status.st_mode & 0o777 == 0o700)
      let bodies = harness.provider.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
      #expect(bodies.first == "client_id=me&scope=read")
      #expect(
        bodies.last
          == "client_id=me&device_code=‹secret device code›"
          + "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code")
      directory.remove()
    }

    @Test func `OAU-11 who cannot be reached is asked more and more seldom`() throws {
      answers(
        .failure(TransportError(.timeout, "no answer")),
        .failure(TransportError(.connection, "refused")),
        .init(status: 503), .json(Self.token))
      let flow = try begin()
      for (seconds, count) in [(5.0, 1), (9.9, 1), (0.1, 2), (19.9, 2), (0.1, 3)] {
        harness.advance(by: seconds)
        #expect(polls == count)
      }
      // The next would be after the code's end.
      #expect(message(flow)?.contains("was not used in time; run 'lull login shop' again") == true)
      directory.remove()
    }

    @Test(arguments: [
      ("access_denied", "the login 'shop' was denied in the browser"),
      (
        "expired_token",
        "the login 'shop' failed: the code was not used in time; run 'lull login shop' again"
      ),
      (
        "invalid_client",
        "no token from https://login.test/token: it responded with 400, invalid_client"
      ),
    ])
    func `OAU-12 a refusal ends it`(name: String, expected: String) throws {
      answers(error("authorization_pending"), error(name))
      let flow = try begin()
      harness.advance(by: 5)
      #expect(flow.outcome == nil)
      harness.advance(by: 5)
      #expect(message(flow) == expected)
      #expect(polls == 2)
      directory.remove()
    }

    @Test func `OAU-60 GitHub's errors with status 200 are errors`() throws {
      func error(_ name: String) -> StubProvider.Answer {
        .json(
          #"{"error":"\#(name)","error_description":"some words","error_uri":"https://x.test"}"#)
      }
      answers(error("authorization_pending"), error("slow_down"), .json(Self.token))
      let flow = try begin()
      harness.advance(by: 5)
      #expect(polls == 1)
      harness.advance(by: 5)
      #expect(polls == 2)
      harness.advance(by: 9.9)
      #expect(polls == 2)
      harness.advance(by: 0.2)
      #expect(try flow.outcome?.get().path == directory.path + "/tokens/shop.json")
      for (name, expected) in [
        ("access_denied", "the login 'shop' was denied in the browser"),
        (
          "incorrect_device_code",
          "no token from https://login.test/token: it responded with 200, incorrect_device_code: "
            + "some words"
        ),
      ] {
        answers(error(name))
        let flow = try begin()
        harness.advance(by: 5)
        #expect(message(flow) == expected)
      }
      // The endpoint for codes does the same.
      harness.provider.stub(
        "POST", "https://login.test/device", answers: [error("device_flow_disabled")])
      #expect(
        message(try begin())
          == "no device code from https://login.test/device: it responded with 200, device_flow_disabled: some "
          + "words")
      directory.remove()
    }

    @Test(arguments: [
      "{}", #"{"device_code":"a","user_code":"b"}"#,
      #"{"device_code":"a","user_code":"b","verification_uri":"http://login.test"}"#,
      #"{"device_code":"a","user_code":"b","verification_uri":"javascript:alert(1)"}"#,
      #"{"device_code":"","user_code":"b","verification_uri":"https://login.test"}"#, "no JSON",
    ])
    func `OAU-12 an answer without a code or a page to type it at ends it`(body: String) throws {
      harness.provider.stub("POST", "https://login.test/device", .json(body))
      let flow = try begin()
      #expect(
        message(flow)?.hasPrefix(
          "no device code from https://login.test/device: its response lacks")
          == true
      )
      #expect(shown.prompts.isEmpty)
      directory.remove()
    }

    @Test func `OAU-11 a page that has the code is shown as one and another name for it is known`()
      throws
    {
      harness.provider.stub(
        "POST", "https://login.test/device",
        .json(
          #"{"device_code":"a","user_code":"b","verification_url":"https://login.test/go","#
            + #""verification_uri_complete":"https://login.test/go?c=b"}"#))
      let flow = try begin()
      #expect(
        shown.prompts == [
          .enter(
            code: "b", url: "https://login.test/go", complete: "https://login.test/go?c=b")
        ])
      flow.cancel()
      harness.advance(by: 100)
      #expect(polls == 0)
      directory.remove()
    }

    @Test func `OAU-11 a code that ends before the interval is asked about once`() throws {
      harness.provider.stub(
        "POST", "https://login.test/device", device(interval: #","interval":1e12"#))
      harness.provider.stub(
        "POST", "https://login.test/token", error("authorization_pending"))
      let flow = try begin()
      harness.advance(by: 59)
      #expect(polls == 0)
      harness.advance(by: 2)
      #expect(polls == 1)
      #expect(message(flow)?.contains("was not used in time") == true)
      directory.remove()
    }

    // MARK: What a login is used for

    /// One that is there, with tokens that end after `lifetime` seconds.
    private func loggedIn(_ lifetime: Int, refresh: Bool = true) throws {
      let token =
        "{\"access_token\":\"t1\",\"expires_in\":\(lifetime)"
        + (refresh ? #","refresh_token":"r1"}"# : "}")
      answers(.json(token))
      let flow = try begin()
      harness.advance(by: 5)
      _ = try #require(try flow.outcome?.get())
    }

    private func sent(_ auth: OAuth2) -> String {
      var result: Result<AuthorizedRequest, TransportError>?
      var request = HTTPRequest(method: "GET", url: "https://api.test/")
      request.secrets = SecretUses(origin: "https://api.test")
      _ = auth.authorize(request, in: context) { result = $0 }
      harness.settle()
      switch result {
      case .success(let authorized)?: return authorized.http.headers["authorization"] ?? "nothing"
      case .failure(let error)?: return error.message
      case nil: return "it waits"
      }
    }

    @Test func `OAU-01 without a login a request fails and says what to run`() {
      #expect(sent(OAuth2(settings)) == "there is no login 'shop' yet; run 'lull login shop'")
      #expect(harness.provider.requests.isEmpty)
      directory.remove()
    }

    @Test func `OAU-14 what is not to be renewed says to log in again`() throws {
      try loggedIn(100, refresh: false)
      let auth = OAuth2(settings)
      #expect(sent(auth) == "Bearer ‹secret access token›")
      harness.advance(by: 100)
      #expect(
        sent(auth)
          == "the login 'shop' has expired and cannot be renewed; run 'lull login "
          + "shop' again")
      directory.remove()
    }

    @Test func `OAU-14 a refresh token that is no good says to log in again`() throws {
      try loggedIn(100)
      harness.advance(by: 100)
      answers(error("invalid_grant"))
      #expect(
        sent(OAuth2(settings))
          == "no token from https://login.test/token: it responded with 400, invalid_grant; run 'lull "
          + "login shop' again")
      // GitHub's answer to the same.
      answers(.json(#"{"error":"bad_refresh_token","error_description":"expired"}"#))
      #expect(
        sent(OAuth2(settings))
          == "no token from https://login.test/token: it responded with 200, bad_refresh_token: expired; "
          + "run 'lull login shop' again")
      // Not so where that would not help.
      answers(.init(status: 503))
      #expect(
        sent(OAuth2(settings)) == "no token from https://login.test/token: it responded with 503")
      directory.remove()
    }

    @Test func `OAU-17 who has logged out is not let in again by what was known before`() throws {
      try loggedIn(100)
      let auth = OAuth2(settings)
      #expect(sent(auth) == "Bearer ‹secret access token›")
      harness.provider.stub("POST", "https://login.test/revoke", .init())
      let logout = try #require(
        OAuth2Logout(settings, context, for: HTTPRequest(method: "GET", url: "https://api.test")))
      logout.begin()
      harness.settle()
      #expect(logout.outcome == .revoked)
      let body = harness.provider.requests.last?.body ?? []
      #expect(
        String(decoding: body, as: UTF8.self)
          == "client_id=me&token=‹secret refresh token›&token_type_hint=refresh_token")
      harness.advance(by: 100)
      let polls = polls
      #expect(sent(auth) == "there is no login 'shop' yet; run 'lull login shop'")
      #expect(self.polls == polls)
      directory.remove()
    }

    @Test func `OAU-15 OAU-60 a revocation that is refused with status 200 is not one`() throws {
      try loggedIn(100)
      harness.provider.stub(
        "POST", "https://login.test/revoke", .json(#"{"ok":false,"error":"invalid_auth"}"#))
      let logout = try #require(
        OAuth2Logout(settings, context, for: HTTPRequest(method: "GET", url: "https://api.test")))
      logout.begin()
      harness.settle()
      #expect(
        logout.outcome
          == .unrevoked(
            "not revoked at https://login.test/revoke: it responded with 200, invalid_auth"))
      directory.remove()
    }

    @Test func `OAU-15 what cannot be revoked is removed all the same`() throws {
      try loggedIn(100)
      harness.provider.stub("POST", "https://login.test/revoke", .init(status: 503))
      let logout = try #require(
        OAuth2Logout(settings, context, for: HTTPRequest(method: "GET", url: "https://api.test")))
      logout.begin()
      harness.settle()
      #expect(
        logout.outcome
          == .unrevoked("not revoked at https://login.test/revoke: it responded with 503"))
      #expect(access(directory.path + "/tokens/shop.json", F_OK) != 0)
      logout.begin()
      harness.settle()
      #expect(logout.outcome == .absent)
      directory.remove()
    }

    @Test func `OAU-18 each login is somebody else`() throws {
      func identity() -> String { SecretIdentity.text(of: OAuth2(settings).auth.identity) }
      let none = identity()
      try loggedIn(100)
      let first = identity()
      #expect(first != none)
      #expect(first == identity())
      harness.advance(by: 100)
      answers(.json(#"{"access_token":"t2","expires_in":100}"#))
      #expect(sent(OAuth2(settings)) == "Bearer ‹secret access token›")
      #expect(identity() == first)
      try loggedIn(100)
      #expect(identity() != first)
      directory.remove()
    }
  }
}
