import Testing

@testable import LullREPL

@Suite("Colours of a line", .timeLimit(.minutes(20)))
struct LineColoursTests {
  /// A letter for each character: keyword, number, string, open string, comment.
  private static func letters(_ text: String, after statement: String = "") -> String {
    let letters: [LineColours.Colour: Character] = [
      .plain: ".", .keyword: "k", .number: "n", .string: "s", .openString: "o", .comment: "c",
    ]
    return String(LineColours(text, after: statement).colours.map { letters[$0] ?? "?" })
  }

  @Test(arguments: [
    ("local x = 12", "kkkkk.....nn"), ("return 'a'", "kkkkkk.sss"), ("x = 'ab", "....ooo"),
    ("x --[[ y ]] + 1", "..ccccccccc...n"), ("f() -- é語", "....ccccc"), ("'語' and x", "sss.kkk.."),
    ("--[==[ open", "ccccccccccc"), ("[[a]] [[b", "sssss.ooo"), ("endx", "...."), ("", ""),
    (".load end", "........."), ("'a\nb", "oo.."), ("\"\\\"\" end", "ssss.kkk"),
  ])
  func `PRM-10 are those of its tokens`(text: String, expected: String) {
    #expect(Self.letters(text) == expected)
  }

  @Test func `PRM-10 lines before belong to it`() {
    #expect(Self.letters("b]] end", after: "x = [[a\n") == "sss.kkk")
    #expect(Self.letters(".5", after: "x = \n") == "nn")
    #expect(Self.letters("end", after: "--[[\n") == "ccc")
  }

  @Test func `PRM-12 the latest that begins so is suggested`() {
    var suggestions = Suggestions()
    for entry in ["print(1)", "print(22)", "local é = 1", "for i = 1, 2 do\n  print(i)\nend"] {
      suggestions.remember(entry)
    }
    #expect(suggestions.rest(after: "print") == "(22)")
    #expect(suggestions.rest(after: "print(1") == ")")
    #expect(suggestions.rest(after: "print(22)") == nil)
    #expect(suggestions.rest(after: "local é") == " = 1")
    // The same letter in two parts is another text.
    #expect(suggestions.rest(after: "local e\u{301}") == nil)
    #expect(suggestions.rest(after: "for i = 1, 2 do\n  p") == "rint(i)\nend")
    #expect(suggestions.rest(after: "") == nil)
    #expect(suggestions.rest(after: "  ") == nil)
  }

  @Test(arguments: [
    ("(22)", 20, "(22)", 4), ("(22)", 4, "(22…", 4), ("(22)", 1, "…", 1), ("a\nb", 20, "a…", 2),
    ("\u{1B}[31mx", 20, "\\x1B[31mx", 9), ("語語", 4, "語…", 3), ("\ta", 9, " a", 2),
    ("\u{202E}a", 20, "\\u{202E}a", 9),
  ])
  func `PRM-13 a suggestion stays in its row and moves nothing`(
    rest: String, columns: Int, shown: String, width: Int
  ) {
    #expect(
      LineDecoration.ghost(of: rest, columns: columns)
        == "\u{1B}[2m\(shown)\u{1B}[0m\u{1B}[\(width)D")
  }

  @Test func `PRM-13 without room there is none`() {
    #expect(LineDecoration.ghost(of: "abc", columns: 0) == "")
    #expect(LineDecoration.ghost(of: "abc", columns: -3) == "")
  }
}
