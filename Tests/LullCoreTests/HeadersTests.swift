import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct HeadersTests {
  private func received(_ lines: String...) -> Headers {
    var headers = Headers()
    for line in lines {
      _ = Array(line.utf8).withUnsafeBufferPointer { headers.appendReceivedLine($0) }
    }
    return headers
  }

  @Test(
    arguments: [
      ("Foo-Bar", "baz"), ("foo-bar", "baz"), ("FOO-BAR", "baz"), ("Foo", nil), ("Foo-Bar2", nil),
      ("oo-Bar", nil), ("", nil),
    ] as [(String, String?)])
  func `ENT-07 lookup takes any letter case of the exact name`(name: String, expected: String?) {
    #expect(Headers([("Foo-Bar", "baz"), ("Other", "x")])[name] == expected)
  }

  @Test func `ENT-08 a value is its exact text`() {
    #expect(received("ETAG: W/\"a: b\"\r\n")["etag"] == "W/\"a: b\"")
    #expect(received("X:\r\n")["x"] == "")
    #expect(received("X:   a  b \t\r\n")["x"] == "a  b")
  }

  @Test func `ENT-09 names are in lower case, in order of arrival`() {
    let headers = Headers([("Zeta", "1"), ("ALPHA", "2"), ("zeta", "3")])
    #expect(headers.pairs.map { "\($0.name)=\($0.value)" } == ["zeta=1", "alpha=2", "zeta=3"])
  }

  @Test func `MUT-06 an omitted header stays away until it is added again`() {
    var headers = RequestHeaders([("User-Agent", "me"), ("X", "1")])
    headers.omit("USER-AGENT")
    headers.omit("Accept")
    headers.omit("accept")
    #expect(headers.pairs.map(\.name) == ["x"])
    #expect(headers.omitted == ["user-agent", "accept"])
    var others = RequestHeaders([("Accept", "a/b"), ("User-Agent", "you")])
    others.take("Accept", from: headers)
    others.take("X", from: headers)
    #expect(others.pairs.map { "\($0.name)=\($0.value)" } == ["user-agent=you", "x=1"])
    #expect(others.omitted == ["accept"])
    headers["Accept"] = "c/d"
    #expect(headers.omitted == ["user-agent"])
    headers.remove("User-Agent")
    #expect(headers.omitted == ["user-agent"])
  }

  @Test func `ENT-10 repeated headers are joined, but of Set-Cookie the first is given`() {
    let headers = received("Via: a", "Set-Cookie: x=1", "via: b", "SET-COOKIE: y=2", "VIA: c")
    #expect(headers["Via"] == "a, b, c")
    #expect(headers.values("via") == ["a", "b", "c"])
    #expect(headers["Set-Cookie"] == "x=1")
    #expect(headers.values("set-cookie") == ["x=1", "y=2"])
  }

  @Test func `setting a header replaces all of that name, nil removes them`() {
    var headers = Headers([("A", "1"), ("B", "2"), ("a", "3")])
    headers["A"] = "4"
    #expect(headers.values("a") == ["4"])
    #expect(headers["b"] == "2")
    headers["a"] = nil
    #expect(headers["a"] == nil)
    headers.remove("B")
    #expect(headers.isEmpty)
    #expect(headers == Headers())
  }

  @Test func `a value cannot smuggle in another header`() {
    let headers = Headers([("A", "1\r\nEvil: 2\0")])
    #expect(headers["a"] == "1Evil: 2")
    #expect(headers["evil"] == nil)
    #expect(headers.pairs.count == 1)
  }

  @Test(arguments: ["", "no colon", ": x", "\r\n"])
  func `received lines without a name are refused`(line: String) {
    var headers = Headers()
    let isTaken = Array(line.utf8).withUnsafeBufferPointer { headers.appendReceivedLine($0) }
    #expect(!isTaken)
    #expect(headers.isEmpty)
  }

  @Test(
    arguments: [
      ("", nil), ("a\tb c", nil), ("\u{e9}", nil),
      ("a\n", "must not contain line breaks or zero bytes"),
      ("\u{1}\r", "must not contain line breaks or zero bytes"),
      ("\0", "must not contain line breaks or zero bytes"),
      ("a\u{1b}b", "must not contain control characters"),
      ("\u{7f}", "must not contain control characters"),
      (" a", "must not begin or end with a space or tab"),
      ("a\t", "must not begin or end with a space or tab"),
    ] as [(String, String?)])
  func `REQ-29 a value that HTTP does not allow is told by what is wrong with it`(
    _ value: String, _ problem: String?
  ) {
    #expect(Headers.valueProblem(value.utf8) == problem)
  }

  @Test func `the first value can be read without making a string`() {
    let headers = Headers([("Content-Type", "text/plain"), ("content-type", "x")])
    #expect(headers.withFirstValue("Content-TYPE") { $0.count } == 10)
    #expect(headers.withFirstValue("content") { $0.count } == nil)
  }
}
