/// When a request that failed is sent again: pure rules. Lua: `retry`.
///
/// A request is sent again if its method may be repeated without harm (RFC 9110, 9.2.2), if it has an
/// `Idempotency-Key`, if nothing of it can have reached the server, or with `isUnsafe`. `Retry-After` takes
/// the place of the computed wait, measured by the answer's own `Date`; 0 and a time in the past do not. If
/// the server asks for more than `backoff.max`, the request is not sent again. Timeouts count for each
/// attempt. (RTY-01 to RTY-04)
public struct RetryPolicy: Sendable, Equatable {
  /// How often it is sent again: `times + 1` attempts in all.
  public var times = 3
  /// Answers with one of these are failures to be tried again.
  public var statuses: Set<Int> = [429, 502, 503, 504]
  /// The failures of the network that are tried again.
  public var errors = RetryPolicy.passingErrors
  /// How long to wait before each time.
  public var backoff = Backoff()
  /// Whether requests of other methods are sent again too, such as POST.
  public var isUnsafe = false

  /// Three times, for what passes by itself.
  public init() {}

  /// Failures of the network that may be over a moment later. Lua: `"network"`.
  public static let passingErrors: Set<TransportError.Kind> = [
    .network, .timeout, .dns, .connection, .truncatedBody,
  ]

  /// (RFC 9110, 9.2.2)
  package static let idempotentMethods: Set<RequestMethod> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE",
  ]

  package enum Decision: Equatable {
    /// What came is what the request ends with.
    case keep
    /// It would be sent again, but for the reason.
    case giveUp(reason: String)
    case sendAgain(after: Double)
  }

  /// - Parameters:
  ///   - hasKey: whether the request has an `Idempotency-Key`.
  ///   - retries: how often it has been sent again already.
  ///   - random: at least 0, below 1.
  package func decision(
    after result: NetworkResult, method: RequestMethod, hasKey: Bool = false, retries: Int,
    now: Double, random: () -> Double
  ) -> Decision {
    guard isWorthIt(result) else { return .keep }
    guard
      isUnsafe || hasKey || result.error?.isUnsent ?? false
        || RetryPolicy.idempotentMethods.contains(method)
    else {
      return .giveUp(reason: "\(method) is not idempotent, and retry.unsafe is not set")
    }
    guard retries < times else { return .keep }
    guard let delay = result.response.flatMap({ RetryAfter.delay(in: $0.headers, now: now) }) else {
      return .sendAgain(after: backoff.delay(beforeRetry: retries + 1, random: random))
    }
    guard delay <= backoff.max else {
      return .giveUp(
        reason: "the server asks for \(LogText.seconds(delay)), and retry.backoff.max is "
          + LogText.seconds(backoff.max))
    }
    return .sendAgain(after: delay)
  }

  /// Whether this is a failure of those to be tried again.
  private func isWorthIt(_ result: NetworkResult) -> Bool {
    if let error = result.error { return !error.isFinal && errors.contains(error.kind) }
    guard let status = result.response?.status else { return false }
    return statuses.contains(status)
  }
}

/// How long to wait before each retry: doubling from `base` to `max`. Seconds.
///
/// With jitter the wait is anything from 0 to that, evenly ("full jitter"): clients that failed
/// together do not come back together.
public struct Backoff: Sendable, Equatable {
  /// Before the first retry, in seconds.
  public var base = 0.5
  /// The longest wait, in seconds, for `Retry-After` too.
  public var max = 30.0
  /// Whether the wait is a random part of what it would be.
  public var hasJitter = true

  /// From half a second to thirty, with jitter.
  public init() {}

  /// - Parameter retry: counted from 1.
  func delay(beforeRetry retry: Int, random: () -> Double) -> Double {
    // Doubling stops long before it could overflow.
    var ceiling = base
    var doublings = retry - 1
    while doublings > 0, ceiling < max, ceiling > 0 {
      ceiling *= 2
      doublings -= 1
    }
    ceiling = Swift.min(ceiling, max)
    return hasJitter ? ceiling * random() : ceiling
  }
}
