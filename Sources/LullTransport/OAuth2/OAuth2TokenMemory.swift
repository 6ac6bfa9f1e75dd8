import LullLibC
import LullCore
import LullSystem

/// What a machine remembers of tokens that a server has or had for all: how often they had been renewed when they
/// were seen last. A server that has less has lost something, be it by an eviction, a restart or a failover, and
/// what refresh tokens it has, or whoever begins anew has, may be used up. Home thread only.
///
/// A small file beside that of the limits, for the processes to come; without a place for it this process alone
/// remembers.
final class OAuth2TokenMemory {
  /// Notes of refresh tokens after which nothing was sent; of this process.
  var unsentMarks: Set<String> = []

  private let path: String?
  private var known: [String: Int] = [:]

  /// Clients with a credential of their own: a new login is another one.
  static let most = 64
  private static let longest = 1 << 16

  init(path: String?) {
    self.path = path
  }

  /// - Parameter key: what the tokens are kept under.
  func renewals(of key: String) -> Int {
    let name = OAuth2TokenMemory.name(of: key)
    let kept = path.map { OAuth2TokenMemory.read($0) } ?? []
    return max(known[name] ?? 0, kept.last { $0.name == name }?.renewals ?? 0)
  }

  func remember(_ tokens: OAuth2Tokens, of key: String) {
    // What stays as it was can be used again.
    guard tokens.rotates == true, tokens.renewals > renewals(of: key) else { return }
    let name = OAuth2TokenMemory.name(of: key)
    known[name] = tokens.renewals
    guard let path, let lock = try? CacheFolder.openLock(of: path) else { return }
    defer { close(lock) }
    flock(lock, LOCK_EX)
    var kept = OAuth2TokenMemory.read(path)
    let before = kept.last { $0.name == name }?.renewals ?? 0
    kept.removeAll { $0.name == name }
    kept.append((name, max(before, tokens.renewals)))
    let lines = kept.suffix(OAuth2TokenMemory.most).map { "\($0.name) \($0.renewals)\n" }
    // Without it the next process knows less.
    _ = AtomicFile.write(Array(lines.joined().utf8), to: Array(path.utf8), .exactly(0o600))
  }

  private static func name(of key: String) -> String {
    Digest.sha256.of("tokens\n" + key).map { Hexadecimal.text($0.prefix(16)) } ?? key
  }

  private static func read(_ path: String) -> [(name: String, renewals: Int)] {
    guard case .success(let bytes) = SecretFile.read(path), bytes.count <= longest else {
      return []
    }
    return String(escaping: bytes).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2, let renewals = Int(parts[1]) else { return nil }
      return (String(parts[0]), renewals)
    }
  }
}
