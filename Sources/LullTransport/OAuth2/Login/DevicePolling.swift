/// When a device may ask for its tokens again. (RFC 8628, sections 3.2, 3.4 and 3.5)
struct DevicePolling: Equatable {
  /// What has come of asking.
  enum Answer: Equatable {
    /// `authorization_pending`
    case pending
    /// `slow_down`
    case slowDown
    /// Nobody has answered in time, or nobody who could.
    case unreachable
    /// `access_denied`
    case denied
    /// `expired_token`
    case expired
    /// Tokens, or an error that waiting does not mend.
    case final
  }

  enum Step: Equatable {
    /// Ask again in so many seconds.
    case wait(Double)
    case denied
    case expired
    case end
  }

  /// What the interval does not grow beyond by failures; a server may ask for more.
  private static let longest = 60.0

  /// Seconds from one answer to the next question.
  private(set) var interval: Double
  /// When the codes are good for nothing any more, in seconds of the clock.
  let deadline: Double

  /// - Parameters:
  ///   - interval: as the server has said; nil: five seconds.
  ///   - lifetime: that of the codes; nil: ten minutes. An hour counts at most.
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
