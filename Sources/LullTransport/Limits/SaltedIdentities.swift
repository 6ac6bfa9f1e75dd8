import LullCore

/// The identities of limits as a file stores them: digests with a salt of that file, each of which
/// takes some thousand times as long to compute as a plain one.
///
/// This protects against readers of the file, or of a copy of it: no precomputed table reveals a
/// credential, two files do not reveal that they contain the same one, and guessing is slow. It
/// does not protect a credential that is among the first few million guesses. For one thread at a
/// time.
final class SaltedIdentities {
  private let salt: [UInt8]
  /// Computed digests by the plain digest, which no file contains. Each takes a millisecond to
  /// compute.
  private var known: [[UInt8]: [UInt8]] = [:]
  private static let rounds: Int32 = 4096
  private static let limit = 1024

  init(salt: [UInt8]) {
    self.salt = salt
  }

  /// - Parameter identity: A plain digest. For an empty one, the result is empty.
  func salted(_ identity: [UInt8]) -> [UInt8] {
    guard !identity.isEmpty else { return [] }
    if let known = known[identity] { return known }
    // The library that made the plain digest can make this one.
    let salted =
      Digest.sha256.stretched(identity, salt: salt, rounds: SaltedIdentities.rounds) ?? []
    if known.count >= SaltedIdentities.limit { known = [:] }
    known[identity] = salted
    return salted
  }
}
