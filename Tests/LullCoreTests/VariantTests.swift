import Testing

@testable import LullCore

/// What of a request an answer depends on. (RFC 9111, section 4.1)
@Suite(.timeLimit(.minutes(20)))
struct VariantTests {
  private func variant(_ vary: [String], _ request: [(String, String)]) -> Variant? {
    Variant(of: Headers(vary.map { ("Vary", $0) }), to: Headers(request))
  }

  @Test func `AGE-05 an answer without Vary has none`() {
    #expect(variant([], [("Accept", "x")]) == nil)
    #expect(variant(["", " , "], [("Accept", "x")]) == nil)
  }

  @Test func `AGE-05 the headers that are named have to be the same, and no others`() throws {
    let made = try #require(
      variant(["Accept-Language, X-A", "x-b"], [("accept-language", "de"), ("X-B", "1")]))
    let rows: [(headers: [(String, String)], isAnswered: Bool)] = [
      ([("Accept-Language", "de"), ("X-B", "1")], true),
      ([("X-B", "1"), ("Accept-Language", "de"), ("X-C", "2")], true),
      ([("Accept-Language", "en"), ("X-B", "1")], false),
      ([("Accept-Language", "DE"), ("X-B", "1")], false),
      ([("Accept-Language", "de")], false),
      ([("Accept-Language", "de"), ("X-B", "1"), ("X-A", "")], false),
      ([], false),
    ]
    for (headers, isAnswered) in rows {
      #expect(made.answers(Headers(headers)) == isAnswered, "\(headers)")
    }
  }

  @Test func `AGE-05 blanks around commas mean nothing, and repeated headers are one`() throws {
    let made = try #require(variant(["A"], [("A", "1,2 , 3")]))
    #expect(made.answers(Headers([("A", "1, 2"), ("A", "3")])))
    #expect(!made.answers(Headers([("A", "2, 1, 3")])))
    #expect(made == variant(["a"], [("a", "1, 2,3")]))
  }

  @Test func `AGE-05 what depends on more than headers answers nothing else`() throws {
    let made = try #require(variant(["A, *"], [("A", "1")]))
    #expect(!made.answers(Headers([("A", "1")])))
    #expect(!made.answers(Headers()))
  }
}
