import LullTestSupport
import Testing

/// Colours while somebody types, and what history suggests, on the screen of a real terminal.
@Suite("Colours and suggestions at a prompt", .timeLimit(.minutes(20)))
struct ReplColourTests {
  @Test func `PRM-10 Lua has colours while it is typed`() throws {
    let screen = try Screen()
    try screen.type("local x = 'a' .. 12 -- why")
    try screen.wait(for: "\u{1B}[35mlocal\u{1B}[39m x = \u{1B}[32m'a'\u{1B}[39m .. ", colours: true)
    try screen.wait(for: "\u{1B}[36m12\u{1B}[39m \u{1B}[2m-- why", colours: true)
    try screen.press("C-c")
    try screen.wait(end: "^C\n>")
    try screen.type("x = 'unfinished")
    try screen.wait(for: "\u{1B}[33m'unfinished", colours: true)
    // It need not be drawn any more when Enter is there already.
    try screen.type("'\nfor i = 1, 2 do\nend")
    try screen.wait(for: ">> \u{1B}[35mend", colours: true)
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func `PRM-10 unless they are not wanted`(environment: [String: String]) throws {
    let state = try TemporaryFolder()
    try state.write("lull/history", "local old = 'suggested'\n")
    let child = try Child.prompt(
      state: state, environment: ["NO_COLOR": ""].merging(environment) { $1 })
    try child.type(("local x = 'a'", "'a'"), ("\n", "> "))
    #expect(try child.leave() == 0)
    #expect(!child.outputText.contains("m'a'"))
    #expect(!child.outputText.contains("suggested"))
  }

  /// The same keys at two terminals, one without colours, where libedit draws the line anew before each
  /// look, since it loses wide letters at the edge: the same line, and the cursor at the same place in it.
  @Test(arguments: [UInt64(1), 2, 3])
  func `PRM-11 colours move nothing`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let screens = try ["", "1"].map {
      try Screen(columns: 31, rows: 40, environment: ["NO_COLOR": $0, "LULL_HISTORY": ""])
    }
    let texts = [
      "local ", "'語語", "\"", "1.5e3 ", "end ", "é", "--[[", "]] ", "function(a) ", "語",
      "x = { ", "aaaaaaaaaaaaaaaaaaaaaaaaaa ", "\t\t",
    ]
    let keys = ["Left", "Left", "Right", "BSpace", "DC", "C-a", "C-e", "C-w", "C-t", "C-k", "C-y"]
    for step in 0..<40 {
      if Bool.random(using: &generator) {
        let text = texts[Int.random(in: 0..<texts.count, using: &generator)]
        for screen in screens { try screen.type(text) }
      } else {
        let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
        for screen in screens { try screen.press(key) }
      }
      guard step % 8 == 7 else { continue }
      try expectSame(screens, "\(seed), \(step)")
    }
    for screen in screens { try screen.resize(columns: 53, rows: 44) }
    for screen in screens { try screen.type("z") }
    try expectSame(screens, "\(seed), another size")
  }

  private func expectSame(_ screens: [Screen], _ step: String) throws {
    try screens[1].press("C-l")
    var texts: [String] = []
    // Until what was typed last has arrived at both.
    let deadline = Child.now + 60
    repeat {
      texts = try screens.map { screen in
        let cursor = try screen.cursor()
        let lines = try screen.text(joined: false).split(
          separator: "\n", omittingEmptySubsequences: false)
        let start = lines.firstIndex { $0.hasPrefix(">") } ?? 0
        return lines[start...].joined(separator: "\n")
          + "\n\(cursor.column) \(cursor.row - start)"
      }
      if texts[0] == texts[1] { return }
    } while Child.now < deadline
    Issue.record("\(step)\n\(texts[0])\n-- without colours --\n\(texts[1])")
  }

  @Test(arguments: ["Right", "End", "C-e", "C-f"])
  func `PRM-12 a suggestion is taken with a key that goes on`(key: String) throws {
    let state = try TemporaryFolder()
    try state.write("lull/history", "print('from ' .. 'before')\nprint('other')\nx = 1\n")
    let screen = try Screen(state: state)
    try screen.type("print('f")
    let shown = try screen.wait(for: "rom ' .. 'before')", colours: true)
    let before = try #require(shown.firstRange(of: "rom ' .. 'before')")).lowerBound
    #expect(shown[..<before].split(separator: "f").last?.contains("\u{1B}[2m") == true)
    let place = try screen.cursor()
    #expect(place.column == 10)
    try screen.press(key)
    try screen.type("\n")
    try screen.wait(for: "\nfrom before\n")
  }

  @Test func `PRM-12 one that is not taken goes`() throws {
    let state = try TemporaryFolder()
    try state.write("lull/history", "print('old' .. ' and suggested')\n")
    let screen = try Screen(state: state)
    try screen.type("print('old'")
    try screen.wait(for: " and suggested')")
    try screen.type(")\n")
    let text = try screen.wait(end: "\nold\n>")
    #expect(!text.contains("suggested"))
    // In the midst of a line nothing is suggested.
    try screen.type("print('old'")
    try screen.wait(end: "> print('old')")
    try screen.press("Left")
    try screen.wait(end: "> print('old'")
    try screen.press("C-c")
    // Its mark stands where the cursor was.
    #expect(try screen.wait(end: "^C\n>").contains("> print('old^C\n"))
  }

  @Test func `PRM-12 a statement of several lines is suggested as one`() throws {
    let child = try Child.prompt(environment: ["NO_COLOR": ""])
    try child.type(
      ("for i = 1, 2 do\n", ">> "), ("  print('row ' .. i)\n", ">> "), ("end\n", "row 2\r\n> "),
      ("for", "\u{1B}[2m i = 1, 2 do…\u{1B}[0m"), ("\u{1B}[C", "end"), ("\n", "row 2\r\n> "),
      ("for i = 1, 2 do\n", ">> "), ("  pr", "\u{1B}[2mint('row ' .. i)…"),
      ("\u{5}", "end"), ("\n", "row 1\r\nrow 2\r\n> "))
    #expect(try child.leave() == 0)
  }

  @Test func `PRM-13 control characters of a suggestion are shown, not sent`() throws {
    let state = try TemporaryFolder()
    try state.write("lull/history", "x = '\u{1B}]0;title\u{7}\u{1B}[31mred'\n")
    let screen = try Screen(state: state)
    try screen.type("x = ")
    try screen.wait(for: "> x = '\\x1B]0;title\\x07\\x1B[31mred'")
  }
}
