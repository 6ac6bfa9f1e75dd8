import LullCore
import Synchronization

/// The requests that answer one challenge: each has its number.
final class DigestSession: Sendable {
  let challenge: DigestChallenge
  /// What one of a session says in all requests, since user and password are mixed with it.
  private let ownNonce = Hexadecimal.random()
  private let count = Mutex(0)

  init(_ challenge: DigestChallenge) { self.challenge = challenge }

  /// The number of the next request, and what this side adds to be told from others.
  func next() -> (number: Int, nonce: String) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return (number, challenge.isSession ? ownNonce : Hexadecimal.random())
  }
}
