import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// Tokens on a manual clock, from a stubbed endpoint.
@Suite(.timeLimit(.minutes(20)))
struct OAuth2Tests {
  private let harness = Harness()
  private static let endpoint = "https://login.test/token"

  private func configure(_ grant: OAuth2.Settings.Grant = .clientCredentials, inBody: Bool = false)
  {
    var settings = OAuth2.Settings(
      tokenURL: OAuth2Tests.endpoint, clientID: "me & you",
      clientSecret: SecretText(Secret(.environment("CLIENT"))), grant: grant)
    settings.scope = "read write"
    settings.sendsSecretInBody = inBody
    let auth = OAuth2(settings).auth
    harness.service.configure { $0.auth = auth }
  }

  private func answers(_ answers: StubProvider.Answer...) {
    harness.provider.stub("POST", OAuth2Tests.endpoint, answers: answers)
  }

  private func token(_ name: String, expires: String = "100", more: String = "")
    -> StubProvider.Answer
  {
    .json(
      "{\"access_token\":\"\(name)\",\"token_type\":\"bearer\",\"expires_in\":\(expires)\(more)}")
  }

  private var sent: [String] {
    harness.provider.requests.map { request in
      let auth = request.headers.secretValues.map { name, text in
        let literals = text.secrets.map { secret in
          if case .literal(let text) = secret.source { text } else { secret.mask }
        }
        return literals.joined(separator: ",")
      }
      return "\(request.method) \(LogText.url(request.url)) \(auth.joined())"
    }
  }

  @Test func `the first who needs a token asks and all others wait`() {
    configure()
    answers(token("t1"))
    harness.stub("GET", "/a", .text("data"))
    let requests = (0..<3).map { _ in harness.service.resource("/a").request("GET") }
    harness.settle()
    #expect(requests.map { $0.response?.entity?.text } == ["data", "data", "data"])
    let ask = "POST https://login.test/token ‹secret CLIENT›"
    #expect(sent == [ask] + Array(repeating: "GET https://api.test/v1/a t1", count: 3))
    harness.finish()
  }

  @Test func `a token request is what RFC 6749 says`() throws {
    configure()
    answers(token("t1"))
    harness.stub("GET", "/a", .text("data"))
    harness.service.resource("/a").load()
    harness.settle()
    let request = try #require(harness.provider.requests.first)
    #expect(request.body == Array("grant_type=client_credentials&scope=read%20write".utf8))
    #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
    let value = try #require(request.headers.secretValues.first?.text)
    let pair =
      SecretText("me%20%26%20you:")
      + SecretText(escaping: SecretText(Secret(.environment("CLIENT"))))
    #expect(value == SecretText("Basic ") + SecretText([.base64(pair)]))
    #expect(request.secrets?.origin == "https://login.test")
    harness.finish()
  }

  @Test
  func
    `a token request takes the way of the request that waits but shows its certificate to nobody else`()
    throws
  {
    configure()
    var network = TransferOptions()
    network.connection.proxy = .url("http://proxy.test:3128")
    network.connection.certificateAuthorities = "private.pem"
    network.connection.clientCertificate = "me.pem"
    network.connection.clientKey = "me.key"
    harness.service.configure { $0.setOptions { $0 = network } }
    answers(token("t1"))
    harness.stub("GET", "/a", .text("data"))
    harness.service.resource("/a").load()
    harness.settle()
    let ways = try harness.provider.requests.map { try #require($0.options).connection }
    var expected = network.connection
    #expect(ways.last == expected)
    expected.clientCertificate = nil
    expected.clientKey = nil
    #expect(ways.first == expected)
    #expect(ways.count == 2)
    harness.finish()
  }

  @Test func `the secret may go into the body`() throws {
    configure(inBody: true)
    answers(token("t1"))
    harness.stub("GET", "/a", .text("data"))
    harness.service.resource("/a").load()
    harness.settle()
    let request = try #require(harness.provider.requests.first)
    #expect(request.headers["authorization"] == nil)
    #expect(
      String(decoding: request.body ?? [], as: UTF8.self)
        == "client_id=me%20%26%20you&client_secret=‹secret CLIENT›&grant_type=client_credentials"
        + "&scope=read%20write")
    #expect(request.secretPlaces.map(\.place) == ["the body"])
    harness.finish()
  }

  @Test func `a token is renewed in the last tenth of its life`() {
    configure()
    answers(token("t1"), token("t2", expires: "\"1000\""), token("t3"))
    harness.stub("GET", "/a", .text("data"))
    func load() -> String? {
      harness.service.resource("/a").load()
      harness.settle()
      return sent.last
    }
    #expect(load()?.hasSuffix("t1") == true)
    harness.advance(by: 89)
    #expect(load()?.hasSuffix("t1") == true)
    harness.advance(by: 1.5)
    #expect(load()?.hasSuffix("t2") == true)
    // At most half a minute.
    harness.advance(by: 969)
    #expect(load()?.hasSuffix("t2") == true)
    harness.advance(by: 2)
    #expect(load()?.hasSuffix("t3") == true)
    harness.finish()
  }

  @Test func `a 401 renews the token once for all who had the old one`() {
    configure()
    answers(token("t1"), token("t2"))
    harness.provider.stub(
      "GET", "https://api.test/v1/a",
      answers: [.init(status: 401), .init(status: 401), .text("data")])
    let requests = (0..<2).map { _ in harness.service.resource("/a").request("GET") }
    harness.settle()
    #expect(requests.map { $0.response?.entity?.text } == ["data", "data"])
    #expect(sent.filter { $0.hasPrefix("POST") }.count == 2)
    #expect(sent.suffix(2).allSatisfy { $0.hasSuffix("t2") })
    harness.finish()
  }

  @Test func `a second 401 is the answer`() {
    configure()
    answers(token("t1"), token("t2"))
    harness.stub("GET", "/a", .init(status: 401))
    let request = harness.service.resource("/a").load()
    harness.settle()
    #expect(request.response?.error?.httpStatusCode == 401)
    #expect(sent.count == 4)
    harness.finish()
  }

  @Test func `a new refresh token takes the place of the old`() throws {
    configure(.refresh(SecretText(Secret(.literal("first"), name: "first"))))
    answers(token("t1", more: ",\"refresh_token\":\"second\""), token("t2"), token("t3"))
    harness.stub("GET", "/a", .text("data"))
    for _ in 0..<3 {
      harness.service.resource("/a").load()
      harness.settle()
      harness.advance(by: 100)
    }
    let bodies = harness.provider.requests.filter { $0.method == "POST" }.map { request in
      request.secretBody?.secrets.map { secret in
        if case .literal(let text) = secret.source { text } else { "" }
      }
    }
    #expect(bodies == [["first"], ["second"], ["second"]])
    harness.finish()
  }

  @Test(arguments: [
    (
      StubProvider.Answer.json(
        "{\"error\":\"invalid_client\",\"error_description\":\"no\"}", status: 401),
      "no token from https://login.test/token: it responded with 401, invalid_client: no"
    ),
    (.text("<html>"), "no token from https://login.test/token: its response has no access_token"),
    (
      .json("{\"access_token\":\"\"}"),
      "no token from https://login.test/token: its response has no access_token"
    ),
    (
      .json("{\"access_token\":\"a\\nb\"}"),
      "no token from https://login.test/token: its response has no access_token"
    ),
    (
      .json("{\"access_token\":\"t\",\"token_type\":\"mac\"}"),
      "https://login.test/token returned a token of type 'mac', not a bearer token"
    ),
    (
      .failure(TransportError(.timeout, "too slow")),
      "no token from https://login.test/token: too slow"
    ),
  ])
  func `without a token the request fails unsent and the next one asks again`(
    _ answer: StubProvider.Answer, _ message: String
  ) {
    configure()
    answers(answer, token("t1"))
    harness.stub("GET", "/a", .text("data"))
    let request = harness.service.resource("/a").load()
    harness.settle()
    #expect(request.response?.error?.cause?.kind == "auth_failed")
    #expect(request.response?.error?.userMessage == message)
    #expect(sent.count == 1)
    let next = harness.service.resource("/a").load()
    harness.settle()
    #expect(next.response?.entity?.text == "data")
    harness.finish()
  }

  @Test(arguments: [
    (#"{"error":"bad_verification_code","error_description":"no"}"#, "bad_verification_code: no"),
    // With a token beside it.
    (#"{"access_token":"t","error":"invalid_client"}"#, "invalid_client"),
    (#"{"ok":false,"error":"invalid_code"}"#, "invalid_code"),
    (#"{"ok":false,"access_token":"t"}"#, nil),
    (#"{"error":{"code":400,"status":"INVALID","message":"words"}}"#, "INVALID: words"),
    (#"{"error":{"message":"words"}}"#, ": words"),
    (#"{"error":40029}"#, "40029"),
    (#"{"error":true}"#, nil),
  ])
  func `OAU-60 an error in an answer with status 200 is an error`(_ body: String, _ words: String?)
  {
    for grant in [
      OAuth2.Settings.Grant.clientCredentials,
      .refresh(SecretText(Secret(.literal("first"), name: "first"))),
    ] {
      configure(grant)
      answers(.json(body), token("t1"))
      harness.stub("GET", "/a", .text("data"))
      let request = harness.service.resource("/a").load()
      harness.settle()
      let end = words.map { $0.hasPrefix(":") ? $0 : ", \($0)" } ?? ""
      #expect(
        request.response?.error?.userMessage
          == "no token from https://login.test/token: it responded with 200\(end)")
      harness.service.resource("/a").load()
      harness.settle()
    }
    harness.finish()
  }

  @Test(arguments: [
    #""error":null"#, #""error":"""#, #""error":false"#, #""error":0"#, #""ok":true"#,
  ])
  func `OAU-60 an error that is none does not count`(_ member: String) {
    configure()
    answers(.json(#"{"access_token":"t1",\#(member)}"#))
    harness.stub("GET", "/a", .text("data"))
    harness.service.resource("/a").load()
    harness.settle()
    #expect(sent.last?.hasSuffix("t1") == true)
    harness.finish()
  }

  @Test func `OAU-61 an answer that is a form is read as one`() {
    configure()
    let type = "application/x-www-form-urlencoded; charset=utf-8"
    answers(
      .text("error=bad_verification_code&error_description=The+code+is%20wrong", type: type),
      .text("access_token=t1&token_type=bearer&expires_in=100&scope=", type: type))
    harness.stub("GET", "/a", .text("data"))
    let request = harness.service.resource("/a").load()
    harness.settle()
    #expect(
      request.response?.error?.userMessage
        == "no token from https://login.test/token: it responded with 200, bad_verification_code: "
        + "The code is wrong")
    harness.service.resource("/a").load()
    harness.settle()
    #expect(sent.last?.hasSuffix("t1") == true)
    harness.finish()
  }

  @Test(arguments: [
    ("invalid_client", false), ("access_denied", false), ("server_error", true),
    ("temporarily_unavailable", true), ("", true),
  ])
  func `OAU-62 an error that stays is final, whatever the status`(name: String, mayPass: Bool) {
    let body = Array("{\"error\":\"\(name)\"}".utf8)
    let answer = OAuth2Answer(
      NetworkResult(response: HTTPResponse(status: 503), body: body),
      from: OAuth2Tests.endpoint, hiding: SecretSearch())
    #expect(answer.mayPass == mayPass)
  }

  @Test func `who is cancelled while waiting is not sent`() {
    configure()
    answers(token("t1"))
    harness.stub("GET", "/a", .text("data"))
    let one = harness.service.resource("/a").request("GET")
    let two = harness.service.resource("/a").request("GET")
    one.cancel()
    harness.settle()
    #expect(one.response?.error?.cause?.kind == "request_cancelled")
    #expect(two.response?.entity?.text == "data")
    #expect(sent.count == 2)
    harness.finish()
  }

  @Test func `a request to another origin is not sent`() {
    configure()
    answers(token("t1"))
    let request = harness.service.resource(absoluteURL: "https://evil.test/").load()
    harness.settle()
    #expect(request.response?.error?.cause?.kind == "secret_origin")
    #expect(!sent.contains { $0.hasPrefix("GET") })
    harness.finish()
  }
}
