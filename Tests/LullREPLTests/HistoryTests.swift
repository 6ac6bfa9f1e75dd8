import Testing

@testable import LullREPL

@Suite("History", .timeLimit(.minutes(20)))
struct HistoryTests {
  @Test(arguments: [
    "print(1)", "a\nb", "x = '\\n'", "x = '\\n'\ny = [[\\\\]]", "\u{1}marked", "\n", "a\n\n  b\\",
    "",
  ])
  func `gives back what it was given`(statement: String) {
    let line = History.encoded(statement)
    #expect(!line.utf8.contains(10))
    #expect(History.decoded(line) == statement)
  }

  @Test func `writes a line as it is`() {
    #expect(History.encoded("x = '\\n'") == "x = '\\n'")
  }
}
