import LullLibC
import LullCore
import LullSystem

/// This machine's persistent knowledge about a server, in small files beside the limits file: the
/// machine's own name, and the number of hosts. Without a limits file, the knowledge is not stored.
/// Home thread only.
final class ShareMemory {
  /// The name of this machine, which is the same for all servers. Processes that use the same
  /// limits file have the same name.
  let host: String
  /// The number of hosts when the server last reported it; nil if it never has.
  private(set) var hosts: Int?
  /// When the number of hosts was last confirmed, by the clock's uptime.
  private var confirmedAt = 0.0
  /// When this machine got its name, by the clock's uptime.
  private let namedAt: Double
  /// The path of the file that contains the number of hosts; nil without a limits file. The paths
  /// of the other files begin with this path.
  let path: String?

  /// The maximum number of hosts. A larger number is ignored, because it is an error or an attack.
  static let mostHosts = 100_000
  /// Seconds after which a smaller number of hosts is accepted. A smaller number is not accepted
  /// earlier for two reasons: a restarted server counts from one, and hourly jobs register only
  /// once an hour.
  static let span = 7200.0
  /// The shortest and the longest time, in seconds, for which the server counts a host after its
  /// last registration. Between these bounds, a host is counted for as long as it has existed. So a
  /// daily job is remembered, and short-lived containers do not accumulate.
  private static let shortest = 300.0
  static let longest = 90_000.0
  /// Seconds after which an unchanged number is stored again.
  private static let rest = 60.0

  /// - Parameters:
  ///   - server: The address of the server, and the namespace.
  ///   - limitsPath: The path of the limits file; nil if there is none.
  init(of server: String, beside limitsPath: String?) {
    let made = Hexadecimal.random(byteCount: 8)
    guard let name = limitsPath.map({ $0 + "-host" }),
      let lock = try? CacheFolder.openLock(of: name)
    else {
      path = nil
      host = made
      namedAt = SystemClock.uptime
      return
    }
    defer { close(lock) }
    // Other processes of this machine may create the name at the same time.
    flock(lock, LOCK_EX)
    let digest = Digest.sha256.of("share\n" + server) ?? Array(server.utf8.prefix(64))
    let path = "\(limitsPath ?? "")-share-\(Hexadecimal.text(digest.prefix(8)))"
    self.path = path
    if let known = ShareMemory.read(name), known.utf8.count == made.utf8.count,
      known.allSatisfy(\.isHexDigit)
    {
      host = known
      namedAt = SystemClock.uptime - ShareMemory.age(of: name)
    } else {
      host = made
      namedAt = SystemClock.uptime
      ShareMemory.write(made, to: name)
    }
    if let known = ShareMemory.read(path).flatMap({ Int($0) }), ShareMemory.isCount(known) {
      hosts = known
      confirmedAt = SystemClock.uptime - ShareMemory.age(of: path)
    }
  }

  /// Seconds for which the server should count this machine.
  var hostSpan: Double {
    min(max(SystemClock.uptime - namedAt, ShareMemory.shortest), ShareMemory.longest)
  }

  /// Records the number of hosts that use one limit. The number of all hosts may be larger.
  func remember(atLeast hosts: Int) {
    if hosts > self.hosts ?? 0 { remember(hosts: hosts) }
  }

  /// Records the number of all hosts.
  func remember(hosts: Int) {
    guard ShareMemory.isCount(hosts) else { return }
    let past = SystemClock.uptime - confirmedAt
    if let known = self.hosts {
      guard hosts > known || past > (hosts < known ? ShareMemory.span : ShareMemory.rest) else {
        return
      }
    }
    self.hosts = hosts
    confirmedAt = SystemClock.uptime
    if let path { ShareMemory.write("\(hosts)", to: path) }
  }

  /// Returns the seconds since a file was written.
  private static func age(of path: String) -> Double {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return max(0, Double(time(nil) - status.st_mtim.tv_sec))
  }

  private static func isCount(_ hosts: Int) -> Bool { (1...mostHosts).contains(hosts) }

  private static func write(_ text: String, to path: String) {
    // A failure is ignored: the next process then knows less, which does no harm.
    _ = AtomicFile.write(Array((text + "\n").utf8), to: Array(path.utf8), .exactly(0o600))
  }

  private static func read(_ path: String) -> String? {
    guard case .success(let bytes) = SecretFile.read(path) else { return nil }
    return String(escaping: bytes)
  }
}
