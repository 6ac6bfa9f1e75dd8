import LullLibC
import LullCore
import LullSystem

/// What this machine remembers of a server from one process to the next, in small files beside that of its
/// limits: by what it is known, and how many hosts there are. Without a place for them that is known to this
/// process alone. Home thread only.
final class ShareMemory {
  /// What the machine is known by to every server: whoever counts in the same file is of the same.
  let host: String
  /// How many hosts there were when the server said so last; nil if it never has.
  private(set) var hosts: Int?
  /// When there were last as many, by the clock's uptime.
  private var confirmedAt = 0.0
  /// When this machine got its name, by the clock's uptime.
  private let namedAt: Double
  /// Of the number, and what the names of other files begin with; nil: there is no place.
  let path: String?

  /// More are taken for a mistake, or a lie.
  static let mostHosts = 100_000
  /// Fewer are believed when there have not been as many for so long: a server that begins anew counts from one, and
  /// hourly jobs tell it of themselves once an hour. Seconds.
  static let span = 7200.0
  /// How long the server counts a host after its last sign: as long as the host has existed, so that a daily job is
  /// remembered, and containers that live for a minute do not add up. Seconds.
  private static let shortest = 300.0
  static let longest = 90_000.0
  /// Seconds after which it is noted again that there are as many.
  private static let rest = 60.0

  /// - Parameters:
  ///   - server: which one, and what of it.
  ///   - limitsPath: of the file of limits; nil: there is no place.
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
    // Others of this machine may be looking for it too.
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

  /// Seconds for which the server is to count this machine.
  var hostSpan: Double {
    min(max(SystemClock.uptime - namedAt, ShareMemory.shortest), ShareMemory.longest)
  }

  /// Some of them use one limit: there may be others.
  func remember(atLeast hosts: Int) {
    if hosts > self.hosts ?? 0 { remember(hosts: hosts) }
  }

  /// All of them.
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

  /// Seconds since a file was written.
  private static func age(of path: String) -> Double {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return max(0, Double(time(nil) - status.st_mtim.tv_sec))
  }

  private static func isCount(_ hosts: Int) -> Bool { (1...mostHosts).contains(hosts) }

  private static func write(_ text: String, to path: String) {
    // Without it the next process knows less, which is no harm.
    _ = AtomicFile.write(Array((text + "\n").utf8), to: Array(path.utf8), .exactly(0o600))
  }

  private static func read(_ path: String) -> String? {
    guard case .success(let bytes) = SecretFile.read(path) else { return nil }
    return String(escaping: bytes)
  }
}
