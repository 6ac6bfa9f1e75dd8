import LullLuaSource
import Testing

@testable import LullHost
import LullSystem

@Suite("Lines of source in reports", .timeLimit(.minutes(20)))
struct ExcerptTests {
  private func excerpt(_ text: String, marking part: String) throws -> Excerpt {
    let source = Array(text.utf8)
    let line = try #require(CodeLine(1, of: source))
    let start = source.indices.first { source[$0...].starts(with: part.utf8) }
    return Excerpt(line, marked: start.map { $0..<$0 + part.utf8.count })
  }

  /// The characters above the carets.
  private func marked(_ excerpt: Excerpt) throws -> String {
    let mark = try #require(excerpt.mark)
    var column = 0
    var result = ""
    for character in excerpt.text {
      if mark.contains(column) { result.append(character) }
      column += TextWidth.of(character)
    }
    return result
  }

  @Test(arguments: [
    ("\tlocal x = y.z", "y"), ("\t\tx\ty.z", "y"), ("a = 'é' .. b", "b"),
    ("print('漢字', x)", "x"), ("print('e\u{301}', x)", "x"), ("f('🙂🙂', '👩‍👩‍👧', x.y)", "x.y"),
    ("漢.x = 1", "漢"),
  ])
  func `have their mark under what is marked`(text: String, part: String) throws {
    #expect(try marked(excerpt(text, marking: part)) == part)
  }

  @Test func `show tabs as blanks`() throws {
    #expect(try excerpt("\ta\tb", marking: "b").text == "    a   b")
  }

  @Test func `give a terminal nothing to act on`() throws {
    #expect(
      try excerpt("x = '\u{1B}[31m\u{7}\u{9B}'", marking: "x").text
        == "x = '\u{FFFD}[31m\u{FFFD}\u{FFFD}'")
  }

  @Test func `bear bytes that are no text`() throws {
    let source: [UInt8] =
      Array("a = '".utf8) + [0xFF, 0xC3, 0x28, 0xE2, 0x82] + Array("' .. b".utf8)
    let line = try #require(CodeLine(1, of: source))
    let excerpt = Excerpt(line, marked: source.count - 1..<source.count)
    #expect(try marked(excerpt) == "b")
  }

  @Test func `are cut around what is marked`() throws {
    let filling = String(repeating: "x = 1; ", count: 40)
    for (text, part) in [
      (filling + "here()", "here"), ("here() " + filling, "here"),
      (filling + "here() " + filling, "here"),
      (String(repeating: "漢", count: 100) + "here" + filling, "here"),
    ] {
      let excerpt = try excerpt(text, marking: part)
      #expect(try marked(excerpt) == part)
      #expect(TextWidth.of(excerpt.text) <= Excerpt.width)
      #expect(excerpt.text.contains("…"))
    }
    let all = try excerpt(filling, marking: String(filling.dropLast()))
    #expect(try #require(all.mark).upperBound <= Excerpt.width)
  }

  @Test func `stand beside their numbers`() throws {
    let line = try #require(CodeLine(2, of: Array("\nerror()".utf8)))
    let excerpt = Excerpt(line, marked: 1..<6, label: "at x.lua:2")
    #expect(
      excerpt.text(gutter: 3, style: .plain) == "  at x.lua:2\n    2 | error()\n      | ^^^^^\n")
  }
}
