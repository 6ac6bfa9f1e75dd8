/// Decides when a device may poll for its tokens again. (RFC 8628, sections 3.2, 3.4 and 3.5)
struct DevicePolling: Equatable {
  /// The result of one poll.
  enum Answer: Equatable {
    /// `authorization_pending`
    case pending
    /// `slow_down`
    case slowDown
    /// No response in time, or only one from a gateway.
    case unreachable
    /// `access_denied`
    case denied
    /// `expired_token`
    case expired
    /// Tokens, or a permanent error.
    case final
  }

  enum Step: Equatable {
    /// Poll again after this many seconds.
    case wait(Double)
    case denied
    case expired
    case end
  }

  /// The longest interval after failures, in seconds. A server may request a longer interval.
  private static let longest = 60.0

  /// Seconds between a response and the next poll.
  private(set) var interval: Double
  /// When the codes expire, in seconds of the clock.
  let deadline: Double

  /// - Parameters:
  ///   - interval: The interval in seconds that the server requests; nil for 5 s.
  ///   - lifetime: The lifetime of the codes in seconds; nil for ten minutes. It is limited to an
  ///     hour.
  init(interval: Double?, lifetime: Double?, now: Double) {
    self.interval = max(interval ?? 5, 0.1)
    deadline = now + min(max(lifetime ?? 600, 0), 3600)
  }

  mutating func next(after answer: Answer, now: Double) -> Step {
    switch answer {
    case .pending: break
    case .slowDown: interval += 5
    case .unreachable: interval = max(interval, min(interval * 2, DevicePolling.longest))
    case .denied: return .denied
    case .expired: return .expired
    case .final: return .end
    }
    return now + interval < deadline ? .wait(interval) : .expired
  }
}

extension DevicePolling.Answer {
  init(_ answer: OAuth2Answer) {
    switch answer.problemName {
    case "authorization_pending": self = .pending
    case "slow_down": self = .slowDown
    case "access_denied": self = .denied
    case "expired_token": self = .expired
    default: self = answer.mayPass ? .unreachable : .final
    }
  }
}
