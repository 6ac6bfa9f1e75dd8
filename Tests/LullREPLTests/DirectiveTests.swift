import Testing

@testable import LullREPL

@Suite("Commands of the session", .timeLimit(.minutes(20)))
struct DirectiveTests {
  @Test(arguments: [
    (".load a b.lua ", "load", "a b.lua"), ("  .help", "help", ""), (".foo\tbar", "foo", "bar"),
  ])
  func `are read from a line`(line: String, name: String, argument: String) throws {
    let directive = try #require(Directive(line))
    #expect(directive.name == name)
    #expect(directive.argument == argument)
  }

  @Test(arguments: [".5 + 1", "..", ". x", "x.load", ""])
  func `are not seen in Lua`(line: String) {
    #expect(Directive(line) == nil)
  }

  @Test(arguments: [
    (0.000_012_34, "12.3 µs"), (0.0056, "5.6 ms"), (0.123, "123 ms"), (2.0, "2.0 s"),
  ])
  func `times have three digits`(seconds: Double, text: String) {
    #expect(REPL.text(seconds) == text)
  }

  @Test func `columns go down then right`() {
    #expect(Columns.text(["a", "bb", "c", "d", "e"], width: 9) == "a   d\nbb  e\nc\n")
    #expect(Columns.text(["long word", "b"], width: 5) == "long word\nb\n")
    #expect(Columns.text(["a", "b", "c"], width: 80, limit: 2) == "a  b\n… 1 more\n")
  }
}
