import LullLuaSource
import Testing

@testable import LullHost

@Suite("The mark under a line of code", .timeLimit(.minutes(20)))
struct CodeMarkTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let message: String
    let code: String
    /// What is marked; nil for nothing.
    let marked: String?
    var name = ""
    var kind = ""
    /// Which of the places that read like it, from 0.
    var occurrence = 0
    var testDescription: String { "\(message) in \(code)" }
  }

  private static let index = "attempt to index a nil value "

  @Test(arguments: [
    // Named values.
    Case(message: index + "(local 'x')", code: "print(x.y)", marked: "x"),
    Case(message: index + "(global 'x')", code: "local y = a.x + x.z", marked: "x", occurrence: 1),
    Case(message: index + "(field 'x')", code: "local y = x.x.z", marked: "x", occurrence: 1),
    Case(message: index + "(field 'x')", code: "local y = a['x'].z", marked: "'x'"),
    Case(message: index + "(upvalue 'x')", code: "x:go()", marked: "x"),
    Case(message: index + "(local 'x')", code: "f('x.y', x.y) -- x.y", marked: "x", occurrence: 1),
    Case(
      message: "attempt to call a nil value (method 'm')", code: "a.m = a:m()", marked: "m",
      occurrence: 1),
    Case(message: "attempt to call a nil value (global 'f')", code: "f'x'", marked: "f"),
    Case(
      message: "attempt to perform arithmetic on a nil value (local 'n')", code: "local n = n + 1",
      marked: "n", occurrence: 1),
    Case(
      message: "attempt to concatenate a nil value (field 'name')", code: "print('a' .. t.name)",
      marked: "name"),
    // Several that could be meant: the operator if there is one, else all of the code.
    Case(message: index + "(local 'x')", code: "  f(x.a, x.b)  ", marked: "f(x.a, x.b)"),
    Case(
      message: "attempt to perform arithmetic on a nil value (local 'n')", code: "return n * n",
      marked: "*"),
    Case(message: index + "(field '?')", code: "return t[1].x -- t", marked: "return t[1].x"),
    // Operators.
    Case(message: "attempt to compare number with nil", code: "if a < b then", marked: "<"),
    Case(message: "attempt to compare two table values", code: "a = b <= c", marked: "<="),
    Case(
      message: "attempt to compare number with nil", code: "if a < b and b < c then",
      marked: "if a < b and b < c then"),
    Case(message: "attempt to concatenate a table value", code: "x = {} .. ''", marked: ".."),
    Case(message: "attempt to get length of a number value", code: "x = #7", marked: "#"),
    Case(message: "attempt to add a 'string' with a 'number'", code: "x = 'a' + 1", marked: "+"),
    Case(message: "attempt to perform 'n%%0'", code: "x = 1 % 0", marked: "%"),
    Case(message: "attempt to divide by zero", code: "local function f(a)", marked: nil),
    Case(message: "number has no integer representation", code: "x = 1.5 | 2", marked: "|"),
    Case(message: "'for' initial value must be a number", code: "for i = {}, 3 do", marked: "for"),
    // Arguments.
    Case(message: "bad argument #2 to 'f' (no)", code: "f(a, b, c)", marked: "b"),
    Case(
      message: "bad argument #2 to 'f' (no)", code: "f(g(1, 2), { x, y }, 3)", marked: "{ x, y }"),
    Case(
      message: "bad argument #1 to 'f' (no)", code: "a.f(function() return 1, 2 end, 3)",
      marked: "function() return 1, 2 end"),
    Case(message: "bad argument #3 to 'f' (no)", code: "f(a, b)", marked: "f"),
    Case(message: "bad argument #1 to 'f' (no)", code: "f(a,", marked: "a"),
    Case(message: "bad argument #2 to 'f' (no)", code: "f(a, function()", marked: "f"),
    Case(message: "bad argument #1 to 'f' (no)", code: "f{ x = 1 }", marked: "f"),
    Case(message: "bad argument #1 to 'string.rep' (no)", code: "x = string.rep(y)", marked: "y"),
    Case(
      message: "bad argument #1 to 'rep' (no)", code: "a:rep(x) b.rep(y)", marked: "y",
      name: "rep", kind: "field"),
    // What was called.
    Case(
      message: "boom", code: "if x then error('boom') end", marked: "error", name: "error",
      kind: "global"),
    Case(
      message: "boom", code: "a.check(b:check())", marked: "check", name: "check", kind: "method",
      occurrence: 1),
    Case(
      message: "boom", code: "local function go() go() end", marked: "go", name: "go",
      kind: "local", occurrence: 1),
    Case(message: "boom", code: "f() f()", marked: "f() f()", name: "f", kind: "global"),
    Case(
      message: "boom", code: "for k in next do", marked: "for k in next do", name: "for iterator",
      kind: "for iterator"),
    // Names that messages of Lull quote.
    Case(
      message: "a Request has no field 'laod' (did you mean 'load'?)", code: "r:laod()",
      marked: "laod"),
    Case(message: "unknown setting 'x' (did you mean 'y'?)", code: "f{ x = 1 }", marked: "x"),
    Case(
      message: "unknown setting 'x'; there are y", code: "f{ ['x'] = x }", marked: "f{ ['x'] = x }"),
    Case(message: "'name' of a Service is read-only", code: "api.name = name", marked: "name"),
    // Nothing there.
    Case(message: "boom", code: "   -- only a comment", marked: nil),
    Case(message: "boom", code: "", marked: nil),
  ])
  func `is where the message says or under all of it`(_ one: Case) throws {
    let line = try #require(CodeLine(1, of: Array(one.code.utf8)))
    let range = CodeMark.range(
      for: one.message, callee: .init(name: one.name, kind: one.kind), on: line)
    #expect(range.map { String(decoding: line.source[$0], as: UTF8.self) } == one.marked)
    if let range, let marked = one.marked, one.occurrence > 0 || marked.utf8.count < 4 {
      let starts = line.source.indices.filter { line.source[$0...].starts(with: marked.utf8) }
      #expect(starts.firstIndex(of: range.lowerBound) ?? -1 >= one.occurrence)
    }
  }

  @Test func `is under the function that is defined there`() throws {
    let one = try #require(CodeLine(1, of: Array("x = { start = function() end }".utf8)))
    #expect(CodeMark.definition(on: one) == 14..<22)
    let two = try #require(CodeLine(1, of: Array("f(function() end, function() end)".utf8)))
    #expect(CodeMark.definition(on: two) == 0..<33)
  }

  @Test func `takes no text of strings and comments over several lines for code`() throws {
    let source = Array("a = [[\n x.y() \n]] b = x.y --[[\n x.y\n]]".utf8)
    let inside = try #require(CodeLine(2, of: source))
    #expect(CodeMark.range(for: Self.index + "(global 'x')", callee: nil, on: inside) == 8..<13)
    let after = try #require(CodeLine(3, of: source))
    let range = try #require(
      CodeMark.range(for: Self.index + "(global 'x')", callee: nil, on: after))
    #expect(range == 22..<23)
    let comment = try #require(CodeLine(4, of: source))
    #expect(comment.tokens == [])
  }

  @Test(arguments: ["a\nb\nc", "a\r\nb\r\nc", "a\rb\rc", "a\n\rb\n\rc"])
  func `counts lines as the interpreter does`(_ text: String) throws {
    let line = try #require(CodeLine(2, of: Array(text.utf8)))
    #expect(Array(line.bytes) == Array("b".utf8))
    #expect(CodeLine(4, of: Array(text.utf8)) == nil)
    #expect(CodeLine(0, of: Array(text.utf8)) == nil)
  }
}
