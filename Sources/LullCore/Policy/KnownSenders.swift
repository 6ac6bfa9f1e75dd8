/// Caches the identities of the senders that use one configuration. A limit that processes share
/// distinguishes senders by these identities. Home thread only.
///
/// The identity is computed from the credentials. They are read for the first request, and again
/// after a minute. They aren't read for every request, although environment variables and files may
/// change at any time. If a credential has changed, the identity is a different one. Credentials
/// that an `Auth` obtains itself, such as renewed tokens, aren't part of the identity. For this
/// kind of `Auth`, the login identifies the sender.
final class KnownSenders {
  private struct Known {
    let identity: [UInt8]
    /// The time at which the identity was computed, in `uptime` of the clock.
    let since: Double
  }

  /// The cached identities, by the secrets in the URL. Resources with the same configuration may
  /// have different secrets in their URLs.
  private var known: [[String: SecretText]: Known] = [:]
  private static let limit = 64
  /// The number of seconds for which an identity is reused.
  static let lifetime = 60.0

  /// Returns the identity of a sender, from the cache or from `lookUp`.
  ///
  /// - Parameters:
  ///   - secrets: The secrets in the URL, by parameter name.
  ///   - lookUp: Reads the current credentials and computes the identity.
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
