/// One time a request was sent, or was about to be. Lua: an element of `request.attempts`.
public struct RequestAttempt: Sendable, Equatable {
  /// How an attempt ended.
  public enum Outcome: Sendable, Equatable {
    /// There was an answer, with this status.
    case status(Int)
    /// The kind of the error, a word of `TransportError.Kind`.
    case failure(TransportError.Kind)
  }

  /// Counted from 1.
  public let number: Int
  /// When it was sent; Unix epoch seconds.
  public let started: Double
  /// Seconds it waited before that: for its turn, for credentials, or between attempts.
  public let delay: Double
  /// Seconds from sending to the answer; nil while it is under way.
  public internal(set) var elapsed: Double?
  /// nil while it is under way.
  public internal(set) var outcome: Outcome?

  package init(
    number: Int, started: Double, delay: Double = 0, elapsed: Double? = nil,
    outcome: Outcome? = nil
  ) {
    self.number = number
    self.started = started
    self.delay = delay
    self.elapsed = elapsed
    self.outcome = outcome
  }
}

extension RequestAttempt {
  mutating func end(_ outcome: Outcome?, after elapsed: Double) {
    self.elapsed = max(0, elapsed)
    self.outcome = outcome
  }
}

extension RequestAttempt.Outcome {
  /// nil for a result with neither response nor error.
  init?(_ result: NetworkResult) {
    if let error = result.error {
      self = .failure(error.kind)
    } else if let response = result.response {
      self = .status(response.status)
    } else {
      return nil
    }
  }

  package var text: String {
    switch self {
    case .status(let status): "\(status)"
    case .failure(let kind): kind.rawValue
    }
  }
}
