import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

/// OAuth2 as Swift programs write it.
@Suite(.timeLimit(.minutes(20)))
struct OAuth2MakingTests {
  private let harness = Harness()
  private static let endpoint = "https://login.test/token"

  private func load(_ auth: Auth) -> RequestError? {
    harness.service.configure { $0.auth = auth }
    harness.stub("GET", "/a", .text("data"))
    let request = harness.service.resource("/a").load()
    harness.settle()
    return request.response?.error
  }

  private var bodies: [String] {
    harness.provider.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) }
  }

  @Test func `SWF-13 credentials of the client bring a token, which is kept`() {
    harness.provider.stub(
      "POST", OAuth2MakingTests.endpoint,
      .json(#"{"access_token": "t1", "token_type": "bearer", "expires_in": 100}"#))
    let auth = Auth.oauth2ClientCredentials(
      tokenURL: OAuth2MakingTests.endpoint, clientID: "me", clientSecret: "s3", scope: "read",
      sendsSecretInBody: true)
    #expect(load(auth) == nil)
    #expect(load(auth) == nil)
    #expect(
      bodies == ["client_id=me&client_secret=s3&grant_type=client_credentials&scope=read", "", ""])
    #expect(!auth.description.contains("s3"))
    harness.finish()
  }

  @Test func `SWF-13 a refresh token begins it`() {
    harness.provider.stub(
      "POST", OAuth2MakingTests.endpoint,
      .json(#"{"access_token": "t1", "token_type": "bearer", "expires_in": 100}"#))
    let auth = Auth.oauth2Refresh(
      tokenURL: OAuth2MakingTests.endpoint, clientID: "me",
      refreshToken: SecretText(Secret(.literal("r1"), name: "first")), audience: "shop")
    #expect(load(auth) == nil)
    #expect(
      bodies.first?.hasSuffix("grant_type=refresh_token&refresh_token=‹secret first›") == true)
    #expect(bodies.first?.contains("audience=shop") == true)
    harness.finish()
  }

  @Test func `SWF-13 what is no URL of tokens fails the requests that need one`() {
    let auth = Auth.oauth2ClientCredentials(
      tokenURL: "nowhere", clientID: "me", clientSecret: "s3")
    guard case .transport(let error)? = load(auth)?.cause else {
      Issue.record("it must fail")
      return
    }
    #expect(error.kind == .authFailed)
    harness.finish()
  }
}
