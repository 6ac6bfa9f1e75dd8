import LullCore
import LullHost
import LullSystem
import Testing

@Suite("Values as they are shown", .timeLimit(.minutes(20)))
struct ShownValueTests {
  @Test(arguments: [
    ("nil", "nil"), ("true", "true"), ("1", "1"), ("1.0", "1.0"), ("-0.5", "-0.5"),
    ("'a\"b\\n\\0'", "\"a\\\"b\\n\\x00\""), ("{}", "{}"), ("lull.array{}", "[]"),
    ("lull.null", "null"), ("{1, {2}}", "{ 1, { 2 } }"),
    ("{b = 1, a = 2, [10] = 3, [true] = 4}", "{ [10] = 3, a = 2, b = 1, [true] = 4 }"),
    ("{['end'] = 1, ['a b'] = 2}", "{ [\"a b\"] = 2, [\"end\"] = 1 }"),
    ("{1, 2, x = 3}", "{ 1, 2, x = 3 }"),
    ("{{{{{}}}}}", "{ { { { {} } } } }"), ("{{{{{1}}}}}", "{ { { { {…} } } } }"),
    ("lull.sleep", "function lull.sleep(seconds)"),
    ("lull.json.encode", "function lull.json.encode(value, options?)"),
    ("function() end", "function (stdin:1)"),
    ("setmetatable({}, { __tostring = function() return 'mine' end })", "mine"),
    ("setmetatable({}, { __tostring = error })", "<table whose __tostring raises>"),
    ("setmetatable({}, { __index = error, __len = error, __pairs = error })", "{}"),
  ])
  func `each kind has its form`(expression: String, text: String) throws {
    try withSession { session in
      #expect(session.evaluate(expression) == .values([text]))
    }
  }

  @Test func `cycles end`() throws {
    try withSession("t = {} t.t = t t.u = { t }") { session in
      #expect(session.evaluate("t") == .values(["{ t = <cycle>, u = { <cycle> } }"]))
    }
  }

  @Test func `the same table twice is no cycle`() throws {
    try withSession("a = {1}") { session in
      #expect(session.evaluate("{a, a}") == .values(["{ { 1 }, { 1 } }"]))
    }
  }

  @Test func `long lists are cut off`() throws {
    try withSession("t = {} for i = 1, 1000000 do t[i] = 1 end") { session in
      guard case .values(let texts) = session.evaluate("t") else {
        Issue.record("no value")
        return
      }
      #expect(texts[0].contains("… 999960 more"))
      #expect(texts[0].split(separator: "\n").allSatisfy { $0.count <= 60 })
    }
  }

  @Test func `many fields are cut off`() throws {
    try withSession("t = {} for i = 1, 100 do t['k' .. i] = i end") { session in
      guard case .values(let texts) = session.evaluate("t") else {
        Issue.record("no value")
        return
      }
      #expect(texts[0].split(separator: "\n").count == 43)
      #expect(texts[0].contains("… 60 more"))
    }
  }

  @Test(arguments: [100, 9000, 30000])
  func `the first of many fields are shown`(count: Int) throws {
    try withSession("t = {} for i = \(count), 1, -1 do t[('k%05d'):format(i)] = i end") { session in
      guard case .values(let texts) = session.evaluate("t") else {
        Issue.record("no value")
        return
      }
      let lines = texts[0].split(separator: "\n")
      #expect(lines.count == 43)
      #expect(lines[1] == "  k00001 = 1,")
      #expect(lines[40] == "  k00040 = 40,")
      #expect(lines[41] == "  … \(count - 40) more")
    }
  }

  @Test func `keys of several kinds are in order`() throws {
    try withSession("t = {} for i = 1, 60 do t['k' .. i] = i t[i * 2.5] = i end t[true] = 0") {
      session in
      guard case .values(let texts) = session.evaluate("t") else {
        Issue.record("no value")
        return
      }
      let lines = texts[0].split(separator: "\n")
      #expect(lines[1] == "  [2.5] = 1,")
      #expect(lines[40] == "  [100] = 40,")
      #expect(lines[41] == "  … 81 more")
    }
  }

  @Test(arguments: [
    ("'\\255\\254'", "\"\\xFF\\xFE\""), ("'a\\xC3'", "\"a\\xC3\""),
    ("'\\xC3\\xA4\\xE2\\x82'", "\"ä\\xE2\\x82\""), ("'\\xED\\xA0\\x80'", "\"\\xED\\xA0\\x80\""),
    ("'\\27[31m'", "\"\\x1B[31m\""), ("'\\u{202E}x\\u{85}'", "\"\\u{202E}x\\u{85}\""),
    ("'\u{FFFD}'", "\"\u{FFFD}\""), ("{['\\xFF'] = '\\xFE'}", "{ [\"\\xFF\"] = \"\\xFE\" }"),
  ])
  func `bytes that are no text are escaped`(expression: String, text: String) throws {
    try withSession { session in
      #expect(session.evaluate(expression) == .values([text]))
    }
  }

  @Test func `read only tables show what they hold`() throws {
    try withSession(
      "api = lull.service('https://api.test')", "api:configure{ expiration_time = 7 }"
    ) {
      session in
      guard case .values(let texts) = session.evaluate("api:configuration_for('/x')") else {
        Issue.record("no value")
        return
      }
      #expect(texts[0].contains("expiration_time = 7"))
      session.evaluate("s = lull.inspect(api:configuration_for('/x'))")
      #expect(session.evaluate("s:find('expiration_time = 7') ~= nil") == .values(["true"]))
    }
  }

  @Test func `long strings inside a table are cut off`() throws {
    try withSession { session in
      #expect(
        session.evaluate("{('x'):rep(500)}")
          == .values(["{\n  \"" + String(repeating: "x", count: 120) + "\"…\n}"]))
    }
  }

  @Test func `what does not fit on a line takes several`() throws {
    try withSession { session in
      #expect(
        session.evaluate("{name = ('n'):rep(30), mail = ('m'):rep(30)}")
          == .values([
            """
            {
              mail = "\(String(repeating: "m", count: 30))",
              name = "\(String(repeating: "n", count: 30))"
            }
            """
          ]))
    }
  }

  @Test func `objects with the same keys are a table`() throws {
    try withSession { session in
      #expect(
        session.evaluate("{ {id = 7, name = 'Ann'}, {id = 12, name = 'Benedict'} }")
          == .values([
            """
            id  name
             7  Ann
            12  Benedict
            """
          ]))
    }
  }

  @Test func `objects with other keys are no table`() throws {
    try withSession { session in
      #expect(
        session.evaluate("{ {id = 7}, {id = 8, x = 1} }")
          == .values(["{ { id = 7 }, { id = 8, x = 1 } }"]))
    }
  }

  @Test func `a table has its limits`() throws {
    try withSession(
      "rows = {} for i = 1, 30 do rows[i] = {a = i, b = ('b'):rep(50), c = ('c'):rep(50)} end"
    ) { session in
      guard case .values(let texts) = session.evaluate("rows") else {
        Issue.record("no value")
        return
      }
      let lines = texts[0].split(separator: "\n")
      #expect(lines.count == 23)
      #expect(lines[1] == " 1  " + String(repeating: "b", count: 39) + "…")
      #expect(lines.suffix(2) == ["… 10 more", "(1 more column)"])
    }
  }

  @Test func `resources have state and age`() throws {
    try withSession(
      """
      api = lull.service{ base_url = 'https://api.test/', networking = lull.testing.stub{
        ['GET /users'] = { json = { { id = 1, name = 'Ann' }, { id = 2, name = 'Ben' } } } } }
      """,
      "users = api('/users')"
    ) { session in
      #expect(session.evaluate("users") == .values(["Resource(/users [])"]))
      session.evaluate("users:load():await() lull.sleep(4)")
      #expect(session.evaluate("users") == .values(["Resource(/users [D] 4 s old)"]))
      session.evaluate("lull.sleep(200)")
      #expect(session.evaluate("users") == .values(["Resource(/users [D] 3 min old)"]))
    }
  }

  private static let served = """
    api = lull.service{ base_url = 'https://api.test/', networking = lull.testing.stub{
      ['GET /users'] = {
        headers = { ['content-type'] = 'application/json' },
        body = '[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Ben"}]' },
      ['GET /many'] = {
        headers = { ['content-type'] = 'application/json' },
        body = '[' .. ('{"id": 1, "name": "Ann", "tags": ["a", "b"]},'):rep(20000):sub(1, -2) .. ']' } } }
    """

  @Test func `documents are shown as they are`() throws {
    try withSession(Self.served, "entity = api('/users'):load():await()") { session in
      let text = "id  name\n 1  Ann\n 2  Ben"
      #expect(session.evaluate("entity") == .values(["Entity(application/json)\n" + text]))
      #expect(session.evaluate("entity.document") == .values(["Document(2 elements)\n" + text]))
      #expect(
        session.evaluate("entity.document[2]")
          == .values(["Document(2 members)\n{ id = 2, name = \"Ben\" }"]))
      #expect(session.evaluate("{ entity.document }") == .values(["{ Document(2 elements) }"]))
    }
  }

  /// As tables it would take several megabytes; so it does once somebody asks for them.
  @Test(arguments: ["entity", "entity.document"])
  func `documents are shown without building tables`(expression: String) throws {
    try withSession(
      Self.served, "entity = api('/many'):load():await()",
      "collectgarbage() collectgarbage('stop') before = collectgarbage('count')"
    ) { session in
      guard case .values(let texts) = session.evaluate(expression) else {
        Issue.record("no value")
        return
      }
      #expect(texts[0].contains("… 19980 more"))
      #expect(session.evaluate("collectgarbage('count') - before < 500") == .values(["true"]))
      session.evaluate("tables = entity.content")
      #expect(session.evaluate("collectgarbage('count') - before > 2000") == .values(["true"]))
    }
  }

  @Test func `colours are around what they colour`() {
    let value = ShownValue.list([.atom("1", .number), .atom("\"a\"", .string)], more: .none)
    #expect(
      TerminalText.visible(ShownValueText(width: 80, colours: true).text(value))
        == "{ \u{1B}[36m1\u{1B}[0m, \u{1B}[32m\"a\"\u{1B}[0m }")
  }
}
