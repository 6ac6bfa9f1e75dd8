import LullLibC
import LullTestSupport

/// A redis-server on a socket and a port of its own, Debian's or the program that `LULL_TEST_REDIS_SERVER` names;
/// ends with this object.
final class RedisServer {
  /// Whether it can be asked by TLS, which not everybody builds in.
  static let hasTLS = getenv("LULL_TEST_REDIS_SERVER") == nil
  private static let program =
    getenv("LULL_TEST_REDIS_SERVER").map { String(cString: $0) } ?? "redis-server"
  let socket: String
  let port: UInt16
  private let directory: TemporaryDirectory
  private let options: String
  private var process: ChildProcess?

  /// As Lull is told of it.
  var url: String { "unix://\(socket)" }

  /// nil if it is missing, or does not start.
  ///
  /// - Parameter options: for the command line.
  init?(_ options: String = "") {
    guard let directory = TemporaryDirectory(), let port = RawSocket.freePorts(1).first else {
      return nil
    }
    self.directory = directory
    self.port = port
    self.options = options
    socket = directory.path + "/redis.sock"
    guard start() else { return nil }
  }

  deinit {
    stop()
    directory.remove()
  }

  func start() -> Bool {
    // The shell lives as long as its input, which ends with this process, and takes the server along.
    let server =
      "\(RedisServer.program) --bind 127.0.0.1 --port \(port) --unixsocket \(socket) --save '' --appendonly no "
      + "--dir \(directory.path) \(options)"
    guard
      let process = ChildProcess(
        "\(server) >\(directory.path)/log 2>&1 & read line; kill -9 $!; wait; rm -f \(socket)")
    else { return false }
    self.process = process
    guard RawSocket.isAnswering(port, within: 20) else { return false }
    for _ in 0..<1000 where access(socket, F_OK) != 0 { usleep(5000) }
    return access(socket, F_OK) == 0
  }

  /// As a machine that is switched off.
  func stop() {
    process?.hangUp()
    process?.wait()
    process = nil
  }

  /// What it says to somebody else, in lines.
  func say(_ line: String) -> [String] {
    let file = socket + ".said"
    ChildProcess("redis-cli -s \(socket) \(line) >\(file) 2>&1")?.wait()
    let text = String(decoding: contents(file) ?? [], as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  /// As the system knows it.
  var processID: pid_t? {
    say("info server").flatMap { $0.split(whereSeparator: \.isNewline) }
      .first { $0.hasPrefix("process_id:") }.flatMap { pid_t($0.dropFirst(11)) }
  }

  /// The keys of entities on it.
  var entities: [String] { say("--raw keys 'lull:*:e:*'") }
}
