/// The identities of the senders of one configuration, by which limits shared between processes
/// distinguish them. Home thread only.
///
/// The credentials are read for the first request, and again after a minute. Variables and files
/// may change, which makes a different sender, but they aren't read for every request. Credentials
/// that an `Auth` obtains itself, such as renewed tokens, aren't part of the identity; it is
/// identified by its login.
final class KnownSenders {
  private struct Known {
    let identity: [UInt8]
    /// In `uptime` of the clock.
    let since: Double
  }

  /// By the secrets in the URL. Each resource of a configuration may have its own.
  private var known: [[String: SecretText]: Known] = [:]
  private static let limit = 64
  /// How long an identity is reused, in seconds.
  static let lifetime = 60.0

  /// Returns the identity, from the cache or from `lookUp`.
  ///
  /// - Parameters:
  ///   - secrets: The secrets in the URL, by their parameters.
  ///   - lookUp: Reads the current credentials.
  func identity(
    with secrets: [String: SecretText], now: Double, lookUp: () -> [UInt8]
  ) -> [UInt8] {
    if let known = known[secrets], now - known.since < KnownSenders.lifetime {
      return known.identity
    }
    let identity = lookUp()
    if known.count >= KnownSenders.limit { known = [:] }
    known[secrets] = Known(identity: identity, since: now)
    return identity
  }
}
