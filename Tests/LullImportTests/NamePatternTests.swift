import LullImport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct NamePatternTests {
  @Test func `IMP-23 a pattern is a glob over all of a name`() {
    #expect(NamePattern("repos/*").matches("repos/get"))
    #expect(!NamePattern("repos/*").matches("orgs/repos/get"))
    #expect(NamePattern("*get*").matches("repos/get/all"))
    #expect(NamePattern("a?c").matches("abc") && !NamePattern("a?c").matches("ac"))
    #expect(
      NamePattern("*").matches("") && NamePattern("").matches("") && !NamePattern("").matches("x"))
    // No pattern takes time beyond its length times that of the text.
    #expect(
      !NamePattern(String(repeating: "*a", count: 50)).matches(
        String(repeating: "a", count: 10_000) + "b"))
  }
}
