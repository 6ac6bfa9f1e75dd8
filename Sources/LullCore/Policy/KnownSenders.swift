/// Caches the identities of the senders that use one configuration. Limits that are shared between
/// processes distinguish senders by their identities. Home thread only.
///
/// The credentials are read for the first request, and again after a minute. They aren't read for
/// every request, although environment variables and files may change at any time. After such a
/// change, the sender is a different one. Credentials that an `Auth` obtains itself, such as
/// renewed tokens, aren't part of the identity. Such an `Auth` is identified by its login.
final class KnownSenders {
  private struct Known {
    let identity: [UInt8]
    /// When the identity was computed, in `uptime` of the clock.
    let since: Double
  }

  /// The identities, by the secrets in the URL. Each resource with this configuration may have its
  /// own secrets.
  private var known: [[String: SecretText]: Known] = [:]
  private static let limit = 64
  /// How long an identity is reused, in seconds.
  static let lifetime = 60.0

  /// Returns the identity of a sender, from the cache or from `lookUp`.
  ///
  /// - Parameters:
  ///   - secrets: The secrets in the URL, by the names of their parameters.
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
