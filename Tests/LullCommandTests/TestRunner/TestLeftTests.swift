import LullCassettes
import Testing

/// Recordings of which something is left, and what is told of what is in them.
@Suite("lull test: what is left of recordings", .timeLimit(.minutes(20)))
struct TestLeftTests {
  private let files: TestFiles

  init() throws { files = try TestFiles() }

  private static func entry(
    _ method: String, _ path: String, _ answer: String, asked: [HARHeader] = []
  ) -> HAREntry {
    HAREntry(
      started: 1_735_689_600, milliseconds: 0,
      request: HARRequest(method: method, url: "https://x.test" + path, headers: asked, body: nil),
      response: HARResponse(
        status: 200, headers: [HARHeader("Content-Type", "application/json")],
        body: HARBody(Array(answer.utf8), type: "application/json")))
  }

  private func record(_ entries: HAREntry..., as name: String = "a") throws {
    let file = HARFile(creator: HARFile.Creator(name: "test", version: "1"), entries: entries)
    try files.folder.write("cassettes/\(name).har", file.encoded())
  }

  @Test func `CAS-41 a skipped test may ask for what is left, of the recordings of its file`()
    throws
  {
    try record(
      TestLeftTests.entry("GET", "/a", "{}"), TestLeftTests.entry("GET", "/b", "{}"))
    try record(TestLeftTests.entry("GET", "/a", "{}"), as: "other")
    let load = "t:service('https://x.test', { cassette = 'a' })"
    let test = "test(\"a\", function(t) \(load)(\"/a\"):load():await() end)\n"
    try files.write("one_test.lua", test + "test.skip(\"b\", function() end)")
    #expect(try files.run("one_test.lua", "--strict").code == 0)
    // Of those of another file nothing is left to it.
    try files.write("one_test.lua", test)
    try files.write("more/two_test.lua", "test.skip(\"b\", function() end)")
    let strict = try files.run(".", "--strict")
    #expect(strict.code == 1)
    #expect(strict.output.contains("lull: no test uses 1 of 2 recordings"), "\(strict.output)")
    #expect(strict.output.contains("lull: no test uses the recording ./cassettes/other.har\n"))
    // Another file of the folder may name it.
    try files.write("three_test.lua", "test(\"c\", function() end)")
    #expect(!(try files.run("one_test.lua").output.contains("no test uses the recording")))
  }

  @Test func `CAS-33 what a recording has of control characters is shown as escapes`() throws {
    try record(
      TestLeftTests.entry("GET", "/a\u{1B}[31m", "{}", asked: [HARHeader("X-A", "\u{1B}[32m")])
    )
    let miss = try files.prove(
      """
        t:service("https://x.test", { cassette = "a", match = { "x-a" } })("/b"):load():await()
      """)
    #expect(miss.code == 1)
    #expect(miss.output.contains("\\x1B[32m"), "\(miss.output)")
    #expect(!miss.output.contains("\u{1B}"))
  }
}
