import LullHost
import Testing

@Suite("Variables of a session", .timeLimit(.minutes(20)))
struct SessionVariableTests {
  @Test func `locals of a line are there for the next`() throws {
    try withSession("local a, b = 1, 'two'") { session in
      #expect(session.evaluate("a, b") == .values(["1", "\"two\""]))
      session.evaluate("a = a + 10")
      #expect(session.evaluate("a") == .values(["11"]))
      #expect(session.evaluate("rawget(_G, 'a')") == .values(["nil"]))
    }
  }

  @Test func `a local that is nil hides the global`() throws {
    try withSession("x = 1", "local x") { session in
      #expect(session.evaluate("x, _G.x") == .values(["nil", "1"]))
      session.evaluate("x = 2")
      #expect(session.evaluate("x, _G.x") == .values(["2", "1"]))
    }
  }

  @Test func `the last of several locals of a name counts`() throws {
    try withSession("local x = 1 local x = x + 1") { session in
      #expect(session.evaluate("x") == .values(["2"]))
    }
  }

  @Test func `a function keeps its own locals`() throws {
    try withSession("local n = 0 function count() n = n + 1 return n end") { session in
      #expect(session.evaluate("count(), count()") == .values(["1", "2"]))
      #expect(session.evaluate("n") == .values(["0"]))
      session.evaluate("n = 50")
      #expect(session.evaluate("count()") == .values(["3"]))
    }
  }

  @Test func `local functions call themselves`() throws {
    try withSession("local function fact(n) return n < 2 and 1 or n * fact(n - 1) end") { session in
      #expect(session.evaluate("fact(5)") == .values(["120"]))
    }
  }

  @Test(arguments: [
    "local c <const> = 5", "local c <const>, d = 5, 6", "local a, c <const> = 1, 5",
    "local c < const > = 5", "local\nc <const>\n= 5", "local f <close>, c <const> = nil, 5",
  ])
  func `constants are variables too`(line: String) throws {
    try withSession(line) { session in
      #expect(session.evaluate("c") == .values(["5"]))
    }
  }

  @Test func `a constant cannot be assigned to on its own line`() throws {
    try withSession { session in
      #expect(
        session.evaluate("local c <const> = 5 c = 6")
          == .failed("stdin:1: attempt to assign to const variable 'c'"))
      #expect(session.evaluate("c") == .values(["nil"]))
    }
  }

  @Test func `a comparison with const is none`() throws {
    try withSession("a, const, b = 1, 2, 3") { session in
      #expect(session.evaluate("local r = a <const") == .values([]))
      #expect(session.evaluate("r") == .values(["true"]))
    }
  }

  @Test func `what is to be closed is closed first`() throws {
    try withSession(
      "log = {}",
      """
      local c <close> = setmetatable({}, { __close = function() log[#log + 1] = 'closed' end })
      """
    ) { session in
      #expect(session.evaluate("log[1], type(c)") == .values(["\"closed\"", "\"table\""]))
    }
  }

  @Test(arguments: [
    "do local q = 1 end", "if true then local q = 1 return end", "for q = 1, 3 do end",
    "while true do local q = 1 break end", "repeat local q = 1 until q",
    "for i = 1, 2 do local q = i return end", "local function f() local q = 1 return q end f()",
    "if false then else local q = 1 return end", "do local r = 1 do local q = 2 return end end",
    "if false then elseif true then local q = 1 return end",
    "for _, q in pairs{1} do return end",
  ])
  func `locals of a block are not`(line: String) throws {
    try withSession(line) { session in
      #expect(session.evaluate("q") == .values(["nil"]))
    }
  }

  @Test func `what was declared before an early return is there`() throws {
    try withSession("local e = 1 if e then local f = 2 return end local f = 3") { session in
      #expect(session.evaluate("e, f") == .values(["1", "nil"]))
    }
  }

  @Test func `locals are there also after a tail call`() throws {
    try withSession("local t = 4 return (function() t = 5 return 'x' end)()") { session in
      #expect(session.evaluate("t, _") == .values(["5", "\"x\""]))
    }
  }

  @Test func `goto passes over locals`() throws {
    try withSession("goto done local g = 1 ::done::") { session in
      #expect(session.evaluate("g") == .values(["nil"]))
    }
  }

  @Test func `the line has no arguments`() throws {
    try withSession { session in
      #expect(session.evaluate("select('#', ...)") == .values(["0"]))
    }
  }

  @Test func `the last value is underscore`() throws {
    try withSession("6 * 7") { session in
      #expect(session.evaluate("_") == .values(["42"]))
      session.evaluate("x = 1")
      #expect(session.evaluate("_ + 1") == .values(["43"]))
      #expect(session.evaluate("nil") == .values(["nil"]))
      #expect(session.evaluate("_") == .values(["nil"]))
    }
  }

  @Test func `an error leaves everything as it was`() throws {
    try withSession("local a = 1", "b = 2", "3") { session in
      #expect(
        session.evaluate("local c = 9 a = 5 b = 6 d = 7 _ = 8 error('no', 0)") == .failed("no"))
      #expect(session.evaluate("a, b, c, d, _") == .values(["1", "2", "nil", "nil", "3"]))
    }
  }

  @Test func `an error after a wait takes back only what the line assigned`() throws {
    try withSession("mine, others = 1, 1") { session in
      session.evaluate("lull.spawn(function() lull.sleep(1) others = 2 end)")
      #expect(
        session.evaluate("mine = 2 lull.sleep(2) mine = 3 error('late', 0)") == .failed("late"))
      #expect(session.evaluate("mine, others") == .values(["1", "2"]))
    }
  }

  @Test func `a line may wait`() throws {
    try withSession { session in
      #expect(
        session.evaluate("local before = lull.now() lull.sleep(5) return lull.now() - before")
          == .values(["5.0"]))
      #expect(session.evaluate("lull.spawn(function() return 7 end):await()") == .values(["7"]))
    }
  }

  @Test(arguments: [
    ("=1 + 1", "2"), ("  = 'a'", "\"a\""), ("return 3", "3"), ("(2)", "2"), (".5 + .5", "1.0"),
  ])
  func `expressions give their value`(line: String, value: String) throws {
    try withSession { session in
      #expect(session.evaluate(line) == .values([value]))
    }
  }

  @Test(arguments: [
    "for i = 1, 2 do", "f(", "x =", "function f()", "{", "--[[", "[[", "if x then", "return {",
    "local a <close> =", "a.",
  ])
  func `what is not complete wants more`(line: String) throws {
    try withSession { session in
      #expect(session.evaluate(line) == .incomplete)
    }
  }

  @Test(arguments: ["x = = 1", "end", "'open", "f)", "1 2", "goto nowhere", "break"])
  func `what is wrong is said so`(line: String) throws {
    try withSession { session in
      guard case .failed(let message) = session.evaluate(line, firstLine: 7) else {
        Issue.record("\(line) did not fail")
        return
      }
      #expect(message.hasPrefix("stdin:7:"))
    }
  }

  @Test func `messages name the line`() throws {
    try withSession { session in
      #expect(
        session.evaluate("local x\nerror('here')", firstLine: 40) == .failed("stdin:41: here"))
    }
  }

  @Test func `precompiled chunks are refused`() throws {
    try withSession { session in
      let reading = session.read(file: [0x1B, 0x4C, 0x75, 0x61], name: "x.luac")
      guard case .failed = reading else {
        Issue.record("a binary chunk was accepted")
        return
      }
    }
  }

  @Test func `files leave their locals`() throws {
    try withSession { session in
      let file = Array("local inFile = 1\nfunction fromFile() return inFile end".utf8)
      guard case .ready(let line) = session.read(file: file, name: "f.lua"),
        case .finished = session.run(line, show: { _ in })
      else {
        Issue.record("the file did not run")
        return
      }
      #expect(session.evaluate("inFile, fromFile()") == .values(["1", "1"]))
    }
  }

  @Test func `there is one session at a time`() throws {
    try withSession { session, host in
      #expect(LuaSession(host) == nil)
      #expect(session.evaluate("lull.repl()") == .failed("stdin:1: a REPL is open already"))
    }
  }
}
