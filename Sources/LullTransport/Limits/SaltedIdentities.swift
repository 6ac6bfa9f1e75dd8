import LullCore

/// Whose limits are, as a file has it: digests made with a salt of that file's own, each of which takes some
/// thousand times as long as a plain one.
///
/// Against whoever gets to read the file, or a copy of it: no table made beforehand tells a credential, two files
/// do not tell that they are about the same one, and guessing is slow. It is no protection for a credential that is
/// among the first few million guesses. For one thread at a time.
final class SaltedIdentities {
  private let salt: [UInt8]
  /// What it has come to, since it takes a millisecond: by the plain digest, which no file has.
  private var known: [[UInt8]: [UInt8]] = [:]
  private static let rounds: Int32 = 4096
  private static let limit = 1024

  init(salt: [UInt8]) {
    self.salt = salt
  }

  /// - Parameter identity: a plain digest; empty of nobody in particular, and so is what this gives then.
  func salted(_ identity: [UInt8]) -> [UInt8] {
    guard !identity.isEmpty else { return [] }
    if let known = known[identity] { return known }
    // Whoever made the plain digest can make this one.
    let salted =
      Digest.sha256.stretched(identity, salt: salt, rounds: SaltedIdentities.rounds) ?? []
    if known.count >= SaltedIdentities.limit { known = [:] }
    known[identity] = salted
    return salted
  }
}
