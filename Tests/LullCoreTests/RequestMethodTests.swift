import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct RequestMethodTests {
  @Test func `MTH-01 a method is a token in upper case, however it is written`() {
    #expect(RequestMethod(rawValue: "post") == .post)
    #expect(RequestMethod(rawValue: "x-Own_1")?.rawValue == "X-OWN_1")
    #expect(("report" as RequestMethod).description == "REPORT")
    for text in ["", "GET /", "A\r\nB", "PÖST", "A\u{0}"] {
      #expect(RequestMethod(rawValue: text) == nil)
    }
  }

  @Test func `MTH-02 methods in small letters configure what those in capitals do`() {
    withHarness { harness in
      harness.service.configure(requestMethods: ["post", .put]) { $0.headers["x"] = "1" }
      harness.service.resource("/a").request("post")
      harness.service.resource("/a").request(.get)
      #expect(harness.provider.requests.map(\.method) == [.post, .get])
      #expect(harness.provider.requests.map { $0.headers["x"] } == ["1", nil])
      harness.settle()
    }
  }

  @Test func `MTH-03 what is configured for a literal that is no method ends the program`() async {
    #expect(!("" as RequestMethod).isValid)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      withHarness { $0.service.configure(requestMethods: ["GET /"]) { _ in } }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("'GET /' is not an HTTP method"))
  }
}
