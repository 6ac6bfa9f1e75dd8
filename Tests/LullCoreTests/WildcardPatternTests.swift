import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct WildcardPatternTests {
  /// Whether the pattern matches the resource at `path` under the base `https://foo.bar/v1`.
  private func matches(_ pattern: String, _ path: String) throws -> Bool {
    let base = try #require(ResourceURL.base("https://foo.bar/v1"))
    return WildcardPattern(pattern, base: base).matches(base.appending(path: path))
  }

  private func matches(
    _ pattern: String, url: String, base: String? = "https://foo.bar/v1"
  ) throws -> Bool {
    WildcardPattern(pattern, base: base.flatMap { ResourceURL.base($0) })
      .matches(try #require(ResourceURL(absolute: url)))
  }

  @Test(arguments: [
    // PAT-01
    ("fez", "/fez", true), ("/fez", "/fez", true), ("/fez", "/sombrero/fez", false),
    ("//fez", "/fez", false), ("//fez", "//fez", true),
    // PAT-05
    ("hither/thither", "/hither/thither", true), ("/hither/thither", "hither/thither", true),
    // PAT-06
    ("/*", "/hither", true), ("/*", "/hither/thither", false), ("/*b", "/zub", true),
    ("/*b", "/zu/b", false), ("/*/b", "/a/", false), ("/*/b", "/a/b", true),
    ("/a/*/c", "/a/blarg/c", true), ("/*x*/c", "/foxy/c", true), ("/*x*/c", "/fozzy/c", false),
    // PAT-07
    ("/foo/*", "/foo/123", true), ("/foo/*", "/foo/", true), ("/foo/*", "/foo", false),
    ("/foo*/bar", "/food/bar", true), ("/foo*/bar", "/foo/bar", true),
    // PAT-08
    ("/*/d", "/!/d", true), ("/*/d", "/@/d", true),
    // PAT-09
    ("/**", "/", true), ("/**", "/hither", true), ("/**", "/hither/thither/yon", true),
    ("/a/**/b", "/a/b", true), ("/a/**/b", "/a/1/2/3/b", true), ("/a/**/b", "/a/1/2/3/c", false),
    ("/a/**/b", "/ab", false), ("/a/**/b", "/a/xb", false), ("/**x**", "/a/b/c/xylem/d", true),
    ("/**x**", "/a/b/c/d", false), ("/**/*", "/a/b", true), ("/**/*", "/a", true),
    // PAT-10
    ("/**/d", "/a/b/!/c/d", true), ("/**/d", "/d", true),
    // PAT-11
    ("/foo**/bar", "/foo/bar", true), ("/foo**/bar", "/foo/x/bar", true),
    ("/foo**/bar", "/food/bar", true), ("/foo**/bar", "/foobar", true),
    ("/foo**/bar", "/fooxbar", false), ("/foo/**", "/foo/", true), ("/foo/**", "/foo", false),
    // PAT-12
    ("/?", "/o", true), ("/?", "/", false), ("/??", "/o", false), ("/??", "/oy", true),
    ("/??", "/oye", false), ("/x/?*", "/x/o", true), ("/x/?*", "/x/oye", true),
    ("/x/?*", "/x/", false), ("/x?y", "/x!y", true), ("/x?y", "/x/y", false),
    // PAT-14
    ("/fez", "/Fez", false), ("/fez", "/fezz", false), ("/a.c", "/abc", false),
    ("/a+(b)$", "/a+(b)$", true), ("/[ab]", "/a", false), ("/*a", "/aba", true),
    ("/*ab*ab", "/abxabab", true), ("/***", "/a/b", true), ("/*a*b/**/*c", "/ab/c", true),
    ("/**/a/**/b", "/x/a/y/a/z/c/b", true), ("/**/a/**/b", "/x/y/b", false),
  ])
  func `PAT-01 PAT-05 to PAT-12 PAT-14 wildcards match paths under the base`(
    pattern: String, path: String, expected: Bool
  ) throws {
    #expect(try matches(pattern, path) == expected)
  }

  @Test(arguments: [
    ("https://foo.com/*/fez", "https://foo.com/v1/fez", true),
    ("https://foo.com/*/fez", "http://foo.com/v1/fez", false),
    ("h2+x-1.0://a/*", "h2+x-1.0://a/b", true),
    ("HTTPS://foo.com/*", "HTTPS://foo.com/v1", true),
    ("HTTPS://foo.com/*", "https://foo.com/v1", false),
    ("https://foo.com:*/**", "https://foo.com:8080/v1/fez", true),
    ("https://bar.com:*/**", "https://foo.com:8080/v1/fez", false),
    ("https://*:8080/**", "https://foo.com:8080/v1/fez", true),
    ("https://*:8080/**", "https://foo.com:18080/v1/fez", false),
    ("https://*/**", "https://foo.com:8080/v1/fez", true),
    ("https://foo.bar/**", "https://foo.bar/v1/fez", true),
    // No scheme: the pattern continues the base.
    ("*://foo.com/**", "https://foo.com/v1", false),
    ("1http://foo.com", "https://foo.bar/v1/1http://foo.com", true),
  ])
  func `PAT-02 to PAT-04 a pattern with a scheme is matched against the whole URL`(
    pattern: String, url: String, expected: Bool
  ) throws {
    #expect(try matches(pattern, url: url) == expected)
  }

  @Test(arguments: [
    ("/*/b", "https://foo.bar/v1/a/b?foo=bar", true),
    ("/*/b", "https://foo.bar/v1/a/b?", true),
    ("/*/b", "https://foo.bar/v1/a/c?/b", false),
    ("/**", "https://foo.bar/v1/?/b", true),
    ("/a**b", "https://foo.bar/v1/a?b", false),
    ("/a?b", "https://foo.bar/v1/a?b", false),
    ("/a?b=c", "https://foo.bar/v1/a?b=c", false),
  ])
  func `PAT-13 the query of a URL is ignored`(pattern: String, url: String, expected: Bool) throws {
    #expect(try matches(pattern, url: url) == expected)
  }

  @Test(arguments: [
    ("/é", "https://foo.bar/v1/%C3%A9", true), ("/%c3%a9", "https://foo.bar/v1/%C3%A9", true),
    ("/é", "https://foo.bar/v1/é", true), ("/%C3%A9", "https://foo.bar/v1/%c3%a9", true),
    ("/a b", "https://foo.bar/v1/a%20b", true), ("/a%20b", "https://foo.bar/v1/a%20b", true),
    ("/fez", "https://foo.bar/v1/f%65z", true), ("/f%65z", "https://foo.bar/v1/fez", true),
    ("/fez", "https://foo.bar/v%31/fez", true), ("/fez", "https://foo.bar/v%31/fox", false),
    // Escapes of these stay escapes.
    ("/a/b", "https://foo.bar/v1/a%2Fb", false), ("/a%2fb", "https://foo.bar/v1/a%2Fb", true),
    ("/*", "https://foo.bar/v1/a%2Fb", true), ("/a%3Fb", "https://foo.bar/v1/a%3fb", true),
    ("/a%23b", "https://foo.bar/v1/a#b", false), ("/a%2541", "https://foo.bar/v1/a%41", false),
    ("/a%2541", "https://foo.bar/v1/a%2541", true), ("/100%", "https://foo.bar/v1/100%25", true),
    ("/%zz", "https://foo.bar/v1/%zz", true),
    // An escaped wildcard is a character like others.
    ("/%2A", "https://foo.bar/v1/*", true), ("/%2A", "https://foo.bar/v1/a", false),
    ("/%2A", "https://foo.bar/v1/%2a", true),
    // Wildcards count characters of the encoded text.
    ("/?", "https://foo.bar/v1/%C3", false), ("/?", "https://foo.bar/v1/é", false),
    ("/???", "https://foo.bar/v1/%C3", true), ("/?", "https://foo.bar/v1/%41", true),
    ("/*", "https://foo.bar/v1/é", true), ("/*z", "https://foo.bar/v1/é%7A", true),
    ("https://foo.bar/é*", "https://foo.bar/%C3%A9x", true),
    ("https://foo.bar/é*", "https://foo.bar/%C3%AAx", false),
    ("https://foo.bar/é", "https://foo.bar/%C3", false),
  ])
  func `PAT-15 pattern and URL are compared in one normal form`(
    pattern: String, url: String, expected: Bool
  ) throws {
    #expect(try matches(pattern, url: url) == expected)
  }

  @Test(arguments: [
    ("/foo", "/foo", true), ("/foo", "foo", false), ("foo", "foo", true), ("foo", "/foo", false),
    ("http://bar.baz/*", "http://bar.baz/foo", true), ("**", "http://bar.baz/foo", true),
    ("", "foo", false),
  ])
  func `PAT-16 without a base, a pattern is matched against the URL as it is`(
    pattern: String, url: String, expected: Bool
  ) throws {
    #expect(try matches(pattern, url: url, base: nil) == expected)
  }

  @Test func `PAT-17 relative patterns ignore the base's query`() throws {
    let base = "https://foo.bar/v1?key=1"
    #expect(try matches("/fez", url: "https://foo.bar/v1/fez?key=1", base: base))
    #expect(try matches("/fez", url: "https://foo.bar/v1/fez", base: base))
    #expect(try matches("**", url: "https://foo.bar/v1/fez?x=y", base: base))
    #expect(try !matches("/fez", url: "https://foo.bar/v1/?key=1/fez", base: base))
  }

  @Test(arguments: [
    ("https://foo.bar/v1/", true), ("https://foo.bar/v1/a/b?c", true),
    ("https://foo.bar/v1/é%2F", true), ("https://foo.bar/v1", false),
    ("https://foo.bar/v1?x/", false), ("https://foo.bar/v10/a", false),
    ("https://foo.bar/", false), ("http://foo.bar/v1/a", false),
    ("https://foo.bar.evil/v1/a", false), ("https://foo.bar@evil/v1/a", false),
    ("https://evil/https://foo.bar/v1/a", false),
  ])
  func `PAT-18 ** matches every URL under the base and only those`(url: String, expected: Bool)
    throws
  {
    #expect(try matches("**", url: url) == expected)
    #expect(try matches("/**", url: url) == expected)
  }

  @Test func `PAT-18 a base is literal, wildcards in it included`() throws {
    #expect(try matches("a", url: "https://foo.bar/*/a", base: "https://foo.bar/*"))
    #expect(try !matches("a", url: "https://foo.bar/x/a", base: "https://foo.bar/*"))
  }

  @Test func `many wildcards cost no more than their number times the URL's length`() throws {
    let path = String(repeating: "a", count: 3000)
    #expect(try !matches(String(repeating: "*a", count: 40) + "b", path))
    #expect(try !matches(String(repeating: "**a", count: 40) + "b", path))
    let deep = String(repeating: "a/", count: 1500)
    #expect(try !matches(String(repeating: "**/a/", count: 40) + "b", deep))
    #expect(try matches(String(repeating: "**/", count: 40) + "**", deep))
  }
}

@Suite(.timeLimit(.minutes(20)))
struct ConfigurationPatternTests {
  private func wump(_ path: String = "wump") throws -> ResourceURL {
    try #require(ResourceURL.base("https://foo.bar/v1")).appending(path: path)
  }

  @Test(arguments: [
    ("/.ump", "wump", true), ("/.ump", "wzmp", false),
    (#"^https://foo\.bar/v1/wump$"#, "wump", true), ("^wump$", "wump", false),
    ("/wu+", "WUUUUUMP", false), ("(?i)/wu+", "WUUUUUMP", true),
  ])
  func `PAT-19 to PAT-21 an expression is searched in the full URL text, with its options`(
    source: String, path: String, expected: Bool
  ) throws {
    let pattern = ConfigurationPattern.regex(try Regex(source), source: source)
    #expect(try pattern.matches(wump(path)) == expected)
    #expect(pattern.description == source)
  }

  @Test func `PAT-20 an expression sees the query`() throws {
    let url = try wump().withParams([("x", "1")])
    #expect(try ConfigurationPattern.regex(try Regex("x=1$"), source: "x=1$").matches(url))
  }

  @Test func `CFG-05 a URL as pattern matches that URL only`() throws {
    let pattern = ConfigurationPattern.url(try wump())
    #expect(pattern.description == "https://foo.bar/v1/wump")
    #expect(try pattern.matches(wump()))
    #expect(try !pattern.matches(wump("wump/")))
    #expect(try !pattern.matches(wump().withParams([("x", "1")])))
  }

  @Test func `CFG-06 a predicate decides by the URL`() throws {
    let pattern = ConfigurationPattern.predicate { $0.path.hasSuffix("p") }
    #expect(pattern.description == "custom")
    #expect(try pattern.matches(wump()))
    #expect(try !pattern.matches(wump("wum")))
  }

  @Test func `CFG-19 a wildcard pattern is described by its text`() throws {
    let pattern = ConfigurationPattern.wildcard(
      "/w*", base: ResourceURL.base("https://foo.bar/v1"))
    #expect(pattern.description == "/w*")
    #expect(try pattern.matches(wump()))
    #expect(try !pattern.matches(wump("bump")))
    #expect(try ConfigurationPattern.all.matches(wump()))
  }
}
