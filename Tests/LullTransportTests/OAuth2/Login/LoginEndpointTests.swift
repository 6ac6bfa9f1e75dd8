import LullCore
import Testing

@testable import LullTransport

@Suite(.timeLimit(.minutes(20)))
struct LoginEndpointTests {
  @Test(arguments: [
    ("https://login.test/token", true), ("https://login.test:8443", true),
    ("http://localhost/token", true), ("http://LOCALHOST:81/", true),
    ("http://127.0.0.1:8080/", true), ("http://127.9.9.9/", true), ("http://[::1]:80/", true),
    ("http://2130706433/", true), ("http://login.test/token", false),
    ("http://localhost.evil.test/", false), ("http://127.0.0.1.evil.test/", false),
    ("http://128.0.0.1/", false), ("http://0.0.0.0/", false), ("http://[::2]/", false),
    ("ftp://localhost/", false), ("http://user@evil.test:80@localhost.test/", false),
  ])
  func `OAU-13 secrets go over TLS or no further than this machine`(url: String, isSafe: Bool) {
    #expect((ResourceURL(absolute: url).map { OAuth2Login.isSafe($0) } ?? false) == isSafe)
  }
}
