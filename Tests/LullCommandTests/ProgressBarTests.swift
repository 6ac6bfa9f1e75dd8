import LullLibC
import LullTestSupport
import Testing

@Suite("Progress of requests", .timeLimit(.minutes(20)))
struct ProgressBarTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ server: HeldServer, terminal: Bool) throws -> Child {
    try Child(
      Binaries.lull, ["get", server.url, "-O", terminal ? folder.path + "/data" : "-"],
      environment: ["TERM": "xterm"], terminal: terminal)
  }

  private static let half = [UInt8](repeating: 120, count: 1 << 20)

  @Test func `SHOW-09 says how much of the whole is there`() throws {
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: \(2 << 20)"), Self.half, Self.half]],
      released: 2)
    defer { server.stop() }
    let child = try start(server, terminal: true)
    let bar = String(repeating: "█", count: 14) + String(repeating: "░", count: 14)
    try child.waitForOutput("\r\u{1B}[K\(bar) 50 % 1.0 MB of 2.0 MB")
    server.release()
    let ending = try child.wait()
    // Of the bar nothing stays.
    let closing = ending.output.split(separator: "\r\u{1B}[K").last ?? ""
    #expect(
      closing.wholeMatch(
        of: /lull: 2\.0 MB in \d+\.\d s, \d+\.\d [kM]B\/s: .*\/data\r\n/) != nil, "\(closing)")
    #expect(ending.code == 0)
  }

  @Test func `SHOW-09 says how much is there where the end is not known`() throws {
    let server = try HeldServer([[HeldServer.head(), Self.half, Self.half]], released: 2)
    defer { server.stop() }
    let child = try start(server, terminal: true)
    try child.waitForOutput("░ 1.0 MB")
    server.release()
    let ending = try child.wait()
    #expect(ending.output.contains("██████"))
    #expect(!ending.output.contains("%"))
    #expect(ending.output.contains("\r\u{1B}[Klull: 2.0 MB in "))
    #expect(ending.code == 0)
  }

  @Test func `SHOW-09 fits the terminal`() throws {
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: \(2 << 20)"), Self.half, Self.half]],
      released: 2)
    defer { server.stop() }
    let line = "stty cols 40 && '\(Binaries.lull)' get \(server.url) -O '\(folder.path)/data'"
    let child = try Child("bash", ["-c", line], environment: ["TERM": "xterm"], terminal: true)
    let bar = String(repeating: "█", count: 6) + String(repeating: "░", count: 6)
    try child.waitForOutput("\r\u{1B}[K\(bar) 50 % 1.0 MB of 2.0 MB")
    server.release()
    #expect(try child.wait().code == 0)
  }

  @Test func `SHOW-09 is for terminals only`() throws {
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: \(2 << 20)"), Self.half, Self.half]],
      released: 2)
    defer { server.stop() }
    let child = try start(server, terminal: false)
    try child.waitForOutput("xxx")
    // Long enough for a bar that must not come.
    usleep(200_000)
    server.release()
    let ending = try child.wait()
    #expect(ending.errors == "")
    #expect(ending.output.utf8.count == 2 << 20)
  }

  @Test func `SHOW-09 speed and time left are said where there is room`() throws {
    let pieces = (0..<20).map { _ in [UInt8](repeating: 120, count: 100 << 10) }
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: \(20 * 100 << 10)")] + pieces], released: 1)
    defer { server.stop() }
    let line = "stty cols 100 && '\(Binaries.lull)' get \(server.url) -O '\(folder.path)/data'"
    let child = try Child("bash", ["-c", line], environment: ["TERM": "xterm"], terminal: true)
    for _ in 0..<10 {
      server.release()
      usleep(150_000)
    }
    try child.waitForOutput(" left")
    server.release(10)
    let ending = try child.wait()
    #expect(
      ending.output.firstMatch(of: /% \d+\.\d [kM]B of 2\.0 MB, \d+\.\d [kM]?B\/s, 0:\d\d left/)
        != nil, "\(ending.output)")
    #expect(ending.code == 0)
  }

  @Test func `SHOW-10 a slow answer is waited for in so many words, and on a terminal only`() throws
  {
    let server = try HeldServer([[HeldServer.head(), Array("one".utf8)]], released: 0)
    defer { server.stop() }
    let child = try Child(
      Binaries.lull, ["get", server.url, "-o", "lines"], environment: ["TERM": "xterm"],
      terminal: true)
    try child.waitForOutput("\r\u{1B}[Kwaiting 1 s …")
    try child.waitForOutput("\r\u{1B}[Kwaiting 2 s …")
    server.release(2)
    let ending = try child.wait()
    #expect(ending.output.hasSuffix("\r\u{1B}[Kone\r\n"), "\(ending.output.debugDescription)")
    let other = try HeldServer([[HeldServer.head(), Array("one".utf8)]], released: 0)
    defer { other.stop() }
    let piped = try Child(Binaries.lull, ["get", other.url, "-o", "lines"])
    usleep(1_600_000)
    other.release(2)
    let end = try piped.wait()
    #expect(end.errors == "" && end.output == "one")
  }

  @Test func `SHOW-11 an upload is a bar and a closing line`() throws {
    // Its body is not read before that many bytes cannot be taken by anybody.
    let server = try #require(RawSocket.listen())
    defer { close(server.0) }
    #expect(try shell("head -c 60000000 /dev/zero > big", folder: folder.path).code == 0)
    let child = try Child(
      Binaries.lull,
      ["post", "http://127.0.0.1:\(server.1)", "-H", "Content-Type: x/y", "-d", "@big"],
      environment: ["TERM": "xterm"], folder: folder.path, terminal: true)
    let connection = try #require(RawSocket.accept(server.0))
    defer { close(connection) }
    try child.waitForOutput(" of 57.2 MB")
    Background.run {
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      var left = 60_000_000
      while left > 0 {
        let count = recv(connection, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        left -= count
      }
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
      send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
    }
    let ending = try child.wait()
    #expect(ending.output.contains("lull: 57.2 MB sent in "), "\(ending.output.suffix(300))")
    #expect(ending.code == 0)
  }

  @Test func `SHOW-12 pages are counted while they come`() throws {
    func page(_ next: String) -> [[UInt8]] {
      [
        HeldServer.head(
          "200 OK", "Content-Type: application/json", "Link: <\(next)>; rel=\"next\""),
        Array("[1, 2]".utf8),
      ]
    }
    let server = try HeldServer(
      [
        page("/2"), page("/3"),
        [HeldServer.head("200 OK", "Content-Type: application/json"), Array("[3]".utf8)],
      ],
      released: 4)
    defer { server.stop() }
    let child = try Child(
      Binaries.lull, ["get", server.url + "/1", "--all", "-o", "ndjson"],
      environment: ["TERM": "xterm"], terminal: true)
    try child.waitForOutput("\r\u{1B}[K2 pages, 4 rows, waiting 1 s …")
    server.release(2)
    let ending = try child.wait()
    #expect(ending.output.hasPrefix("1\r\n2\r\n1\r\n2\r\n"), "\(ending.output.debugDescription)")
    #expect(ending.output.hasSuffix("\r\u{1B}[K3\r\n"), "\(ending.output.debugDescription)")
  }

  @Test func `SHOW-10 what is written meanwhile takes the place of the line`() throws {
    let server = try HeldServer([[HeldServer.head("500 No"), Array("no".utf8)]], released: 0)
    defer { server.stop() }
    let child = try Child(
      Binaries.lull, ["get", server.url, "-v"], environment: ["TERM": "xterm", "NO_COLOR": "1"],
      terminal: true)
    try child.waitForOutput("waiting 1 s …")
    server.release(2)
    let ending = try child.wait()
    #expect(ending.output.contains(" …\r\u{1B}[K< HTTP/1.1 500 No\r\n"), "\(ending.output)")
    #expect(ending.code == 5)
  }
}
