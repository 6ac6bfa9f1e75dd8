import Testing

@testable import LullREPL

@Suite("What people type by habit", .timeLimit(.minutes(20)))
struct HabitTests {
  @Test(arguments: ["exit", " quit ", "exit()", "quit()", ".exit", ".quit", ":q"])
  func `PRM-21 words that leave`(line: String) throws {
    guard case .leaving(let name)? = Habit(line) else {
      Issue.record("it does not leave")
      return
    }
    #expect((name == nil) == (line.first == "." || line.first == ":"))
  }

  @Test(arguments: [
    ("%edit", ".edit"), ("%save x.lua", ".save FILE"), ("%timeit f()", ".time EXPR"),
    ("%%bash", ".help"), ("%", ".help"), ("!ls -l", "os.execute(\"ls\")"), (" !", "os.execute"),
    ("api.load??", "api.load? describes"), ("?? lull.map", "lull.map? describes"),
    ("In[3]", ".edit 3"),
  ])
  func `PRM-22 what is not there is told with what is`(line: String, hint: String) {
    guard case .hint(let text, _)? = Habit(line) else {
      Issue.record("there is no hint")
      return
    }
    #expect(text.contains(hint))
    #expect(!text.contains("\n"))
  }

  @Test(arguments: [
    "exit = 1", "exit(1)", "os.exit()", "exit x", "quitter", "x % 2", "x ~= 1", "-- !", "a?", "?a",
    "1??", "??", "In", "In[x]", "In[1] = 2", "'%edit'", "", ".5", "::label::", ":quux",
  ])
  func `PRM-22 Lua is left alone`(line: String) {
    #expect(Habit(line) == nil)
  }
}
