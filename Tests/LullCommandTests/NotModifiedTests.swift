import Testing

@Suite("304, to whom it was asked for", .timeLimit(.minutes(20)))
struct NotModifiedTests {
  private let server: HeldServer
  private let folder: TemporaryFolder

  init() throws {
    server = try HeldServer([[HeldServer.head("304 Not Modified", "ETag: \"abc\"")]])
    folder = try TemporaryFolder()
  }

  private static let item = #"If-None-Match:"abc""#

  @Test(arguments: [[item], ["-H", "If-Modified-Since: Tue, 01 Jan 2030 00:00:00 GMT"]])
  func `is an answer like another`(words: [String]) throws {
    defer { server.stop() }
    let ending = try Child(Binaries.lull, ["get", "-i", server.url] + words).wait()
    #expect(ending.output.hasPrefix("HTTP/1.1 304 Not Modified\n"))
    #expect(ending.output.contains("ETag: \"abc\"\n"))
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  @Test func `is shown beside the data`() throws {
    defer { server.stop() }
    let ending = try lull("get", "-v", server.url, Self.item)
    #expect(ending.output == "")
    #expect(ending.errors.contains("> if-none-match: \"abc\"\n"))
    #expect(ending.errors.contains("< HTTP/1.1 304 Not Modified\n< ETag: \"abc\"\n"))
    #expect(!ending.errors.contains("no response"))
    #expect(ending.code == 0)
  }

  @Test func `is told where nothing else shows it`() throws {
    defer { server.stop() }
    let ending = try lull("get", server.url, Self.item, "-f", "x.a")
    #expect(ending.output == "")
    #expect(ending.errors == "lull: not modified (304)\n")
    #expect(ending.code == 0)
  }

  @Test func `leaves the file as it is`() throws {
    defer { server.stop() }
    try folder.write("data", "old")
    let path = folder.path + "/data"
    let ending = try lull("get", server.url, Self.item, "-O", path)
    #expect(ending.errors == "lull: not modified (304): \(path) is unchanged\n")
    #expect(ending.code == 0)
    #expect(try shell("cat '\(path)'; ls -A '\(folder.path)'").output == "olddata\n")
  }

  @Test func `is a failure where nobody asked for it`() throws {
    defer { server.stop() }
    let ending = try lull("get", server.url)
    #expect(ending.errors.hasPrefix("lull: No data available (GET "))
    #expect(ending.code == 1)
  }
}
