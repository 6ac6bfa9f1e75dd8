import LullCore
import Testing

/// Hosts in the one form in which they are compared and looked up.
@Suite(.timeLimit(.minutes(20)))
struct HostNameTests {
  @Test(arguments: [
    ("Example.COM", "example.com"), ("ex%61mple.com", "example.com"),
    ("example.com.", "example.com."),
    ("foo_bar", "foo_bar"), ("a--b", "a--b"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
    ("bu\u{308}cher.example", "xn--bcher-kva.example"),
    ("b%C3%BCcher.example", "xn--bcher-kva.example"), ("faß.de", "xn--fa-hia.de"),
    ("日本語。jp.", "xn--wgv71a119e.jp."), ("☕.example", "xn--53h.example"),
    ("ｅxample.com", "example.com"), ("a\u{AD}b.ü", "ab.xn--tda"), ("bü_ro.de", "xn--b_ro-0ra.de"),
    ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
    ("0X7F.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
    ("127.0.0.1.", "127.0.0.1"), ("0x7f.1.", "127.0.0.1"), ("%31%32%37.1", "127.0.0.1"),
    ("１２７.1", "127.0.0.1"), ("0", "0.0.0.0"), ("4294967295", "255.255.255.255"),
    ("1.2.3.4a", "1.2.3.4a"), ("1.a", "1.a"), ("0xg", "0xg"), ("a.0x", "a.0x"),
    ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"),
    ("[::FFFF:127.0.0.1]", "[::ffff:127.0.0.1]"),
    ("[fe80::1%25Eth0]", "[fe80::1%25Eth0]"), ("[fe80::1%eth0]", "[fe80::1%25eth0]"),
  ])
  func `SVC-40 all spellings of a host are one`(_ host: String, _ expected: String) throws {
    #expect(try HostName.canonical(Array(host.utf8)) == expected)
  }

  @Test(arguments: [
    ("", "it is empty"), ("\u{AD}", "a label is empty"),
    ("a%2fb", "character"), ("a%00b", "character"), ("a b", "character"), ("a%25", "character"),
    ("a%40b", "character"), ("a\\b", "character"), ("℀.com", "character"), ("a.℀", "character"),
    ("a%", "character"), ("ü%00", "zero byte"), ("%FE", "not UTF-8"),
    ("ü..a", "a label is empty"),
    (".ü", "a label is empty"), ("-ü.de", "hyphen"), ("xn--a.ü", ""), ("\u{200D}a.de", ""),
    (String(repeating: "ü", count: 70), ""), (String(repeating: "ü.", count: 200), ""),
    ("256.1.1.1", "IPv4"), ("1.2.3.4.5", "IPv4"), ("1.2.3.08", "IPv4"), ("4294967296", "IPv4"),
    ("1..2", "IPv4"), ("a.1", "IPv4"), ("1.256.1", "IPv4"), ("0x100000000", "IPv4"),
    ("99999999999999999999", "IPv4"),
    ("[::1", "]"), ("[]", "IPv6"), ("[1:2]", "IPv6"), ("[::1]x", "]"), ("[::1%]", "zone"),
    ("[::1%25a/b]", "zone"), ("[::1%25a%20b]", "zone"), ("[localhost:1]", "IPv6"),
    ("[v1.a:b]", "IPv6"), ("[::ffff:0x7f.1]", "IPv6"),
  ])
  func `SVC-40 what is no host says why`(_ host: String, _ reason: String) throws {
    let problem = #expect(throws: HostName.Problem.self) {
      try HostName.canonical(Array(host.utf8))
    }
    let message = try #require(problem?.message)
    #expect(message.utf8.starts(with: "the host name '".utf8))
    #expect(message.contains("' is not valid ("))
    #expect(message.contains(reason), "\(message)")
  }
}
