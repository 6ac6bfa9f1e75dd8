import LullCassettes
import LullLibC
import Testing

/// Answers that take their time, and requests that are told of.
@Suite("lull mock: patience", .timeLimit(.minutes(20)))
struct MockPatienceTests {
  @Test func `MCK-25 with --delays recorded answers come as late as they were recorded`() throws {
    let entry = HAREntry(
      started: 1, milliseconds: 700,
      request: HARRequest(method: "GET", url: "https://api.shop.test/v2/a"),
      response: HARResponse(status: 200, body: HARBody(Array("late".utf8), type: "text/plain")))
    let file = HARFile(creator: .init(name: "test", version: "1"), entries: [entry]).encoded()
    let mock = try MockProcess(
      calls: "a = { path = \"/a\" }", files: ["a.har": file], "--cassette", "a.har", "--delays")
    #expect(try mock.body("/a") == "late")
    let line = try mock.end().errors
    // Of the log, and no more than what it says: it has waited at all.
    let time = try #require(line.firstMatch(of: /cassette (\d+)\.\d ms/)).1
    #expect(Int(time) ?? 0 >= 700, "\(line)")
  }

  @Test func `MCK-26 what a terminal obeys is spelled out where requests are told of`() throws {
    let mock = try MockProcess(calls: "a = { path = \"/a\" }")
    let client = try RawClient(mock)
    client.send("GET /a\u{1B}[31m\u{9B}x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    _ = client.readToEnd()
    client.send("")
    let bytes = try mock.end().errors
    #expect(!bytes.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B }, "\(bytes)")
    #expect(bytes.isEmpty || bytes.contains("GET /a"), "\(bytes)")
  }
}
