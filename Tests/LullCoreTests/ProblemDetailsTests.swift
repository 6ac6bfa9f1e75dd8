import LullCore
import Testing

@Suite("Problem details", .timeLimit(.minutes(20)))
struct ProblemDetailsTests {
  private func message(_ body: String, type: String = "application/problem+json") -> String? {
    var headers = Headers()
    headers["content-type"] = type
    return ProblemDetails(Array(body.utf8), headers)?.message
  }

  @Test(arguments: [
    (#"{"title":"No","detail":"Ask again"}"#, "No: Ask again"),
    (#"{"title":"No"}"#, "No"),
    (#"{"detail":" Ask\r\n again "}"#, "Ask again"),
    (#"{"title":"No such user","detail":"No such user: 7"}"#, "No such user: 7"),
    (#"{"title":7,"detail":"Ask"}"#, "Ask"),
    (#"{"title":"","detail":null}"#, nil),
    (#"{"title":"No""#, nil), ("[]", nil), (#""title""#, nil), ("", nil),
  ])
  func `ERR-17 title and detail are the message`(body: String, expected: String?) {
    #expect(message(body) == expected)
  }

  @Test func `ERR-17 other types, and what is too large, say nothing`() {
    let body = #"{"title":"No"}"#
    #expect(message(body, type: "application/json") == nil)
    #expect(message(body, type: "Application/Problem+JSON; charset=utf-8") == "No")
    #expect(message(body + String(repeating: " ", count: 65 << 10)) == nil)
    let long = message(#"{"title":"\#(String(repeating: "x", count: 900))"}"#)
    #expect(long?.count == 501)
  }
}
