import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct ResourceURLPartsTests {
  @Test func `ENC-01 ENC-02 all parts of a URL`() throws {
    let url = try #require(
      ResourceURL(absolute: "HTTPS://a%3Ab:c%3Ad:e@Ex%41mple.com/x%2Fy?p=%31&p=2&&=v&q#%66"))
    var parts = ResourceURL.Parts()
    parts.scheme = "https"
    parts.user = Array("a:b".utf8)
    parts.password = Array("c:d:e".utf8)
    parts.host = "example.com"
    parts.port = 443
    parts.path = "/x%2Fy"
    parts.query = "p=%31&p=2&&=v&q"
    parts.fragment = "%66"
    parts.params = [("p", "1"), ("p", "2"), ("", "v"), ("q", "")].map {
      (Array($0.0.utf8), Array($0.1.utf8))
    }
    #expect(url.parts == parts)
  }

  @Test(arguments: [
    "", " ", "a b", "http://", "http:///x", "http://:80/", "http://x:/y z", "http://x:65536",
    "http://x:8o/", "http://[::1", "http://[::g]/", "http://a^b", "http://a|b@c/", "1:2", "a/b c",
    "x:\u{7F}",
    "http://%/", "http://\u{AD}/", "/\u{85}",
  ])
  func `ENC-01 what is no URL has a reason`(text: String) {
    #expect(ResourceURL(absolute: text) == nil)
    #expect(!ResourceURL.problem(in: text).isEmpty)
  }
}
