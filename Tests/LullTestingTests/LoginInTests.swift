import LullCore
import LullTesting
import LullTransport
import Testing

/// Logins, where no event loop is.
@Suite(.timeLimit(.minutes(20))) struct LoginInTests {
  @Test func `OLS-08 a login by device is tested with stubs and the clock`() throws {
    let file = "/tmp/lull-login-\(UInt64.random(in: 0 ... .max)).json"
    try Lull.test { test in
      let login = "https://login.test"
      test.network.stub(
        "POST", login + "/device",
        .json(
          #"{"device_code":"d1","user_code":"AB-CD","verification_uri":"https://login.test/go"}"#))
      test.network.stub(
        "POST", login + "/token", .json(#"{"error":"authorization_pending"}"#, status: 400),
        .json(#"{"access_token":"t1","refresh_token":"r1"}"#))
      test.network.stub("GET", "https://api.test/me", .text("Ann"))
      let api = test.service()
      let auth = try Auth.oauth2Device(
        deviceURL: login + "/device", tokenURL: login + "/token", clientID: "me", name: "shop",
        tokenFile: file, revocationURL: login + "/revoke")
      test.network.stub("POST", login + "/revoke", .json("{}"))
      var codes: [String] = []
      // Its tokens are kept by another thread, which the clock of the test knows nothing of.
      async let _: Void = LoginInTests.tick(test)
      let result = try await auth.logIn(over: api) { prompt in
        if case .enter(let code, _, _) = prompt { codes.append(code) }
      }
      api.configure { $0.auth = result.auth }
      #expect(codes == ["AB-CD"])
      let name = try await api.resource("/me").load().entity().text
      #expect(name == "Ann")
      let end = try await auth.logOut(over: api)
      #expect(end == .revoked)
    }
  }

  /// Lets time pass until the test goes on.
  private static func tick(_ test: isolated LullTest) async {
    while !Task.isCancelled {
      await test.advance(by: 1)
      await Task.yield()
    }
  }

  @Test func `OLS-08 a login by code needs an event loop and says so`() throws {
    try Lull.test { test in
      let auth = try Auth.oauth2Code(
        authorizationURL: "https://login.test/a", tokenURL: "https://login.test/t", clientID: "me",
        name: "shop", tokenFile: "/tmp/lull-login-\(UInt64.random(in: 0 ... .max)).json")
      do throws(TransportError) {
        _ = try await auth.logIn(over: test.service()) { _ in }
        Issue.record("it did not throw")
      } catch {
        #expect(error.message.contains("cannot listen on 127.0.0.1: its socket cannot be watched"))
      }
    }
  }
}
