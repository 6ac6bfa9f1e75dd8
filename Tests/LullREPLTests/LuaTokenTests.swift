import LullHost
import LullLuaSource
import Testing

@Suite("Tokens of a line", .timeLimit(.minutes(20)))
struct LuaTokenTests {
  private func tokens(_ text: String) -> [String] { LuaToken.all(in: text.utf8).map(\.text) }
  private func kinds(_ text: String) -> [LuaToken.Kind] {
    LuaToken.all(in: text.utf8).map(\.kind)
  }

  @Test func `takes a line apart`() {
    #expect(
      tokens("local x<const> = a.b:c(1.5e-3, 'q\\'s') .. [==[]]]==] -- rest")
        == [
          "local", "x", "<", "const", ">", "=", "a", ".", "b", ":", "c", "(", "1.5e-3", ",",
          "q\\'s", ")", "..", "]]",
        ])
  }

  @Test func `comments are left out`() {
    #expect(tokens("a --[[ b\n c ]] d --[==[ ]] ]==] e -- f\ng") == ["a", "d", "e", "g"])
  }

  @Test(arguments: ["'abc", "\"a\\\"", "[[a\n]", "[=[ ]]"])
  func `strings that do not end`(text: String) {
    #expect(kinds("x " + text) == [.name, .openString])
  }

  @Test func `comments that do not end`() {
    #expect(kinds("x --[[ y") == [.name, .openComment])
  }

  @Test func `numbers and dots`() {
    #expect(tokens("1..2") == ["1..2"])
    #expect(tokens("0x1p-2 .5 a...b ... ") == ["0x1p-2", ".5", "a", "...", "b", "..."])
  }
}
