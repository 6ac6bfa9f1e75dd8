import LullCore

/// The identities of limits as a file stores them: digests with a salt of that file. Computing such
/// a digest takes some thousand times as long as computing a plain digest.
///
/// This protects against readers of the file, or of a copy of it: no precomputed table reveals a
/// credential, two files do not reveal that they contain the same credential, and guessing is slow.
/// It does not protect a credential that is among the first few million guesses. Must be used on
/// one thread at a time.
final class SaltedIdentities {
  private let salt: [UInt8]
  /// The salted digests computed so far, keyed by plain digest. No file contains the plain digests.
  /// Computing a salted digest takes a millisecond.
  private var known: [[UInt8]: [UInt8]] = [:]
  private static let rounds: Int32 = 4096
  private static let limit = 1024

  init(salt: [UInt8]) {
    self.salt = salt
  }

  /// Returns the digest to store. It is empty if `identity` is empty.
  ///
  /// - Parameter identity: A plain digest.
  func salted(_ identity: [UInt8]) -> [UInt8] {
    guard !identity.isEmpty else { return [] }
    if let known = known[identity] { return known }
    // The library is available, because it has made the plain digest.
    let salted =
      Digest.sha256.stretched(identity, salt: salt, rounds: SaltedIdentities.rounds) ?? []
    if known.count >= SaltedIdentities.limit { known = [:] }
    known[identity] = salted
    return salted
  }
}
