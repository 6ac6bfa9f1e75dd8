import LullCore
import Testing

/// Hosts, ports and proxies as settings name them.
@Suite(.timeLimit(.minutes(20)))
struct HostAndPortTests {
  @Test(
    arguments: [
      ("example.com", "example.com", nil), ("Example.COM:443", "example.com", 443),
      ("127.0.0.1:80", "127.0.0.1", 80), ("::1", "::1", nil), ("[::1]:8080", "::1", 8080),
      ("[fe80::1]", "fe80::1", nil), ("Bücher.example:1", "xn--bcher-kva.example", 1),
      ("127.1:80", "127.0.0.1", 80), ("0:0:0:0:0:0:0:1", "::1", nil),
      ("ex%61mple.com", "example.com", nil), ("[FE80::1%25eth0]:1", "fe80::1%25eth0", 1),
    ] as [(String, String, Int?)])
  func `a host and perhaps a port`(_ text: String, _ host: String, _ port: Int?) {
    let parsed = HostAndPort(text)
    #expect(parsed?.host == host)
    #expect(parsed?.port == port)
  }

  @Test(arguments: [
    "", ":80", "host:", "host:0", "host:65536", "host:+1", "a b", "a/b", "a@b",
    "[::1", "[::1]x", "[host]:1", "host:port", "a,b", "http://host", "[localhost:80]",
    "[1:2]", "1.2.3.4.5", "a%2fb", "a%00", "℀.com", "a\\b", "256.1.1.1",
  ])
  func `what is none`(_ text: String) {
    #expect(HostAndPort(text) == nil)
  }

  @Test func `it is written as in URLs`() {
    #expect(HostAndPort("::1")?.description == "[::1]")
    #expect(HostAndPort("[::1]:80")?.description == "[::1]:80")
    #expect(HostAndPort("A:80")?.description == "a:80")
  }

  @Test(arguments: [
    ("http://proxy:3128", "proxy:3128", 3128), ("HTTP://proxy/", "proxy", 1080),
    ("https://proxy", "proxy", 443), ("socks5h://me:p@ss@[::1]:1", "[::1]:1", 1),
    ("http://bücher.example:1", "xn--bcher-kva.example:1", 1),
  ])
  func `a proxy is told from its URL`(_ url: String, _ host: String, _ port: Int) {
    let proxy = ProxyAddress(url)
    #expect(proxy?.host.description == host)
    #expect(proxy?.port == port)
  }

  @Test(arguments: [
    ("HTTP://Proxy/", "http://proxy:1080"), ("https://[0::1]", "https://[::1]:443"),
    ("socks5://me:p@s:s%40@0x7f.1:7102", "socks5://me:p%40s%3As%40@127.0.0.1:7102"),
    ("http://127.0.0.1:1;@localhost:7101", "http://127.0.0.1:1%3B@localhost:7101"),
    ("http://ü%zz@p", "http://%C3%BC%25zz@p:1080"), ("http://@p:1", "http://@p:1"),
  ])
  func `the URL of a proxy is made anew from its parts`(_ url: String, _ written: String) {
    #expect(ProxyAddress(url)?.url == written)
  }

  @Test(arguments: [
    "proxy:3128", "ftp://proxy", "http://", "http://proxy/path", "http://a b",
    "http://127.0.0.1:7102/@localhost:7101", "http://127.0.0.1:7102?@localhost:7101",
    "http://127.0.0.1:7102#@localhost:7101", "http:///127.0.0.1:7102@localhost:7101",
    "http://127.0.0.1:7102\\@localhost:7101", "http://localhost:7101/@[::1]:7102",
    "socks5://127.0.0.1:7102/@localhost:7101", "http://[localhost:7101]:7102", "http:///proxy",
    "http:\\\\proxy", "http://a\tb@proxy", "http://proxy\\", "http://proxy?", "http://proxy#",
  ])
  func `what is no proxy`(_ url: String) {
    #expect(ProxyAddress(url) == nil)
  }

  @Test func `options are compared by value and changed apart`() {
    var one = TransferOptions()
    let other = one
    one.recordsTimings = true
    #expect(!other.recordsTimings)
    #expect(one != other)
    one.recordsTimings = false
    #expect(one == other)
  }

  @Test func `a configuration with defaults has no options`() {
    var settings = Configuration()
    settings.setOptions { $0.redirects = .answer }
    #expect(settings.options?.redirects == .answer)
    settings.setOptions { $0.redirects = .follow(atMost: 10) }
    #expect(settings.options == nil)
  }
}
