import LullLibC
import LullCore
import LullSystem

/// What this machine remembers of a server from one process to the next, in a small file beside that of its
/// limits: by what the server knows the machine, and how many there are. Without a place for it that is
/// known to this process alone. Home thread only.
final class ShareMemory {
  /// What the machine is known by: whoever counts in the same file is of the same.
  let host: String
  /// How many hosts there were when the server said so last; nil if it never has.
  private(set) var hosts: Int?
  private let path: String?

  /// More are taken for a mistake, or a lie.
  static let mostHosts = 100_000

  /// - Parameters:
  ///   - server: which one, and what of it.
  ///   - limitsPath: of the file of limits; nil: there is no place.
  init(of server: String, beside limitsPath: String?) {
    let digest = Digest.sha256.of("share\n" + server) ?? Array(server.utf8.prefix(64))
    let path = limitsPath.map { "\($0)-share-\(Hexadecimal.text(digest.prefix(8)))" }
    let made = Hexadecimal.random(byteCount: 8)
    guard let path, let lock = try? CacheFolder.openLock(of: path) else {
      self.path = nil
      host = made
      return
    }
    defer { close(lock) }
    // Others of this machine may be looking for it too.
    flock(lock, LOCK_EX)
    self.path = path
    if let known = ShareMemory.read(path) {
      (host, hosts) = known
    } else {
      host = made
      write()
    }
  }

  func remember(hosts: Int) {
    guard hosts != self.hosts, (1...ShareMemory.mostHosts).contains(hosts) else { return }
    self.hosts = hosts
    write()
  }

  private func write() {
    guard let path else { return }
    // Without it the next process knows less, which is no harm.
    _ = AtomicFile.write(
      Array("\(host) \(hosts ?? 0)\n".utf8), to: Array(path.utf8), .exactly(0o600))
  }

  private static func read(_ path: String) -> (host: String, hosts: Int?)? {
    guard case .success(let bytes) = SecretFile.read(path) else { return nil }
    let words = String(escaping: bytes).split(separator: " ")
    guard words.count == 2, words[0].utf8.count == 16, words[0].allSatisfy(\.isHexDigit),
      let hosts = Int(words[1]), (0...mostHosts).contains(hosts)
    else { return nil }
    return (String(words[0]), hosts == 0 ? nil : hosts)
  }
}
