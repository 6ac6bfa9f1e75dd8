import Testing

@Suite("Content on standard output", .timeLimit(.minutes(20)))
struct ContentOutputTests {
  private let sample: SampleAPI

  init() throws { sample = try SampleAPI() }

  private func get(_ options: String...) throws -> Child.Ending {
    try Child(Binaries.lull, ["get", sample.url + "/users?per_page=2"] + options).wait()
  }

  private static let users =
    #"[{"id":1,"name":"Ada Lovelace","email":"ada1@example.com","role":"admin","visits":0},"#
    + #"{"id":2,"name":"Alan Turing","email":"alan2@example.com","role":"member","visits":7}]"#

  @Test(arguments: [
    ("json", users + "\n"),
    ("ndjson", users.dropFirst().dropLast().replacing("},{", with: "}\n{") + "\n"),
    (
      "csv",
      "id,name,email,role,visits\n1,Ada Lovelace,ada1@example.com,admin,0\n"
        + "2,Alan Turing,alan2@example.com,member,7\n"
    ),
    (
      "table",
      """
      id  name          email              role    visits
      1   Ada Lovelace  ada1@example.com   admin   0
      2   Alan Turing   alan2@example.com  member  7

      """
    ),
    ("lines", users.dropFirst().dropLast().replacing("},{", with: "}\n{") + "\n"),
  ])
  func `has formats`(format: String, text: String) throws {
    let ending = try get("-o", format)
    #expect(ending.output == text)
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `raw is the body byte for byte`() throws {
    let ending = try shell(
      "cmp <(lull get '\(sample.url)/large?items=100' -o raw) <(curl -s '\(sample.url)/large?items=100')"
    )
    #expect(ending.output == "")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `chooses columns`() throws {
    #expect(
      try get("-o", "csv", "--columns", "name,id,no").output
        == "name,id,no\nAda Lovelace,1,\nAlan Turing,2,\n")
    let nested = try lull(
      "post", sample.url + "/echo", "-o", "csv", "--columns", "method,json.a.1,json.b",
      "a:=[7]", #"b=say "hi", twice"#)
    #expect(nested.output == "method,json.a.1,json.b\nPOST,7,\"say \"\"hi\"\", twice\"\n")
  }

  @Test func `leaves text and bytes as they are`() throws {
    #expect(try lull("get", sample.url + "/latin1").output.contains("é"))
    let bytes = try shell(
      "lull get '\(sample.url)/bytes/300' | cmp - <(curl -s '\(sample.url)/bytes/300')")
    #expect(bytes.code == 0, "\(bytes)")
    #expect(try lull("get", sample.url + "/text", "-o", "json").output.hasPrefix("\"Hello"))
  }

  @Test(arguments: [
    ("#x", "2"), ("x[1].name", #""Ada Lovelace""#), ("nil", "null"), ("x[1].nope", "null"),
    ("map(x, 'id')", "[1,2]"), ("map(x, function(r) return r.id * 2 end)", "[2,4]"),
    (
      "filter(x, function(r) return r.role == 'admin' end)",
      String(users.prefix { $0 != "}" }) + "}]"
    ),
    ("filter(x, function() return false end)", "[]"),
    ("keys(x[1])", #"["id","name","email","role","visits"]"#),
    ("values(x[1])", #"[1,"Ada Lovelace","ada1@example.com","admin",0]"#),
    ("map(sort_by(x, 'name'), 'id')", "[1,2]"),
    ("map(sort_by(x, function(r) return -r.id end), 'id')", "[2,1]"),
    ("map(reverse(x), 'id')", "[2,1]"),
    ("map(group_by(x, 'role').member, 'id')", "[2]"),
    ("count_by(x, 'role')", #"{"admin":1,"member":1}"#),
    ("first(x).id", "1"), ("last(x).id", "2"), ("map(first(x, 1), 'id')", "[1]"),
    ("map(last(x, 5), 'id')", "[1,2]"),
    ("sum(x, 'visits')", "7"), ("average(x, 'visits')", "3.5"), ("count(x)", "2"),
    ("count(x, function(r) return r.visits > 0 end)", "1"),
    ("max(x, 'visits').id", "2"), ("min(x, 'visits').id", "1"), ("sum({})", "0"),
    ("average({})", "null"), ("unique({ 1, 2, 1 })", "[1,2]"),
    ("flatten({ { 1 }, 2, { 3, 4 } })", "[1,2,3,4]"), ("join(map(x, 'id'), '-')", #""1-2""#),
    ("pick(x[1], 'name', 'id')", #"{"name":"Ada Lovelace","id":1}"#),
    ("pick(x, 'visits', 'id')", #"[{"visits":0,"id":1},{"visits":7,"id":2}]"#),
    ("map(sort_by(x, '-visits'), 'id')", "[2,1]"),
    ("map(x[1], function(v) return 1 end)", #"{"id":1,"name":1,"email":1,"role":1,"visits":1}"#),
    ("first(sort_by(entries(count_by(x, 'role')), 'key'))", #"{"key":"admin","value":1}"#),
    ("{ b = 1, a = { c = lull.null, b = x[1].id } }", #"{"a":{"b":1,"c":null},"b":1}"#),
    ("#x", "2"), ("{}", "[]"), ("string.upper(x[1].role)", #""ADMIN""#),
  ])
  func `filters by an expression`(expression: String, result: String) throws {
    let ending = try get("-f", expression)
    #expect(ending.errors == "")
    // An empty table may be either.
    #expect(ending.output == result + "\n" || expression == "{}" && ending.output == "{}\n")
    #expect(ending.code == 0)
  }

  @Test(arguments: [
    ("x.a.b", "attempt to index a nil value (field 'a')", "x.a.b"),
    ("x[", "unexpected symbol near <eof>", "x["),
    (
      "map(7, 'a')",
      "-f:1: map needs a list or a record, got the number 7: write map(x, \"name\")",
      "map(7, 'a')"
    ),
    (
      "map(x, 7)", "map needs a function or the name of a field, got the number 7", "map(x, 7)"
    ),
    ("map(x.items, 'a')", "map needs a list or a record, got nil: write map(x or {}, …)", "map("),
    ("map({ x }, sum)", "-f:1: sum needs numbers, got a record for element 1", "map({ x }, sum)"),
    (
      "map(x, function(r) return sum(r.name) end)",
      "-f:1: sum needs a list or a record, got the text 'Ada Lovelace'", "map(x, function(r)"
    ),
    ("lull.sleep(1)", "cannot wait inside a -f expression", "lull.sleep(1)"),
  ])
  func `points at what is wrong`(expression: String, message: String, line: String) throws {
    let ending = try get("-f", expression)
    #expect(ending.output == "")
    #expect(ending.errors.contains("-f:1: "), "\(ending.errors)")
    #expect(ending.errors.contains(message), "\(ending.errors)")
    #expect(ending.errors.contains("1 | " + line), "\(ending.errors)")
    #expect(ending.code == 1)
  }

  @Test func `has colours on a terminal only`() throws {
    let words = ["get", sample.url + "/users/2"]
    let coloured = try Child(
      Binaries.lull, words, environment: ["TERM": "xterm", "NO_COLOR": ""], terminal: true
    ).wait()
    #expect(
      coloured.output.contains("\u{1B}[34m\"id\"\u{1B}[0m: \u{1B}[36m2\u{1B}[0m,"), "\(coloured)")
    let plain = try Child(
      Binaries.lull, words, environment: ["TERM": "xterm", "NO_COLOR": "1"], terminal: true
    ).wait()
    #expect(plain.output.contains("  \"id\": 2,"))
    #expect(!plain.output.contains("\u{1B}"))
    let binary = try Child(
      Binaries.lull, ["get", sample.url + "/bytes/9"], environment: ["TERM": "xterm"],
      terminal: true
    ).wait()
    #expect(binary.output.contains("9 bytes not shown on a terminal"))
  }
}
