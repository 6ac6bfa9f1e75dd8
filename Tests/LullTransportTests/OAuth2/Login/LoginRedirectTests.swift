import Testing

@testable import LullTransport

/// Which requests the listener takes, by tables. (RFC 6749, section 4.1.2; RFC 9207)
@Suite(.timeLimit(.minutes(20)))
struct LoginRedirectTests {
  private static let host = "127.0.0.1:4321"

  private func verdict(
    _ line: String, _ headers: String = "Host: \(host)", issuer: String? = nil
  ) -> LoginRedirect.Verdict? {
    LoopbackRequest(head: (line + (headers.isEmpty ? "" : "\r\n" + headers)).utf8).map { request in
      LoginRedirect(host: Self.host, path: "/callback", state: "s+ate/", issuer: issuer)
        .verdict(on: request)
    }
  }

  private func get(_ query: String, issuer: String? = nil) -> LoginRedirect.Verdict? {
    verdict("GET /callback?\(query) HTTP/1.1", issuer: issuer)
  }

  @Test(arguments: [
    ("GET /callback?code=a%2Bb&state=s%2Bate/ HTTP/1.1", "a+b"),
    ("GET /callback?state=s%2Bate%2F&code=a+b&more=1&more=2 HTTP/1.0", "a b"),
    ("GET /callback?&code=%C3%A9&&state=s%2Bate/&iss=https://who.ever HTTP/1.1", "é"),
  ])
  func `OAU-05 a request with the code and the state is taken`(line: String, code: String) {
    #expect(verdict(line) == .code(code))
  }

  @Test(arguments: [
    ("GET / HTTP/1.1", 404), ("GET /callback/ HTTP/1.1", 404), ("GET /favicon.ico HTTP/1.1", 404),
    ("GET /Callback?code=a&state=s%2Bate/ HTTP/1.1", 404),
    ("GET //callback?code=a&state=s%2Bate/ HTTP/1.1", 404),
    ("POST /callback?code=a&state=s%2Bate/ HTTP/1.1", 405),
    ("HEAD /callback?code=a&state=s%2Bate/ HTTP/1.1", 405),
    ("GET /callback HTTP/1.1", 400), ("GET /callback?code=a HTTP/1.1", 400),
    ("GET /callback?code=a&state= HTTP/1.1", 400),
    ("GET /callback?code=a&state=s+ate/ HTTP/1.1", 400),
    ("GET /callback?code=a&state=s%2Bate HTTP/1.1", 400),
    ("GET /callback?error=access_denied HTTP/1.1", 400),
    ("GET /callback?error=access_denied&state=other HTTP/1.1", 400),
    ("GET /callback?code=a&code=b&state=s%2Bate/ HTTP/1.1", 400),
    ("GET /callback?code=a&state=s%2Bate/&state=s%2Bate/ HTTP/1.1", 400),
    ("GET /callback?code=a&state=s%2Bate/&iss=a&iss=b HTTP/1.1", 400),
    ("GET /callback?code=%zz&state=s%2Bate/ HTTP/1.1", 400),
    ("GET /callback?code=%C3&state=s%2Bate/ HTTP/1.1", 400),
    ("GET /callback?code=a%2&state=s%2Bate/ HTTP/1.1", 400),
  ])
  func `OAU-05 any other is answered so and changes nothing`(line: String, status: Int) throws {
    guard case .wrong(let given, let reason) = try #require(verdict(line)) else {
      Issue.record("it was taken")
      return
    }
    #expect(given == status)
    #expect(!reason.isEmpty)
  }

  @Test(arguments: [
    "", "Host: localhost:4321", "Host: 127.0.0.1", "Host: evil.test:4321",
    "Host: 127.0.0.1:4321\r\nHost: 127.0.0.1:4321", "Host: 127.0.0.1:4321\r\nhost: evil.test",
  ])
  func `OAU-05 it takes no request by another name`(headers: String) {
    let verdict = verdict("GET /callback?code=a&state=s%2Bate/ HTTP/1.1", headers)
    guard case .wrong(400, _)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
  }

  @Test(arguments: [
    "", "GET", "GET /", "GET / HTTP/2", "GET / HTTP/1.1 more", "GET callback HTTP/1.1",
    "GET http://127.0.0.1:4321/callback HTTP/1.1", " GET / HTTP/1.1",
    "\u{16}\u{3}\u{1} / HTTP/1.1x",
  ])
  func `OAU-05 what is no request is none`(line: String) {
    #expect(LoopbackRequest(head: line.utf8) == nil)
  }

  @Test func `OAU-05 a header without a name is none`() {
    #expect(LoopbackRequest(head: "GET / HTTP/1.1\r\nHost".utf8) == nil)
    #expect(LoopbackRequest(head: "GET / HTTP/1.1\r\n: a".utf8) == nil)
  }

  @Test(arguments: [
    ("error=access_denied", "the server reports access_denied"),
    (
      "error=access_denied&error_description=not%0Atoday+%1B",
      "the server reports access_denied: not today \u{1B}"
    ),
    ("error=x&code=a", "the server reports x"), ("code=", "the response has no code"),
    ("a=b", "the response has no code"),
  ])
  func `OAU-06 a refusal ends it with the server's words`(query: String, reason: String) {
    #expect(get("state=s%2Bate/&" + query) == .refused(reason))
  }

  @Test(arguments: [
    ("code=a", "the response does not name its issuer ('iss')"),
    (
      "code=a&iss=https://evil.test",
      "the response is from 'https://evil.test', not from 'https://a.test' ('iss')"
    ),
    (
      "code=a&iss=https://a.test/",
      "the response is from 'https://a.test/', not from 'https://a.test' ('iss')"
    ),
    ("error=x&iss=https://a.test", "the server reports x"),
  ])
  func `OAU-07 an answer of another issuer is none`(query: String, reason: String) {
    #expect(get("state=s%2Bate/&" + query, issuer: "https://a.test") == .refused(reason))
  }

  @Test func `OAU-07 an answer of the issuer is taken`() {
    let verdict = get("state=s%2Bate/&code=a&iss=https%3A%2F%2Fa.test", issuer: "https://a.test")
    #expect(verdict == .code("a"))
  }

  @Test func `OAU-09 a page has nothing of others in it but as text and is not kept`() {
    let answer = LoopbackAnswer(.refused("the server reports <script>alert('a & \"b\"')</script>"))
    let text = String(decoding: answer.bytes, as: UTF8.self)
    #expect(
      text.contains("&lt;script&gt;alert(&#39;a &amp; &quot;b&quot;&#39;)&lt;/script&gt;"))
    #expect(!text.contains("<script"))
    #expect(text.contains("\r\nCache-Control: no-store\r\n"))
    #expect(text.contains("\r\nReferrer-Policy: no-referrer\r\n"))
    let body = text.firstRange(of: "\r\n\r\n").map { text[$0.upperBound...] } ?? ""
    #expect(text.contains("\r\nContent-Length: \(body.utf8.count)\r\n"))
  }
}
