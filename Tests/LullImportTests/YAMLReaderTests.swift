import LullCore
import LullImport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct YAMLReaderTests {
  private func json(_ text: String) throws -> String {
    let document = try YAMLReader.document(of: Array(text.utf8))
    var bytes: [UInt8] = []
    document.root.encode(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func problem(_ text: String) -> String {
    do throws(DocumentProblem) {
      _ = try YAMLReader.document(of: Array(text.utf8))
      return "fine"
    } catch {
      return error.description
    }
  }

  @Test func `IMP-01 YAML is read as the JSON that it stands for`() throws {
    #expect(
      try json("a: yes\nb: 1.10\nc: 2020-01-01\nd: ~\n200: {x: [1, 'two', \"3\\u00e9\"]}\n")
        == #"{"a":"yes","b":1.1,"c":"2020-01-01","d":null,"200":{"x":[1,"two","3é"]}}"#)
    let numbers = #"[31,15,7,5,0.5,5.0,1e3,123456789012345678901e0,"1_000",[null],".inf"]"#
    var expected: [UInt8] = []
    try JSONDocument(parsing: Array(numbers.utf8)).root.encode(into: &expected)
    #expect(
      try json(
        "- 0x1F\n- 0o17\n- 007\n- +5\n- .5\n- 5.\n- 1e3\n- 123456789012345678901\n- 1_000\n- -\n- .inf\n"
      ) == String(decoding: expected, as: UTF8.self))
    #expect(
      try json("a: !!str 12\nb: !!int '12'\nc: |\n  x\n  y\n") == #"{"a":"12","b":12,"c":"x\ny\n"}"#
    )
    #expect(try json("\"a\\u0000\\n\": \"\\u202e\"") == "{\"a\\u0000\\n\":\"\u{202e}\"}")
  }

  @Test func `IMP-126 a tab behind the indentation of a block scalar is text`() throws {
    #expect(try json("a: |-\n  \t\n  b\n") == #"{"a":"\t\nb"}"#)
    #expect(try json("a: >\n  \tb\n  c\n") == #"{"a":"\tb\nc\n"}"#)
    #expect(
      try json("é:\n  - |+  # c\n\n     \tb\n\nx: >\n \tc") == #"{"é":["\n\tb\n\n"],"x":"\tc"}"#)
    #expect(try json("\u{FEFF}a:\r\n  b: |\r\n   \tc\r\n") == #"{"a":{"b":"\tc\n"}}"#)
    #expect(try json(String(repeating: "- |\n \ta\n", count: 300)).hasPrefix(#"["\ta\n","\ta\n""#))
    // Such a tab is no text: it stands for the indentation.
    for text in [
      "a: |\n\tb\n", "a: |\n   b\n  \tc\n", "a: |\n     \n  \tb\n", "a:\n  b: |\n  \tc\n",
    ] {
      #expect(problem(text).contains("tab"), "\(text) \(problem(text))")
    }
  }

  @Test func `IMP-02 aliases are expanded and merge keys merged, what is written oneself first`()
    throws
  {
    #expect(
      try json("a: &x {k: 1, l: [2]}\nb: *x\nc:\n  <<: *x\n  k: 3\n")
        == #"{"a":{"k":1,"l":[2]},"b":{"k":1,"l":[2]},"c":{"k":3,"l":[2]}}"#)
    #expect(
      try json("- &a {k: 1}\n- &b {k: 2, m: 0}\n- <<: [*a, *b]\n  n: &t text\n- *t\n")
        == #"[{"k":1},{"k":2,"m":0},{"n":"text","k":1,"m":0},"text"]"#)
    #expect(try json("x: {<<: &in {q: 1}}\ny: *in\n") == #"{"x":{"q":1},"y":{"q":1}}"#)
  }

  @Test func `IMP-03 what is wrong in YAML is told with line and column`() {
    #expect(problem("a: 1\nb: 2\na: 3\n") == ":3:1: the key 'a' occurs twice")
    #expect(problem("a: [1, 2\n").hasPrefix(":2:1: "))
    #expect(problem("a: &x [*x]\n") == ":1:8: the alias *x is inside its own anchor")
    #expect(problem("a: *y\n") == ":1:4: there is no anchor &y")
    #expect(problem("a: 1\n---\nb: 2\n") == ":2:1: the file has more than one YAML document")
    #expect(
      problem("a: !ruby/object:X {}\n").hasPrefix(":1:4: the tag !ruby/object:X is not supported"))
    #expect(problem("? [a]\n: 1\n") == ":1:3: a key is a list, but JSON needs a string")
    #expect(problem("a: {<<: 5}\n") == ":1:9: '<<' can only merge mappings")
    #expect(problem("") == "the document is empty")
    #expect(problem("a: !!int x\n") == ":1:4: 'x' does not have the type of its tag !!int")
    #expect(problem("a: \u{1}\n").contains("control characters"))
  }

  @Test func `IMP-04 bombs and depths of YAML end within limits`() {
    var bomb = "a0: &a0 [\(Array(repeating: "lol", count: 10).joined(separator: ","))]\n"
    for level in 1...12 {
      bomb +=
        "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ","))]\n"
    }
    #expect(problem(bomb).contains("anchors and aliases expand the document to more than 32 MB"))
    #expect(
      problem(String(repeating: "[", count: 100_000)).contains(
        "the document is nested more than 200 levels"))
    #expect(
      problem(String(repeating: "- ", count: 100_000)).contains(
        "the document is nested more than 200 levels")
    )
  }
}
