import LullLibC
import LullTestSupport

/// A redis-server on a socket and a port of its own, Debian's or the program that `LULL_TEST_REDIS_SERVER` names.
/// Ends with this object.
final class Redis {
  private static let program = Binaries.environment("LULL_TEST_REDIS_SERVER") ?? "redis-server"
  /// Whether it can be asked by TLS, which not everybody builds in.
  static var hasTLS: Bool { Binaries.environment("LULL_TEST_REDIS_SERVER") == nil }
  /// What it calls itself.
  static var shownName: String { program.contains("valkey") ? "valkey" : "redis" }

  private let folder: TemporaryFolder
  private let child: Child
  let port: UInt16
  var socket: String { "\(folder.path)/redis.sock" }
  /// As Lull is told of it.
  var url: String { "unix://\(socket)" }

  /// - Parameter options: for the command line.
  init(_ options: [String] = []) throws {
    folder = try TemporaryFolder()
    guard let port = RawSocket.freePorts(1).first else {
      throw Child.Failure(description: "no port is free")
    }
    self.port = port
    let path = folder.path
    child = try Child(
      Redis.program,
      [
        "--bind", "127.0.0.1", "--port", "\(port)", "--unixsocket", "\(path)/redis.sock", "--save",
        "", "--appendonly", "no", "--dir", path,
      ] + options)
    try child.wait(until: "it listens") {
      access("\(path)/redis.sock", F_OK) == 0 && RawSocket.isAnswering(port, within: 1)
    }
  }

  deinit { child.send(SIGKILL) }

  func kill() { child.send(SIGKILL) }

  func say(_ words: String...) throws -> String {
    try Child("redis-cli", ["-s", socket] + words).wait().output
  }
}
