/// Decides when a failed request is sent again. The functions are pure. Lua: `retry`.
///
/// A failed request is sent again only in one of these cases:
///
/// - Its method is idempotent (RFC 9110, 9.2.2).
/// - It has an `Idempotency-Key`.
/// - Nothing of the request reached the server.
/// - `isUnsafe` is true.
///
/// A `Retry-After` header replaces the computed delay. A date in this header is compared with the
/// response's `Date`; 0 and times in the past are ignored. If the server asks for a delay of more
/// than `backoff.max`, the request is not sent again. Timeouts apply to each attempt. (RTY-01 to
/// RTY-04)
public struct RetryPolicy: Sendable, Equatable {
  /// The largest number of retries. A request has at most `times + 1` attempts.
  public var times = 3
  /// The response statuses that are retried.
  public var statuses: Set<Int> = [429, 502, 503, 504]
  /// The kinds of network errors that are retried.
  public var errors = RetryPolicy.passingErrors
  /// The delay before each retry.
  public var backoff = Backoff()
  /// Whether requests with methods that are not idempotent, such as POST, are retried too.
  public var isUnsafe = false

  /// Makes the default policy: three retries of transient failures.
  public init() {}

  /// The kinds of network errors that may be transient. Lua: `"network"`.
  public static let passingErrors: Set<TransportError.Kind> = [
    .network, .timeout, .dns, .connection, .truncatedBody,
  ]

  package enum Decision: Equatable {
    /// The result is final: the request succeeded, or failed in a way that is not retried.
    case keep
    /// The result is a failure that should be retried, but the request can't be sent again, for the
    /// given reason.
    case giveUp(reason: String)
    case sendAgain(after: Double)
  }

  /// Decides how to continue after an attempt has ended with `result`.
  ///
  /// - Parameters:
  ///   - isIdempotent: Whether the request is idempotent by its method, is declared idempotent, or
  ///     has an `Idempotency-Key`.
  ///   - retries: The number of retries so far.
  ///   - random: Returns a number from 0 up to but not including 1.
  package func decision(
    after result: NetworkResult, method: RequestMethod, isIdempotent: Bool, retries: Int,
    now: Double, random: () -> Double
  ) -> Decision {
    guard isWorthIt(result) else { return .keep }
    guard isUnsafe || isIdempotent || result.error?.isUnsent ?? false else {
      return .giveUp(reason: "\(method) is not idempotent, and retry.unsafe is not set")
    }
    guard retries < times else { return .keep }
    guard let delay = result.response.flatMap({ RetryAfter.delay(in: $0.headers, now: now) }) else {
      return .sendAgain(after: backoff.delay(beforeRetry: retries + 1, random: random))
    }
    guard delay <= backoff.max else {
      return .giveUp(
        reason: "the server's Retry-After is \(LogText.seconds(delay)), but retry.backoff.max is "
          + LogText.seconds(backoff.max))
    }
    return .sendAgain(after: delay)
  }

  /// Whether a failed request may be sent again according to this policy; nil if the method of the
  /// request is not known.
  package func mayRetry(_ error: RequestError) -> Bool? {
    guard let method = error.method else { return nil }
    var isUnsent = false
    if case .transport(let cause)? = error.cause {
      guard !cause.isFinal, errors.contains(cause.kind) else { return false }
      isUnsent = cause.isUnsent
    } else {
      guard let status = error.httpStatusCode, statuses.contains(status) else { return false }
    }
    return isUnsafe || isUnsent || error.isSafe || method.isIdempotent
  }

  /// Whether the result is a failure that should be retried.
  private func isWorthIt(_ result: NetworkResult) -> Bool {
    if let error = result.error { return !error.isFinal && errors.contains(error.kind) }
    guard let status = result.response?.status else { return false }
    return statuses.contains(status)
  }
}

/// The delay before each retry, in seconds. The delay doubles with each retry, from `base` up to
/// `max`.
///
/// With jitter, a random fraction of the computed delay is used ("full jitter"), so that clients
/// that failed at the same time don't retry at the same time.
public struct Backoff: Sendable, Equatable {
  /// The delay before the first retry, in seconds.
  public var base = 0.5
  /// The longest delay, in seconds. Also limits the delay in `Retry-After`.
  public var max = 30.0
  /// Whether a random fraction of the computed delay is used.
  public var hasJitter = true

  /// Makes the default backoff: from 0.5 s to 30 s, with jitter.
  public init() {}

  /// Returns the delay before a retry.
  ///
  /// - Parameter retry: The number of the retry, starting at 1.
  func delay(beforeRetry retry: Int, random: () -> Double) -> Double {
    // Stops doubling long before it could overflow.
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
