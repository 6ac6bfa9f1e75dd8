import Testing

@testable import LullHost

@Suite("What a script still waits for", .timeLimit(.minutes(20)))
struct WaitNoticeTests {
  @Test func `is named with the longest first`() {
    let items = [
      WaitNotice.Item(name: "GET /b", since: 95), WaitNotice.Item(name: "GET /slow", since: 88),
    ]
    #expect(
      WaitNotice.text(items, at: 100.9) == "still waiting for: GET /slow (12 s), GET /b (5 s)")
  }

  @Test func `is cut to a few`() {
    let items = (1...10).map { WaitNotice.Item(name: "GET /\($0)", since: Double($0)) }
    #expect(
      WaitNotice.text(items, at: 20)
        == "still waiting for: GET /1 (19 s), GET /2 (18 s), GET /3 (17 s) and 7 more")
  }

  @Test func `is nothing if there is nothing`() {
    #expect(WaitNotice.text([], at: 0) == nil)
  }
}
