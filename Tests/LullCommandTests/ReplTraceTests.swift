import Testing

/// `.trace`, and the order in which tables show what the server has sent.
@Suite("Answers at a prompt", .timeLimit(.minutes(20)))
struct ReplTraceTests {
  private static let stub = """
    stub = lull.testing.stub{ ['GET /u'] = { headers = { ['content-type'] = 'application/json' }, \
    body = '[{"zeta":1,"name":"語","alpha":null},{"zeta":22,"name":"b","alpha":3}]' }, \
    ['GET /n'] = { status = 404 }, ['GET /e'] = { headers = { ['content-type'] = 'text/plain' }, \
    body = '\\27[31mred' } }
    """

  @Test func `PRM-19 trace shows what each step made of the last answer`() throws {
    let screen = try Screen(columns: 140, environment: ["NO_COLOR": "1"])
    try screen.type(".trace\n")
    try screen.wait(for: "lull: no request of this session has completed yet")
    try screen.type(
      Self.stub + "\napi = lull.service{ base_url = 'http://a.test', networking = stub }\n"
        + "api:transform('/u', function(c) return { first = c[1].name } end)\n")
    try screen.type("api('/u'):load()\n.trace\n")
    let text = try screen.wait(until: "the trace is there") { $0.contains("as received") }
    let lines = text.split(separator: "\n").suffix(8).map(String.init)
    let start = try #require(lines.firstIndex { $0.hasPrefix("GET http://a.test/u → 200") })
    let rows = lines[start...].dropFirst().prefix { $0 != ">" }
    #expect(rows.first?.split(separator: " ") == ["stage", "step", "type", "bytes", "begins"])
    #expect(
      rows.contains { row in
        [" as received ", " data ", "[{\\\"zeta\\\":1,"].allSatisfy { row.contains($0) }
      })
    #expect(
      rows.contains { row in
        row.hasPrefix("parsing ") && row.contains("json") && row.contains("zeta = 1")
      })
    #expect(rows.last?.hasPrefix("model ") == true)
    #expect(rows.last?.hasSuffix("{ first = \"語\" }") == true)
    // What would say what it is is not asked in the midst of a pipeline.
    try screen.type(
      "api:transform('/u', function(c) return { setmetatable({}, { __tostring = function() "
        + "print('called') return 'x' end }) } end)\napi('/u'):load():await() return 0\n.trace\n")
    let asked = try screen.wait(for: "{ <table> }")
    #expect(!asked.contains("\ncalled"))
    try screen.type("api('/n'):load()\n.trace\n")
    try screen.wait(for: "GET http://a.test/n → 404, Not found")
    try screen.type("api('/e'):load()\n.trace\n")
    try screen.wait(for: "\"\\x1B[31mred\"")
    // As far as a narrower window has room.
    try screen.resize(columns: 60, rows: 24)
    try screen.type("api('/u'):load()\n.trace\n")
    try screen.wait(until: "the row is cut") { text in
      text.split(separator: "\n").contains { $0.contains("as received") && $0.hasSuffix("…") }
    }
  }

  @Test func `PRM-19 there is none in a pipe`() throws {
    #expect(try lull("repl", input: ".trace\n").errors.contains("unknown command '.trace'"))
  }

  @Test func `PRM-20 columns are in the order of the server, numbers at the right`() throws {
    let child = try Child.prompt()
    try child.type(
      (Self.stub + "\n", "\r\n> "),
      ("api = lull.service{ base_url = 'http://a.test', networking = stub }\n", "\r\n> "),
      (
        "api('/u'):load():await().content\n",
        "]:\r\nzeta  name  alpha\r\n   1  語     null\r\n  22  b         3\r\n> "
      ),
      // What is added comes behind, what is taken away is missing.
      (
        "r = lull.json.decode('{\"z\":1,\"b\":2,\"a\":3}') r.n = 4 r.b = nil return r\n",
        "]: { z = 1, a = 3, n = 4 }\r\n> "
      ), ("{ z = 1, a = 2 }\n", "]: { a = 2, z = 1 }\r\n> "),
      (
        "lull.json.decode('[{\"d\":{\"y\":1,\"x\":2},\"c\":1},{\"d\":{\"y\":1,\"x\":2},\"c\":2}]')\n",
        "]:\r\nd                 c\r\n{ y = 1, x = 2 }  1\r\n{ y = 1, x = 2 }  2\r\n> "
      ))
    #expect(try child.leave() == 0)
  }
}
