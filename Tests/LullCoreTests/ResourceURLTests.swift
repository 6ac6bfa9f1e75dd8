import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResourceURLTests {
  private func url(_ text: String) throws -> ResourceURL {
    try #require(ResourceURL(absolute: text))
  }

  private func base(_ text: String) throws -> ResourceURL {
    try #require(ResourceURL.base(text))
  }

  // MARK: Bases

  @Test(arguments: [
    ("http://foo.bar", "http://foo.bar/"),
    ("http://foo.bar/", "http://foo.bar/"),
    ("http://foo.bar/baz", "http://foo.bar/baz/"),
    ("http://foo.bar/baz/", "http://foo.bar/baz/"),
    ("http://foo.bar/?you=x", "http://foo.bar/?you=x"),
    ("http://foo.bar?you=x", "http://foo.bar/?you=x"),
    ("http://foo.bar/baz?you=x", "http://foo.bar/baz/?you=x"),
    ("http://foo.bar/baz/?you=/x", "http://foo.bar/baz/?you=/x"),
    ("http://foo.bar/baz//", "http://foo.bar/baz//"),
    ("http://foo.bar/baz#top", "http://foo.bar/baz/"),
    ("http://foo.bar/baz/?a=b#top", "http://foo.bar/baz/?a=b"),
    ("HTTP://Foo.Bar:8080/v1", "HTTP://Foo.Bar:8080/v1/"),
    ("http://[::1]:8080/v1", "http://[::1]:8080/v1/"),
    ("http://user:secret@foo.bar/v1", "http://user:secret@foo.bar/v1/"),
    ("stub://api", "stub://api/"),
  ])
  func `SVC-01 SVC-02 the path of a base ends in exactly one slash and its query stays`(
    text: String, expected: String
  ) {
    #expect(ResourceURL.base(text)?.text == expected)
  }

  @Test(arguments: [
    "", " ", "foo.bar", "foo.bar/v1", "localhost:8080/v1", "/v1", "//foo.bar/v1", "mailto:me",
    "http:", "http://", "http:///v1", "http://:80/", "http:foo.bar", "http://foo bar/",
    " http://foo.bar", "http://foo.bar/\n", "http://foo.bar/\0", "http://[::1", "http://::1/",
    "http://foo.bar:port/", "http://foo.bar:65536/", "1http://foo.bar",
  ])
  func `SVC-05 a text that is no URL gives no base`(text: String) {
    #expect(ResourceURL.base(text) == nil)
  }

  // MARK: Absolute URLs

  @Test(arguments: [
    "http://foo.bar/", "http://foo.bar/a/./b/../c?x=%7e#y", "HTTP://FOO.bar/", "./foo", "/foo",
    "foo", "../foo", "?a=b", "#top", "//foo.bar/baz", "./a:b", "a/b:c", "mailto:me@foo.bar",
    "http://foo.bar:/", "http://foo.bar:65535/", "http://u:p@foo.bar/", "http://[::1]:80/",
    "http://[fe80::1%25eth0]/", "http://[v1.a:b]/", "http://192.168.0.1/", "file:///etc/hosts",
    "http://foo_bar/", "http://foo.bar/é", "http://foo.bar/a|b\"c\\d%zz", "http://ex%61mple/",
  ])
  func `SVC-16 SVC-17 an absolute URL is exactly its text`(text: String) {
    #expect(ResourceURL(absolute: text)?.text == text)
  }

  @Test(arguments: [
    "", "\0", "no url", "a\tb", "a\nb", "http://foo.bar/\u{7F}", "http://foo.bar/\u{85}",
    "http://foo.bar/a b", "http://[::1", "http://::1]/", "http://[]/", "http://[foo]/",
    "http://[1:2]x/", "http://a b/", "http://", "http:///x", "http://?x", "http://:80/",
    "http://foo.bar:80a/", "http://foo.bar:-1/", "http://foo.bar:99999999999999999999/",
    "http://a@b@c/", "http://foo<bar/", "http://foo.bar\\@evil.example/", "//", "///foo", ":",
    ":foo", "1:2", "é:b",
  ])
  func `SVC-18 what cannot be parsed is no URL`(text: String) {
    #expect(ResourceURL(absolute: text) == nil)
  }

  @Test func `SVC-21 the URL of an invalid resource is a single colon, which is no URL itself`() {
    #expect(ResourceURL.invalid.text == ":")
    #expect(ResourceURL(absolute: ResourceURL.invalid.text) == nil)
  }

  @Test func `SVC-26 URLs are equal if and only if their texts are, byte by byte`() throws {
    #expect(try url("http://foo.bar/a?x=1&y=2") == url("http://foo.bar/a?x=1&y=2"))
    #expect(
      try url("http://foo.bar/a").hashValue == url("http://foo.bar").appending(path: "a").hashValue)
    let different = [
      "http://foo.bar/a?x=1&y=2", "http://foo.bar/a?y=2&x=1", "https://foo.bar/a",
      "http://foo.bar/", "http://FOO.bar/", "http://foo.bar/%7e", "http://foo.bar/~",
      "http://foo.bar/\u{E9}", "http://foo.bar/e\u{301}",
    ]
    #expect(try Set(different.map { try url($0) }).count == different.count)
  }

  // MARK: Paths

  @Test(arguments: [
    ("https://foo.bar", "baz", "https://foo.bar/baz"),
    ("https://foo.bar", "baz/fez", "https://foo.bar/baz/fez"),
    ("https://foo.bar", "/baz/fez", "https://foo.bar/baz/fez"),
    ("https://foo.bar", "baz/fez/", "https://foo.bar/baz/fez/"),
    ("https://foo.bar/v1", "baz", "https://foo.bar/v1/baz"),
    ("https://foo.bar/v1", "/", "https://foo.bar/v1/"),
    ("https://foo.bar/v1", "", "https://foo.bar/v1/"),
    // SVC-09
    ("https://foo.bar/v1", "./baz", "https://foo.bar/v1/./baz"),
    ("https://foo.bar/v1", "baz/.", "https://foo.bar/v1/baz/."),
    ("https://foo.bar/v1", "../baz", "https://foo.bar/v1/../baz"),
    // SVC-10
    ("https://foo.bar/v1", "http://other.host", "https://foo.bar/v1/http://other.host"),
    ("https://foo.bar/v1", "//other.host", "https://foo.bar/v1//other.host"),
    ("https://foo.bar/v1", "///other", "https://foo.bar/v1///other"),
    // SVC-11
    ("https://foo.bar/v1", "?foo=bar", "https://foo.bar/v1/%3Ffoo=bar"),
    ("https://foo.bar/v1", "a#b", "https://foo.bar/v1/a%23b"),
    ("https://foo.bar/v1", "100%", "https://foo.bar/v1/100%25"),
    ("https://foo.bar/v1", "%2F", "https://foo.bar/v1/%252F"),
    (
      "https://foo.bar/v1", "a b\0\"<>[\\]^`{|}",
      "https://foo.bar/v1/a%20b%00%22%3C%3E%5B%5C%5D%5E%60%7B%7C%7D"
    ),
    ("https://foo.bar/v1", "-._~!$&'()*+,;=:@", "https://foo.bar/v1/-._~!$&'()*+,;=:@"),
    ("https://foo.bar/v1", "très/日本", "https://foo.bar/v1/tr%C3%A8s/%E6%97%A5%E6%9C%AC"),
    // SVC-12
    ("https://foo.bar/?a=b&x=y", "baz/fez/", "https://foo.bar/baz/fez/?a=b&x=y"),
    ("https://foo.bar/v1?a=/", "baz", "https://foo.bar/v1/baz?a=/"),
    // SVC-13 to SVC-15
    ("http://fraz.bot/", "/bar", "http://fraz.bot/bar"),
    ("http://fraz.bot", "bar", "http://fraz.bot/bar"),
    ("http://fraz.bot", "./b?r&z/..", "http://fraz.bot/./b%3Fr&z/.."),
  ])
  func `SVC-08 to SVC-12 a path is appended to the base path, and is nothing but a path`(
    base text: String, path: String, expected: String
  ) throws {
    #expect(try base(text).appending(path: path).text == expected)
  }

  @Test(arguments: [
    ("https://zingle.frotz/v1/a/b", "", "https://zingle.frotz/v1/a/b/"),
    ("https://zingle.frotz/v1/a/b/", "", "https://zingle.frotz/v1/a/b/"),
    ("https://zingle.frotz/v1/a/b", "c", "https://zingle.frotz/v1/a/b/c"),
    ("https://zingle.frotz/v1/a/b/", "c", "https://zingle.frotz/v1/a/b/c"),
    ("https://zingle.frotz/v1/a/b", "/c", "https://zingle.frotz/v1/a/b/c"),
    ("https://zingle.frotz/v1/a/b", "./c", "https://zingle.frotz/v1/a/b/./c"),
    ("https://zingle.frotz/v1/a/b", "../c", "https://zingle.frotz/v1/a/b/../c"),
    (
      "https://zingle.frotz/v1/a/b", "//other.host/c",
      "https://zingle.frotz/v1/a/b//other.host/c"
    ),
    ("https://zingle.frotz/v1/a/b", "?foo", "https://zingle.frotz/v1/a/b/%3Ffoo"),
    ("https://zingle.frotz/v1/a/b?x=1", "c", "https://zingle.frotz/v1/a/b/c?x=1"),
    ("https://zingle.frotz", "c", "https://zingle.frotz/c"),
    ("https://zingle.frotz/a#top", "c", "https://zingle.frotz/a/c#top"),
    ("./foo", "c", "./foo/c"),
  ])
  func `PATH-02 to PATH-08 a child is one path below`(
    of text: String, path: String, expected: String
  ) throws {
    #expect(try url(text).child(path).text == expected)
  }

  @Test func `SVC-25 different routes lead to equal URLs`() throws {
    let service = try base("https://foo.bar/v1")
    let direct = service.appending(path: "/foo/bar")
    #expect(service.appending(path: "foo").child("bar") == direct)
    #expect(service.appending(path: "foo/").relative("bar") == direct)
  }

  // MARK: References

  @Test(arguments: [
    ("https://zingle.frotz/v1/a/b", "c", "https://zingle.frotz/v1/a/c"),
    ("https://zingle.frotz/v1/a/b", "./c", "https://zingle.frotz/v1/a/c"),
    ("https://zingle.frotz/v1/a/b", "./c/./d", "https://zingle.frotz/v1/a/c/d"),
    ("https://zingle.frotz/v1/a/b", "../c", "https://zingle.frotz/v1/c"),
    ("https://zingle.frotz/v1/a/b", "/c", "https://zingle.frotz/c"),
    ("https://zingle.frotz/v1/a/b", "ftp://other.host/c", "ftp://other.host/c"),
    ("https://zingle.frotz/v1/a/b", "//other.host/c", "https://other.host/c"),
    ("https://zingle.frotz/v1/a/b", "?foo=1", "https://zingle.frotz/v1/a/b?foo=1"),
    ("https://zingle.frotz/v1/a/b", "?foo=1&bar=2", "https://zingle.frotz/v1/a/b?foo=1&bar=2"),
    ("https://zingle.frotz/v1/a/b?foo=bar", "?baz=fez", "https://zingle.frotz/v1/a/b?baz=fez"),
    (
      "https://zingle.frotz/v1/a/b?foo=bar", "?baz=fez&baz=fuzz",
      "https://zingle.frotz/v1/a/b?baz=fez&baz=fuzz"
    ),
    ("https://zingle.frotz/v1/a/b?foo=bar", "c", "https://zingle.frotz/v1/a/c"),
    ("https://zingle.frotz/v1/a/b?foo=bar", "", "https://zingle.frotz/v1/a/b?foo=bar"),
    ("https://zingle.frotz/v1/a/b?foo=bar#y", "", "https://zingle.frotz/v1/a/b?foo=bar"),
    ("https://zingle.frotz/v1/a/b?foo=bar", "#x", "https://zingle.frotz/v1/a/b?foo=bar#x"),
    ("https://zingle.frotz/v1/a/b?foo=bar", "#", "https://zingle.frotz/v1/a/b?foo=bar#"),
    ("https://zingle.frotz/v1/a/b?foo=bar", "?", "https://zingle.frotz/v1/a/b?"),
    ("https://zingle.frotz/v1/a/b?foo=bar", ".", "https://zingle.frotz/v1/a/"),
    ("https://zingle.frotz", "c", "https://zingle.frotz/c"),
    ("https://zingle.frotz?x", "?y", "https://zingle.frotz/?y"),
    ("https://zingle.frotz?x", "", "https://zingle.frotz/?x"),
    ("https://zingle.frotz/a/../b/c", "d", "https://zingle.frotz/b/d"),
    ("https://zingle.frotz/a/../b", "?d", "https://zingle.frotz/a/../b?d"),
    ("https://zingle.frotz/a", "é?ü=%zz", "https://zingle.frotz/%C3%A9?%C3%BC=%zz"),
    // As a browser has it.
    ("https://zingle.frotz/a", "b c?d e#f g", "https://zingle.frotz/b%20c?d%20e#f%20g"),
    ("https://zingle.frotz/a", " \r\n b\tc\nd\r \n", "https://zingle.frotz/bcd"),
    ("https://zingle.frotz/a?x", " \t", "https://zingle.frotz/a?x"),
    ("https://zingle.frotz/a", "/\t/other.host/b c", "https://other.host/b%20c"),
    ("https://zingle.frotz/a", "//bücher.example?é", "https://xn--bcher-kva.example/?%C3%A9"),
  ])
  func `PATH-09 to PATH-17 a relative URL is found as an href is`(
    base text: String, href: String, expected: String
  ) throws {
    #expect(try url(text).relative(href)?.text == expected)
  }

  @Test(arguments: [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
    ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
    ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
    ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
    ("http:g", "http:g"), ("a//../b", "http://a/b/c/a/b"), ("..//g", "http://a/b//g"),
  ])
  func `PATH-09 PATH-16 references resolve as in RFC 3986, 5.4, an empty path being /`(
    href: String, expected: String
  ) throws {
    #expect(try url("http://a/b/c/d;p?q").relative(href)?.text == expected)
  }

  @Test(arguments: [
    "\0", "a\u{1}", "http://[::1", "http://a b/", "//a b", "h ttp://a/", "//", "///x", "http://",
    ":", "1:2", "//a:b/",
  ])
  func `PATH-18 an unparsable href leads nowhere`(href: String) throws {
    #expect(try url("https://zingle.frotz/v1/a/b").relative(href) == nil)
  }

  @Test(arguments: [
    ("./foo", "c", "c"), ("a/b", "../../c", "c"), ("./foo", "./a:b", "./a:b"),
    ("foo:/a", "/.//b", "foo:/.//b"), ("file:///a/b", "c", "file:///a/c"),
    ("file:///a", "///c", "file:///c"),
  ])
  func `PATH-09 without scheme or authority, what is found still parses as what it is`(
    base text: String, href: String, expected: String
  ) throws {
    #expect(try url(text).relative(href)?.text == expected)
  }

  // MARK: Parameters

  @Test(
    arguments: [
      ("", "foo", "bar", "?foo=bar"),
      ("", "a b", "c=d+e", "?a%20b=c%3Dd%2Be"),
      ("", "a=b&c", "é#%[]", "?a%3Db%26c=%C3%A9%23%25%5B%5D"),
      ("", "-._~!$'()*,;:@/?", "-._~!$'()*,;:@/?", "?-._~!$'()*,;:@/?=-._~!$'()*,;:@/?"),
      ("?foo=bar&zoogle=oogle", "plop", "blop", "?foo=bar&plop=blop&zoogle=oogle"),
      ("?zoogle=oogle&foo=bar", "plop", "blop", "?foo=bar&plop=blop&zoogle=oogle"),
      ("?foo=bar&zoogle=oogle", "zoogle", "zonk", "?foo=bar&zoogle=zonk"),
      ("?foo=bar&zoogle=oogle", "foo", "", "?foo&zoogle=oogle"),
      ("?foo=bar&zoogle=oogle", "foo", nil, "?zoogle=oogle"),
      ("?foo=bar", "foo", nil, ""),
      ("?foo=bar", "none", nil, "?foo=bar"),
      ("", "foo", nil, ""),
      ("?", "foo", nil, ""),
      ("?f%6Fo=bar", "foo", "x", "?foo=x"),
      // PATH-28, PATH-29
      ("?b=1&a=2&b=3&a=4", "c", "5", "?a=4&b=3&c=5"),
      ("?foo=", "a", "1", "?a=1&foo"),
      ("?foo=1+2&c+d=3", "a", "1", "?a=1&c%2Bd=3&foo=1%2B2"),
      ("?foo=1%202&%ff=%zz", "a", "1", "?a=1&foo=1%202&%FF=%25zz"),
      ("?foo=1=2&&x", "a", "1", "?a=1&foo=1%3D2&x"),
      ("?z=1", "é", "2", "?z=1&%C3%A9=2"),
      ("?foo=bar#top", "a", "1", "?a=1&foo=bar#top"),
      ("#top", "a", "1", "?a=1#top"),
    ] as [(String, String, String?, String)])
  func `PATH-20 to PATH-25 a parameter is set, emptied or removed`(
    query: String, name: String, value: String?, expected: String
  ) throws {
    let changed = try url("https://zingle.frotz/v1/a/b" + query).withParams([(name, value)])
    #expect(changed.text == "https://zingle.frotz/v1/a/b" + expected)
  }

  @Test func `PATH-26 several parameters are set at once, sorted among the others`() throws {
    let changed = try url("https://zingle.frotz/v1/a/b?foo=bar&zoogle=oogle")
      .withParams([("frogbear", "grribbit"), ("dogcow", "moof")])
    #expect(changed.query == "dogcow=moof&foo=bar&frogbear=grribbit&zoogle=oogle")
  }

  @Test func `PATH-27 one call may set some parameters and remove others`() throws {
    let changed = try url("https://zingle.frotz/v1/a/b?foo=bar&zoogle=oogle")
      .withParams([("foo", nil), ("zoogle", "zonk"), ("new", nil)])
    #expect(changed.query == "zoogle=zonk")
  }

  @Test func `PATH-30 the order in which parameters are added does not matter`() throws {
    let start = try url("https://zingle.frotz/v1/a/b")
    let one = start.withParams([("a", "1")]).withParams([("b", "2")])
    let other = start.withParams([("b", "2")]).withParams([("a", "1")])
    #expect(one == other)
    #expect(start.withParams([("b", "2"), ("a", "1")]) == one)
  }

  // MARK: Parts

  struct Parts: Sendable {
    var url: String
    var scheme = ""
    var authority = ""
    var host = ""
    var origin = ""
    var path = ""
    var query: String?
    var addsSlash = false
  }

  @Test(arguments: [
    Parts(
      url: "HTTPS://Me:pw@Foo.Bar:8080/a/b?c=d#e", scheme: "https",
      authority: "Me:pw@Foo.Bar:8080", host: "foo.bar", origin: "https://foo.bar:8080",
      path: "/a/b", query: "c=d"),
    Parts(
      url: "https://foo.bar:443", scheme: "https", authority: "foo.bar:443", host: "foo.bar",
      origin: "https://foo.bar", path: "/", addsSlash: true),
    Parts(
      url: "http://Ex%61mple.com/", scheme: "http", authority: "Ex%61mple.com",
      host: "ex%61mple.com", origin: "http://example.com", path: "/"),
    Parts(
      url: "http://0x7f.1:80/", scheme: "http", authority: "0x7f.1:80", host: "0x7f.1",
      origin: "http://127.0.0.1", path: "/"),
    Parts(
      url: "http://foo.bar:0080/?", scheme: "http", authority: "foo.bar:0080", host: "foo.bar",
      origin: "http://foo.bar", path: "/", query: ""),
    Parts(
      url: "http://foo.bar:443/", scheme: "http", authority: "foo.bar:443", host: "foo.bar",
      origin: "http://foo.bar:443", path: "/"),
    Parts(
      url: "http://[::1]:8080/a", scheme: "http", authority: "[::1]:8080", host: "[::1]",
      origin: "http://[::1]:8080", path: "/a"),
    Parts(
      url: "http://[::1]/a", scheme: "http", authority: "[::1]", host: "[::1]",
      origin: "http://[::1]", path: "/a"),
    Parts(url: "./foo?a?b", path: "./foo", query: "a?b"),
    Parts(url: "mailto:me@foo.bar", scheme: "mailto", path: "me@foo.bar"),
  ])
  func `the parts of a URL can be asked for`(expected: Parts) throws {
    let url = try url(expected.url)
    #expect(url.scheme == expected.scheme)
    #expect(url.authority == expected.authority)
    #expect(url.host == expected.host)
    #expect(url.origin == expected.origin)
    #expect(url.path == expected.path)
    #expect(url.query == expected.query)
    #expect(url.description == expected.url + (expected.addsSlash ? "/" : ""))
  }

  @Test(arguments: [
    ("https://api.example.com/v1/", "https://api.example.com/v1/users/7", "/users/7"),
    ("https://api.example.com/v1/", "https://api.example.com/v1/", "/"),
    ("https://api.example.com/v1/", "https://api.example.com/v1/a?b=c", "/a?b=c"),
    ("https://api.example.com/v1/?k=1", "https://api.example.com/v1/a?k=1", "/a?k=1"),
    ("https://api.example.com/v1/", "https://api.example.com/v1", "https://api.example.com/v1"),
    (
      "https://api.example.com/v1/", "https://api.example.com/v10/a",
      "https://api.example.com/v10/a"
    ),
    (
      "https://api.example.com/", "https://api.example.com.evil/a",
      "https://api.example.com.evil/a"
    ),
    ("https://api.example.com/v1/", "http://other.host/", "http://other.host/"),
  ])
  func `STA-16 the base is abbreviated to a leading slash`(
    base text: String, url full: String, expected: String
  ) throws {
    #expect(try url(full).abbreviated(base: base(text)) == expected)
    #expect(try url(full).abbreviated(base: nil) == full)
  }
}
