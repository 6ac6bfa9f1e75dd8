import LullGraphQL
import Testing

/// Tokens, values and the places of syntax errors.
@Suite(.timeLimit(.minutes(20))) struct LanguageTests {
  /// The error of a document, as text; nil if it has none.
  private static func error(_ text: String) -> String? {
    error(Array(text.utf8))
  }

  private static func error(_ bytes: [UInt8]) -> String? {
    do throws(GraphQLProblem) {
      _ = try GraphQLDocument(bytes)
      return nil
    } catch {
      return error.description
    }
  }

  /// The value of a string, read as the description of a type.
  private static func value(_ literal: String) throws -> String? {
    try GraphQLSchema(sdl: "\(literal) type Query { a: Int }").type("Query")?.description
  }

  @Test func `GQL-03 every token is read, with commas, comments and byte order marks between`() {
    let text = """
      \u{FEFF}query Q($a: [Int!]! = [1, -2] @d(x: 1.5e-3), $b: S = {a: "s", b: 1}) @e {
        x: y(z: $a, s: \"""block\""", n: null, t: true, e: RED) @skip(if: false) , # comment
        ...F ... on T { u } ... { v }
      }
      fragment F on T { w }
      union U = | A | B
      type A implements B & C { d(e: Int = 0): [F!]! }
      """
    #expect(Self.error(text) == nil)
  }

  @Test(arguments: [
    ("", "expected a definition, found the end of the document (line 1, column 1)"),
    ("{ a", "expected a field or '}', found the end of the document (line 1, column 4)"),
    ("{ a } }", "expected a definition, found '}' (line 1, column 7)"),
    ("{ a: }", "expected a name, found '}' (line 1, column 6)"),
    ("{ 5 }", "expected a field, found '5' (line 1, column 3)"),
    ("{ a(b 1) }", "expected ':', found '1' (line 1, column 7)"),
    ("{ a(b: !) }", "expected a value, found '!' (line 1, column 8)"),
    ("{ a(b: [1) }", "expected a value or ']', found ')' (line 1, column 10)"),
    ("{ a(b: {c: 1) }", "expected a field or '}', found ')' (line 1, column 13)"),
    ("{ a(b: \"x\" \"y\") }", "expected a name, found a string (line 1, column 12)"),
    ("query ($a: Int", "expected a name or ')', found the end of the document (line 1, column 15)"),
    (
      "query ($a: Int = $b) { a }",
      "expected a value without variables, found '$' (line 1, column 18)"
    ),
    ("query ($a: [Int) { a }", "expected ']', found ')' (line 1, column 16)"),
    ("query ($a: 1) { a }", "expected a type, found '1' (line 1, column 12)"),
    ("query (a: Int) { a }", "expected '$', found 'a' (line 1, column 8)"),
    ("fragment on on T { a }", "expected the name of a fragment, found 'on' (line 1, column 10)"),
    ("fragment F T { a }", "expected 'on', found 'T' (line 1, column 12)"),
    ("{ ... on }", "expected a name, found '}' (line 1, column 10)"),
    ("{ .. }", "expected '...', found '.' (line 1, column 3)"),
    ("{ a(b: .5) }", "a number must have a digit before the '.' (line 1, column 8)"),
    ("{ a(b: 01) }", "a number must not begin with 0 before other digits (line 1, column 9)"),
    ("{ a(b: 1.) }", "expected a digit, found ')' (line 1, column 10)"),
    ("{ a(b: 1e) }", "expected a digit, found ')' (line 1, column 10)"),
    ("{ a(b: -) }", "expected a digit, found ')' (line 1, column 9)"),
    ("{ a(b: 1x) }", "expected the end of the number, found 'x' (line 1, column 9)"),
    ("{ a(b: 'x') }", "unexpected character ''': strings need double quotes (line 1, column 8)"),
    ("{ a % }", "unexpected character '%' (line 1, column 5)"),
    ("{ é }", "unexpected character U+00E9 (line 1, column 3)"),
    ("{ a(b: \"x\ny\") }", "the string does not end on its line (line 1, column 10)"),
    ("{ a(b: \"x", "expected '\"', found the end of the document (line 1, column 10)"),
    (
      "{ a(b: \"\"\"x", "expected '\"\"\"', found the end of the document (line 1, column 12)"
    ),
    ("{ a(b: \"\\q\") }", "unknown escape sequence in a string (line 1, column 9)"),
    (
      "\"x\" { a }",
      "a query without the keyword 'query' cannot have a description (line 1, column 1)"
    ),
    ("qurey { a }", "expected a definition, found 'qurey' (line 1, column 1)"),
    ("enum E { true }", "an enum value cannot be called 'true' (line 1, column 10)"),
    (
      "extend type A",
      "expected the content of the extension, found the end of the document (line 1, column 14)"
    ),
    (
      "extend query { a }",
      "expected the kind of the extended type, such as 'type', found 'query' (line 1, column 8)"
    ),
    (
      "directive @d on FEILD",
      "expected the location of a directive, such as FIELD, found 'FEILD' (line 1, column 17)"
    ),
    (
      "schema { a: B }",
      "expected 'query', 'mutation' or 'subscription', found 'a' (line 1, column 10)"
    ),
  ])
  func `GQL-04 a syntax error has its place, and what was expected`(text: String, message: String) {
    #expect(Self.error(text) == message)
  }

  @Test func `GQL-05 columns count scalars, and lines end in LF, CR or both`() {
    #expect(Self.error("{ a(b: \"日本🙂\") ? }")?.hasSuffix("(line 1, column 15)") == true)
    #expect(Self.error("{\r\n\r  \n ? }")?.hasSuffix("(line 4, column 2)") == true)
    let long = "{ a(b: \"" + String(repeating: "ü", count: 5000) + "\") ? }"
    #expect(Self.error(long)?.hasSuffix("(line 1, column 5012)") == true)
    #expect(
      throws: GraphQLProblem.self,
      performing: { () throws(GraphQLProblem) in try GraphQLDocument("{", name: "a.graphql") })
    do throws(GraphQLProblem) { _ = try GraphQLDocument("{", name: "a.graphql") } catch {
      #expect(error.description.hasSuffix("(a.graphql:1:2)"))
      #expect(error.place.offset == 1)
    }
  }

  @Test(
    arguments: [
      ([0xFF], 0), ([0xC0, 0x80], 0), ([0xED, 0xA0, 0x80], 0), ([0xF4, 0x90, 0x80, 0x80], 0),
      ([0x23, 0xE2, 0x82], 1), ([0x23, 0x80], 1), ([0xE0, 0x9F, 0xBF], 0),
      ([0xF0, 0x8F, 0xBF, 0xBF], 0),
      ([0x23, 0xF0, 0x9F, 0x98], 1),
    ] as [([UInt8], Int)])
  func `GQL-06 invalid UTF-8 is an error at its place`(bytes: [UInt8], offset: Int) {
    let place = "(line 1, column \(offset + 1))"
    #expect(Self.error(bytes) == "the document is not valid UTF-8 \(place)")
  }

  @Test(arguments: [
    (#""""#, ""), (#""a b""#, "a b"), (#""\" \\ \/ \b\f\n\r\t""#, "\" \\ / \u{8}\u{C}\n\r\t"),
    (#""\u00e9 \uD83D\uDE00 \u{1F600} \u{0000041}""#, "é 😀 😀 A"), (#""日本語""#, "日本語"),
    ("\"\"\"one\"\"\"", "one"), ("\"\"\" \\\"\"\" \"\" \"\"\"", " \"\"\" \"\" "),
    ("\"\"\"\n    one\n      two\n\n    three\n  \"\"\"", "one\n  two\n\nthree"),
    ("\"\"\"first\n    one\n  two\"\"\"", "first\n  one\ntwo"),
    ("\"\"\"\n\n  \t\n  a\r\n  b\r  c\n \n\"\"\"", "a\nb\nc"), ("\"\"\"\n  \n\"\"\"", ""),
    ("\"\"\"\"\"\"", ""), ("\"\"\"\\n \\u0041\"\"\"", "\\n \\u0041"),
  ])
  func `GQL-07 strings have the value that the specification gives them`(
    literal: String, value: String
  ) throws {
    #expect(try Self.value(literal) == value)
  }

  @Test(arguments: [
    #""\u12""#, #""\uD83D""#, #""\uD83D\u0041""#, #""\uDE00""#, #""\u{}""#, #""\u{110000}""#,
    #""\u{D800}""#, #""\u{41""#, #""\u{0000000041}""#, #""\u004G""#,
  ])
  func `GQL-07 an escape sequence of no Unicode scalar is an error`(literal: String) {
    #expect(
      Self.error("\(literal) type Query { a: Int }")
        == "'\\u' needs four hexadecimal digits, or up to six in braces, of a Unicode scalar "
        + "(line 1, column 2)")
  }

  @Test func `GQL-08 more than 200 nested levels are an error, at any kind of nesting`() {
    func nested(_ count: Int, _ open: String, _ middle: String, _ close: String) -> String {
      String(repeating: open, count: count) + middle + String(repeating: close, count: count)
    }
    func texts(_ count: Int) -> [String] {
      [
        nested(count, "{a", "", "}"), "{" + nested(count - 1, "...{", "a", "}") + "}",
        "{a(b:" + nested(count - 1, "[", "", "]") + ")}",
        "{a(b:" + nested(count - 1, "{c:", "1", "}") + ")}",
        "query($a:" + nested(count, "[", "A", "]") + "){a}",
      ]
    }
    for text in texts(200) { #expect(Self.error(text) == nil) }
    for text in texts(201) + texts(100_000) {
      #expect(Self.error(text)?.hasPrefix("the document has more than 200 nested levels") == true)
    }
  }
}
