import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ContentTypeTests {
  @Test(
    arguments: [
      ("text/monkey; charset=utf-8", "utf-8"), ("text/monkey;charset=UTF-8", "UTF-8"),
      ("text/plain; a=b; charset=euc-jp; c=d", "euc-jp"), ("text/plain; Charset = utf-8 ", "utf-8"),
      (#"text/plain; charset="utf-8"; x=y"#, "utf-8"),
      (#"text/plain; title="a; charset=no"; charset=yes"#, "yes"),
      (#"text/plain; title="a\"; charset=no"; charset=yes"#, "yes"),
      (#"text/plain; charset="a\"b\\c""#, #"a"b\c"#),
      ("text/plain; charset=a; charset=b", "a"), ("text/plain;; ;charset=a", "a"),
      (#"text/plain; charset="unclosed"#, "unclosed"),
      ("text/plain", nil), ("text/plain;", nil), ("text/plain; charset", nil),
      ("text/plain; charset=", nil), (#"text/plain; charset="""#, nil),
      ("text/plain; xcharset=a", nil), ("charset=utf-8", nil), ("", nil),
      (#"text/plain; title="\"#, nil),
    ] as [(String, String?)])
  func `ENT-03 to ENT-06 the charset is a parameter, in quotes or not`(
    text: String, expected: String?
  ) {
    #expect(ContentType(text).charset == expected)
    #expect(ContentType.charset(of: text) == expected)
    #expect(ContentType(text).text == text)
  }

  @Test(arguments: [
    ("text/monkey; charset=utf-8", "text/monkey"), ("Text/Plain", "Text/Plain"),
    (" text/plain ;x", "text/plain"), ("", ""), (";", ""),
  ])
  func `TRF-27 parameters are no part of the type`(text: String, expected: String) {
    #expect(ContentType(text).mediaType == expected)
  }
}

@Suite(.timeLimit(.minutes(20)))
struct ContentTypePatternTests {
  @Test(arguments: [
    // TRF-26
    ("text/*", "text/plain", true), ("text/*", "text/foo+plain", false),
    ("text/*", "text/", false), ("text/*", "text/a/b", false),
    ("*/*+json", "application/foo+json", true), ("*/*+json", "application/+json", false),
    ("*/*+json", "application/json", false), ("*/json", "text/json", true),
    ("*/*", "image/png", true), ("*/*", "image/svg+xml", false), ("*", "image/png", false),
    ("a*b", "ab", false), ("a*b", "axb", true), ("a*b", "abb", true), ("a*b*c", "axbxbxc", true),
    ("a*b*c/*d", "axbxbxc/bbd", true), ("a*b*c", "axbxb", false), ("**", "ab", true),
    ("**", "a", false), ("*b", "bb", true), ("*+*", "a+b+c", false),
    // TRF-27
    ("text/plain", "text/plain; charset=utf-8", true), ("text/plain", "text/plain;", true),
    ("text/plain", "text/plain ; a=b", true), ("text/plain; a=b", "text/plain", true),
    ("text/*", "text/plain; a=/+", true),
    // TRF-28
    ("Text/*", "TEXT/plain", true), ("*/*+JSON", "application/Foo+Json", true),
    // TRF-29
    ("text/plain", "xtext/plain", false), ("text/plain", "text/plainx", false),
    ("text/plain", "", false), ("", "", true), ("text.plain", "text/plain", false),
  ])
  func `TRF-26 to TRF-29 patterns are anchored, ignore letter case and parameters`(
    pattern: String, type: String, expected: Bool
  ) {
    #expect(ContentTypePattern(pattern).matches(type) == expected)
  }

  @Test(arguments: [
    ("application/json", true, false), ("application/json;charset=utf-8", true, false),
    ("application/json; charset=utf-8", true, false), ("application/json ;x", true, false),
    ("Application/JSON", true, false), ("application/jsonx", false, false),
    ("application/jso", false, false), ("xpplication/json", true, false),
    ("application/xson", false, false), ("application/foo+json", true, false),
    ("text/json", true, false), ("TEXT/JSON; x", true, false), ("text/foo+json", true, false),
    ("text/plain", false, true), ("text/html; charset=utf-8", false, true),
    ("text/foo+plain", false, false), ("application/octet-stream", false, false),
    ("image/png", false, false), ("image/svg+xml", false, false), ("", false, false),
  ])
  func `TRF-31 TRF-32 TRF-34 the standard parsers share the types, JSON first`(
    type: String, isJSON: Bool, isText: Bool
  ) {
    Array(type.utf8).withUnsafeBufferPointer {
      #expect(ContentTypePattern.isJSON($0) == isJSON)
      #expect(ContentTypePattern.isText($0) == isText)
    }
  }

  @Test(
    arguments: [
      ("application/json", "Application/JSON"),
      ("text/plain;charset=utf-8", "text/plain; Charset=UTF-8"),
      ("a/b;x=1;y=2", "a/b; y=2 ; x=\"1\""), ("a/b", " a/b ; "),
      ("a/b;x=\"a;b\"", "A/B; X=\"a\\;b\""),
    ])
  func `QUERY-03 media types that mean the same have one canonical form`(
    left: String, right: String
  ) {
    #expect(ContentType(left).canonical == ContentType(right).canonical)
  }

  @Test(
    arguments: [
      ("a/b", "a/c"), ("a/b", "a/b;x=1"), ("a/b;x=a", "a/b;x=A"), ("a/b;x=1;x=2", "a/b;x=2;x=1"),
      ("a/b;x=\"1;y=2\"", "a/b;x=1;y=2"), ("a/b;x=\"a\\\"b\"", "a/b;x=ab"),
    ])
  func `QUERY-03 media types that differ have different canonical forms`(
    left: String, right: String
  ) {
    #expect(ContentType(left).canonical != ContentType(right).canonical)
  }
}
