import Glibc
import Testing

@Suite("The bar of -O", .timeLimit(.minutes(10)))
struct ProgressBarTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ server: HeldServer, terminal: Bool) throws -> Child {
    try Child(
      Binaries.lull, ["get", server.url, "-O", terminal ? folder.path + "/data" : "-"],
      environment: ["TERM": "xterm"], terminal: terminal)
  }

  private static let half = [UInt8](repeating: 120, count: 1 << 20)

  @Test func `says how much of the whole is there`() throws {
    let server = try HeldServer(
      [[HeldServer.head("200 OK", "Content-Length: \(2 << 20)"), Self.half, Self.half]],
      released: 2)
    defer { server.stop() }
    let child = try start(server, terminal: true)
    let bar = String(repeating: "█", count: 15) + String(repeating: "░", count: 15)
    try child.waitForOutput("\r\u{1B}[K\(bar) 50 % 1.0 MB of 2.0 MB")
    server.release()
    let ending = try child.wait()
    // Nothing of it stays.
    #expect(ending.output.hasSuffix("\r\u{1B}[K"))
    #expect(ending.code == 0)
  }

  @Test func `says how much is there where the end is not known`() throws {
    let server = try HeldServer([[HeldServer.head(), Self.half, Self.half]], released: 2)
    defer { server.stop() }
    let child = try start(server, terminal: true)
    try child.waitForOutput("░ 1.0 MB")
    server.release()
    let ending = try child.wait()
    #expect(ending.output.contains("██████"))
    #expect(!ending.output.contains("%"))
    #expect(ending.output.hasSuffix("\r\u{1B}[K"))
    #expect(ending.code == 0)
  }

  @Test func `fits the terminal`() throws {
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

  @Test func `is for terminals only`() throws {
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
}
