/// Whose requests those of one configuration are, as limits that processes share tell them apart. Home thread
/// only.
///
/// What their credentials say is looked up for the first request, and again a minute later: variables and files
/// may change, and then count as somebody else, but not for every request. What an `Auth` gets for itself, such
/// as tokens that are renewed, is no part of it: those count as their login.
final class KnownSenders {
  private struct Known {
    let identity: [UInt8]
    /// By the clock's `uptime`.
    let since: Double
  }

  /// By the secrets in the URL, which resources of one configuration may have each their own.
  private var known: [[String: SecretText]: Known] = [:]
  private static let limit = 64
  /// For how long what was looked up holds, in seconds.
  static let lifetime = 60.0

  /// - Parameters:
  ///   - secrets: those in the URL, by their parameters.
  ///   - lookUp: what the credentials say now.
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
