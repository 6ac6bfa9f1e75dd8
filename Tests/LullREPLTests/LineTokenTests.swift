import LullHost
import Testing

@Suite("Tokens of a line")
struct LineTokenTests {
  private func tokens(_ text: String) -> [String] { LineToken.all(in: text.utf8).map(\.text) }
  private func kinds(_ text: String) -> [LineToken.Kind] {
    LineToken.all(in: text.utf8).map(\.kind)
  }

  @Test func takesALineApart() {
    #expect(
      tokens("local x<const> = a.b:c(1.5e-3, 'q\\'s') .. [==[]]]==] -- rest")
        == [
          "local", "x", "<", "const", ">", "=", "a", ".", "b", ":", "c", "(", "1.5e-3", ",",
          "q\\'s", ")", "..", "]]",
        ])
  }

  @Test func commentsAreLeftOut() {
    #expect(tokens("a --[[ b\n c ]] d --[==[ ]] ]==] e -- f\ng") == ["a", "d", "e", "g"])
  }

  @Test(arguments: ["'abc", "\"a\\\"", "[[a\n]", "[=[ ]]"])
  func stringsThatDoNotEnd(text: String) {
    #expect(kinds("x " + text) == [.name, .openString])
  }

  @Test func commentsThatDoNotEnd() {
    #expect(kinds("x --[[ y") == [.name, .openComment])
  }

  @Test func numbersAndDots() {
    #expect(tokens("1..2") == ["1..2"])
    #expect(tokens("0x1p-2 .5 a...b ... ") == ["0x1p-2", ".5", "a", "...", "b", "..."])
  }
}
