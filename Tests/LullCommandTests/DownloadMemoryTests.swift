import Testing

/// What a body that is written to a file costs of memory, and what a process leaves of it.
@Suite(.timeLimit(.minutes(20)))
struct DownloadMemoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let piece = [UInt8](repeating: 7, count: 1 << 20)

  private static func answer(_ count: Int) -> [[UInt8]] {
    [HeldServer.head("200 OK", "Content-Length: \(count << 20)", "ETag: \"a\"")]
      + [[UInt8]](repeating: piece, count: count)
  }

  private func script(_ server: HeldServer) -> String {
    """
    local lull = require "lull"
    local api = lull.service("\(server.url)")
    print(assert(api("/large"):download("large", { resume = true }):await()).content)
    """
  }

  @Test func `DWN-01 MEM-01 a file comes that is larger than the limit of memory`() throws {
    let server = try HeldServer([Self.answer(120)])
    defer { server.stop() }
    let ending = try lull("--max-memory", "24M", "-e", script(server), folder: folder.path)
    #expect(ending.output == "large\n", "\(ending)")
    #expect(try shell("stat -c %s large", folder: folder.path).output == "\(120 << 20)\n")
  }

  @Test(.measuringRelease)
  func `DWN-01 300 MB cost at most 2 MB of memory more than 2 MB do`() throws {
    let (small, large) = (try peak(2), try peak(300))
    #expect(large < small + (2 << 10), "\(large) KB beside \(small) KB")
  }

  /// The most memory, in KB, that the process had while so many MB came. Of that most are pages of
  /// libraries and of the program, as many as the machine happens to have mapped.
  private func peak(_ count: Int) throws -> Int {
    let server = try HeldServer([Self.answer(count)], released: count)
    defer { server.stop() }
    try folder.write("get.lua", script(server))
    let child = try Child(Binaries.released ?? "lull", ["get.lua"], folder: folder.path)
    // All but the last piece.
    try server.waitForSent(count, by: child)
    let status = try shell("grep VmHWM /proc/\(child.process)/status").output
    server.release()
    let ending = try child.wait()
    #expect(ending.output == "large\n", "\(ending)")
    return try #require(Int(status.filter(\.isNumber)), "\(status)")
  }

  @Test(arguments: [2, 9, 15] as [Int32])
  func `DWN-06 a signal leaves what has come, and its note`(signal: Int32) throws {
    let half = [
      HeldServer.head("200 OK", "Content-Length: 10", "ETag: \"a\""), Array("hello".utf8),
    ]
    let rest = [
      HeldServer.head(
        "206 Partial Content", "Content-Range: bytes 5-9/10", "Content-Length: 5"),
      Array("world".utf8),
    ]
    let server = try HeldServer([half + [Array("never".utf8)], rest], released: 2)
    defer { server.stop() }
    try folder.write("get.lua", script(server))
    let child = try Child(Binaries.lull, ["get.lua"], folder: folder.path)
    try child.wait(until: "the first half is there") {
      (try? shell("cat large.part", folder: folder.path).output) == "hello"
    }
    child.send(signal)
    _ = try child.wait()
    #expect(
      try shell("ls -A", folder: folder.path).output == "get.lua\nlarge.part\nlarge.part.lull\n")
    server.release(10)
    let ending = try lull("get.lua", folder: folder.path)
    #expect(ending.output == "large\n", "\(ending)")
    #expect(
      try shell("cat large; ls -A", folder: folder.path).output == "helloworldget.lua\nlarge\n")
    #expect(server.requests.last?.contains("range: bytes=5-") == true)
  }
}
