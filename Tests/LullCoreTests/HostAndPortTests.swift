import LullCore
import Testing

/// Hosts, ports and proxies as settings name them.
struct HostAndPortTests {
  @Test(
    arguments: [
      ("example.com", "example.com", nil), ("Example.COM:443", "example.com", 443),
      ("127.0.0.1:80", "127.0.0.1", 80), ("::1", "::1", nil), ("[::1]:8080", "::1", 8080),
      ("[fe80::1]", "fe80::1", nil), ("bücher.example:1", "bücher.example", 1),
    ] as [(String, String, Int?)])
  func aHostAndPerhapsAPort(_ text: String, _ host: String, _ port: Int?) {
    let parsed = HostAndPort(text)
    #expect(parsed?.host == host)
    #expect(parsed?.port == port)
  }

  @Test(arguments: [
    "", ":80", "host:", "host:0", "host:65536", "host:+1", "a b", "a/b", "a@b",
    "[::1", "[::1]x", "[host]:1", "host:port", "a,b", "http://host",
  ])
  func whatIsNone(_ text: String) {
    #expect(HostAndPort(text) == nil)
  }

  @Test func itIsWrittenAsInURLs() {
    #expect(HostAndPort("::1")?.description == "[::1]")
    #expect(HostAndPort("[::1]:80")?.description == "[::1]:80")
    #expect(HostAndPort("A:80")?.description == "a:80")
  }

  @Test(arguments: [
    ("http://proxy:3128", "proxy:3128", 3128), ("HTTP://proxy/", "proxy", 1080),
    ("https://proxy", "proxy", 443), ("socks5h://me:p@ss@[::1]:1", "[::1]:1", 1),
  ])
  func aProxyIsToldFromItsURL(_ url: String, _ host: String, _ port: Int) {
    let proxy = ProxyAddress(url)
    #expect(proxy?.host.description == host)
    #expect(proxy?.port == port)
  }

  @Test(arguments: ["proxy:3128", "ftp://proxy", "http://", "http://proxy/path", "http://a b"])
  func whatIsNoProxy(_ url: String) {
    #expect(ProxyAddress(url) == nil)
  }

  @Test func optionsAreComparedByValueAndChangedApart() {
    var one = TransferOptions()
    let other = one
    one.recordsTimings = true
    #expect(!other.recordsTimings)
    #expect(one != other)
    one.recordsTimings = false
    #expect(one == other)
  }

  @Test func aConfigurationWithDefaultsHasNoOptions() {
    var settings = Configuration()
    settings.setOptions { $0.redirects = .answer }
    #expect(settings.options?.redirects == .answer)
    settings.setOptions { $0.redirects = .follow(atMost: 10) }
    #expect(settings.options == nil)
  }
}
