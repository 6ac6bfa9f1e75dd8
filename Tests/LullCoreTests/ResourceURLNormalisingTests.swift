import LullCore
import Testing

/// What becomes of a text before it is the URL of a resource.
@Suite(.timeLimit(.minutes(20)))
struct ResourceURLNormalisingTests {
  @Test(arguments: [
    ("http://foo.bar", "http://foo.bar/"), ("HTTP://u@Foo:80", "HTTP://u@Foo:80/"),
    ("http://foo.bar?x=/", "http://foo.bar/?x=/"), ("http://foo.bar#x", "http://foo.bar/#x"),
    ("http://[::1]:1?", "http://[::1]:1/?"), ("stub://api", "stub://api/"),
    ("mailto:", "mailto:"), ("//foo.bar", "//foo.bar"), ("?x", "?x"),
  ])
  func `SVC-16 SVC-26 behind a host an empty path is /`(_ text: String, _ expected: String) throws {
    #expect(ResourceURL(absolute: text)?.text == expected)
  }

  @Test(arguments: [
    ("http://bücher.example/é?ü#ö", "http://xn--bcher-kva.example/é?ü#ö"),
    ("HTTPS://Me:ü@BÜCHER.example:8080", "HTTPS://Me:ü@xn--bcher-kva.example:8080/"),
    ("http://b%C3%BCcher.example/%7e", "http://xn--bcher-kva.example/%7e"),
    ("http://ex%61mple.com/", "http://ex%61mple.com/"), ("http://１２７.1/", "http://127.0.0.1/"),
    ("stub://bücher/x", "stub://bücher/x"), ("//bücher/x", "//bücher/x"),
  ])
  func `SVC-40 an international host name is its A-label, and nothing else is rewritten`(
    _ text: String, _ expected: String
  ) throws {
    #expect(ResourceURL(absolute: text)?.text == expected)
  }

  @Test(arguments: [
    "http://℀.com/", "http://ü..de/", "https://a%2fb/", "http://%FE/", "http://-ü.de",
  ])
  func `SVC-40 a text whose host is no name is no URL, and it can be told why`(_ text: String)
    throws
  {
    #expect(ResourceURL(absolute: text) == nil)
    #expect(ResourceURL.base(text) == nil)
    let problem = try #require(ResourceURL.hostProblem(in: text))
    #expect(
      RequestError.Cause.invalidURL(source: text).message == "'\(text)' is not a URL: \(problem)")
  }

  @Test func `SVC-40 the problem of a text whose host is a name is another one`() {
    for text in ["http://a b/", "http://bücher.example/\n", "x", "stub://℀/"] {
      #expect(ResourceURL.hostProblem(in: text) == nil)
    }
  }

  @Test(
    arguments: [
      ([0x61, 0xFE], "a%FE"), ([0xFF], "%FF"), ([0xC3], "%C3"), ([0xC3, 0xA9, 0xC3], "é%C3"),
      ([0xE6, 0x97, 0x41], "%E6%97A"), ([0xED, 0xA0, 0x80], "%ED%A0%80"), ([], ""),
      ([0xF0, 0x9F, 0x98, 0x80, 0x80], "😀%80"), ([0xC0, 0x80, 0x25], "%C0%80%"),
    ] as [([UInt8], String)])
  func `SVC-41 bytes that are no UTF-8 are percent-encoded one by one, and all others stay`(
    _ bytes: [UInt8], _ expected: String
  ) {
    #expect(bytes.withUnsafeBufferPointer { ResourceURL.text(ofBytes: $0) } == expected)
  }

  @Test func `SVC-41 paths and references that are no UTF-8 stay apart`() throws {
    let base = try #require(ResourceURL.base("http://h/v1"))
    for byte in [0xFE, 0xFF] as [UInt8] {
      let path: [UInt8] = [0x2F, 0x61, byte]
      let escape = byte == 0xFE ? "%FE" : "%FF"
      path.withUnsafeBufferPointer { path in
        #expect(base.appending(pathBytes: path).text == "http://h/v1/a" + escape)
        #expect(base.relative(hrefBytes: path)?.text == "http://h/a" + escape)
      }
      let host: [UInt8] = [0x2F, 0x2F, byte, 0x2F]
      #expect(host.withUnsafeBufferPointer { base.relative(hrefBytes: $0) } == nil)
    }
  }

  @Test(arguments: [
    ("http://h/v1/../admin", true), ("http://h/v1/..", true), ("http://h/v1/a/../..", true),
    ("http://h/v1/a/../../b/c", true), ("http://h/v1/%2e%2E/x", true),
    ("http://h/v1/.%2e?x", true), ("http://h/v1/%2e.#x", true), ("http://h/v1/./../x", true),
    ("http://h/v1/%2e/..", true), ("http://h/v1/../v1/x", true),
    ("http://h/v1/a/..", false), ("http://h/v1/a/../b", false), ("http://h/v1//..", false),
    ("http://h/v1/...", false), ("http://h/v1/..a", false), ("http://h/v1/%252e%252e/", false),
    ("http://h/v1/a?x=/../..", false), ("http://h/v1/a#/../..", false), ("http://h/v1/", false),
    ("http://h/v1", false), ("http://h/admin", false), ("http://other/v1/../x", false),
  ])
  func `SVC-39 dot segments that lead above the base are noticed, escaped ones too`(
    _ text: String, _ expected: Bool
  ) throws {
    let base = try #require(ResourceURL.base("http://h/v1?k=1"))
    #expect(try #require(ResourceURL(absolute: text)).climbs(above: base) == expected)
  }

  @Test func `SVC-40 a pattern with an international host matches its URLs`() throws {
    let url = try #require(ResourceURL(absolute: "http://api.bücher.example:81/a"))
    for pattern in [
      "http://api.bücher.example:81/*", "http://*.bücher.example:81/a",
      "http://api.xn--bcher-kva.example:81/**", "http://**/a",
    ] {
      #expect(WildcardPattern(pattern, base: nil).matches(url), "\(pattern)")
    }
    #expect(!WildcardPattern("http://api.bucher.example:81/*", base: nil).matches(url))
    #expect(!WildcardPattern("http://℀/*", base: nil).matches(url))
  }
}
