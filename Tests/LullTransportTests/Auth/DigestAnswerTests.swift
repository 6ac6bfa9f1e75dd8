import LullCore
import Testing

@testable import LullTransport

/// Answers to digest challenges: examples of RFC 2617 and RFC 7616, and what those leave out.
@Suite(.timeLimit(.minutes(20)))
struct DigestAnswerTests {
  private func challenge(_ text: String) throws -> DigestChallenge {
    try #require(DigestChallenge.best(of: AuthChallenge.all(in: [text])))
  }

  private func answer(
    _ text: String, user: String = "Mufasa", password: String = "Circle of Life",
    uri: String = "/dir/index.html", nonce: String, number: Int = 1, body: String? = nil
  ) throws -> [String: String] {
    let challenge = try challenge(text)
    let bodyDigest = body.flatMap { challenge.algorithm.of($0) }
    let answer = try DigestAnswer(
      challenge, user: Array(user.utf8), password: Array(password.utf8),
      method: body == nil ? "GET" : "POST", uri: uri, number: number, nonce: nonce,
      bodyDigest: bodyDigest)
    let header = String(decoding: answer.header, as: UTF8.self)
    return try #require(AuthChallenge.all(in: [header]).first).parameters
  }

  private static let long = """
    Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=ALGORITHM, \
    nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
    opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    """

  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
  ])
  func `DIG-02 it is what RFC 7616 says`(_ algorithm: String, _ response: String) throws {
    let said = try answer(
      DigestAnswerTests.long.replacing("ALGORITHM", with: algorithm),
      nonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    #expect(said["response"] == response)
    #expect(said["username"] == "Mufasa" && said["uri"] == "/dir/index.html")
    #expect(said["algorithm"] == algorithm && said["qop"] == "auth" && said["nc"] == "00000001")
    #expect(said["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
  }

  @Test func `DIG-02 a user may be hidden`() throws {
    let said = try answer(
      """
      Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
      nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
      opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDssOS", charset=UTF-8, userhash=true
      """, user: "Jäsøn Doe", password: "Secret, or not?", uri: "/doe.json",
      nonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
    #expect(
      said["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
    #expect(said["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
    #expect(said["userhash"] == "true")
  }

  @Test func `DIG-02 whole bodies, sessions and the old way are answered`() throws {
    let whole = try answer(
      #"Digest realm="http-auth@example.org", nonce="n", qop="auth-int""#, uri: "/x?y=1",
      nonce: "c", number: 2, body: "body")
    #expect(whole["response"] == "263d3dc3180671a38d9d3fe4c54413cc")
    #expect(whole["qop"] == "auth-int" && whole["nc"] == "00000002" && whole["algorithm"] == nil)
    let session = try answer(
      #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256-sess"#, password: "p", uri: "/",
      nonce: "c")
    #expect(
      session["response"] == "7dd5113bd6ebaea82ad09a7eacce47043ca5ba35c2922418b436290c7f55ef51")
    let old = try answer(
      #"Digest realm="r", nonce="n""#, user: "u", password: "p", uri: "/", nonce: "c")
    #expect(old["response"] == "f23121ca97143c6b358da620220c83b4")
    #expect(old["cnonce"] == nil && old["nc"] == nil && old["qop"] == nil)
  }

  @Test func `DIG-02 names are quoted as the header demands`() throws {
    let said = try answer(
      #"Digest realm="a \"b\" \\c", nonce="n", qop=auth"#, user: #"me "x" \y"#, uri: "/", nonce: "c"
    )
    #expect(said["realm"] == #"a "b" \c"#)
    #expect(said["username"] == #"me "x" \y"#)
    let foreign = try answer(
      #"Digest realm="r", nonce="n", qop=auth, charset=UTF-8"#, user: "Jä s", uri: "/", nonce: "c")
    #expect(foreign["username*"] == "UTF-8''J%C3%A4%20s" && foreign["username"] == nil)
    #expect(throws: TransportError.self) {
      _ = try answer(#"Digest realm="r", nonce="n""#, user: "a\nb", uri: "/", nonce: "c")
    }
  }

  @Test func `DIG-03 of several challenges the strongest is answered`() throws {
    let all = AuthChallenge.all(in: [
      #"Basic realm="x", Digest realm="r", nonce="1", algorithm=MD5, qop="auth""#,
      #"Negotiate YII/==, Digest realm="r", nonce=2, algorithm=SHA-256, qop="auth,auth-int""#,
      #"Digest realm="r", nonce="3", algorithm=SHA-256, qop="auth""#,
      #"Digest realm="r", nonce="4", algorithm=SHA3, Bearer"#,
    ])
    #expect(
      all.map(\.scheme) == ["basic", "digest", "negotiate", "digest", "digest", "digest", "bearer"])
    #expect(DigestChallenge.best(of: all)?.nonce == "2")
    #expect(DigestChallenge.best(of: [all[0], all[2], all[5]]) == nil)
  }

  @Test(arguments: [
    "", ",", " , ,", "Digest", "Digest nonce", "Digest nonce=", #"Digest nonce=""#, "=",
    #"Digest realm="r"#, #"Digest qop="none", nonce="n""#, "Digest \u{0}=\u{1}",
    #"Digest realm="\"#, String(repeating: "Digest a=\"b\", ", count: 2000),
  ])
  func `DIG-03 what is no challenge asks for nothing`(_ text: String) {
    let best = DigestChallenge.best(of: AuthChallenge.all(in: [text]))
    #expect(best == nil || best?.nonce == "")
  }

  @Test func `DIG-04 each request has a number of its own`() throws {
    let session = DigestSession(try challenge(#"Digest realm="r", nonce="n", qop=auth"#))
    let signature = DigestSignature(
      session, user: SecretText("u"), password: SecretText("p"), bodyDigest: nil)
    var counts: [String] = []
    var nonces: Set<String> = []
    for _ in 0..<20 {
      var request = HTTPRequest(method: "GET", url: "https://api.test/a?b#c")
      try signature.sign(&request, at: 0) { text throws(TransportError) in Array(text.masked.utf8) }
      let said = try #require(
        AuthChallenge.all(in: request.headers.values("authorization")).first)
      counts.append(said["nc"] ?? "")
      nonces.insert(said["cnonce"] ?? "")
      #expect(said["uri"] == "/a?b")
    }
    #expect(counts.first == "00000001" && counts.last == "00000014")
    #expect(nonces.count == 20)
  }
}
