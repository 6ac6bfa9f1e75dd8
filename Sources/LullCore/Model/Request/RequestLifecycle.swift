/// The life of one request as a value: events in, what to do out. No clock, no callbacks.
///
/// States only move forward: not started → in progress → completed (HOOK-14). Completion is split in
/// time: the state flips at once, hooks are delivered on a later turn (HOOK-07), and hooks added
/// after delivery get a delivery of their own (HOOK-06).
package struct RequestLifecycle {
  package enum State: Equatable, Sendable {
    case notStarted
    case inProgress
    case completed
  }

  package enum CancelEffect: Equatable {
    /// Already completed: nothing to do. (CXL-04, CXL-12)
    case ignored
    /// Never started: complete as cancelled, there is no work to stop. (CXL-06)
    case completeOnly
    /// Complete as cancelled and tell whoever works on it. (CXL-07)
    case stopWork
  }

  package enum HookEffect: Equatable {
    /// Completion will deliver it.
    case waits
    /// Everything was delivered already: deliver this one on a later turn.
    case deliverSoon
  }

  package private(set) var state = State.notStarted
  package private(set) var response: Response?
  package private(set) var hooksDelivered = false
  /// Whether it completed by being cancelled.
  package private(set) var isCancelled = false

  package init() {}

  /// A request that is completed from birth (HW-01, SVC-19).
  package init(completedWith response: Response) {
    state = .completed
    self.response = response
  }

  /// True if the work must begin now; false if it has begun or ended before. (REP-11)
  package mutating func start() -> Bool {
    guard state == .notStarted else { return false }
    state = .inProgress
    return true
  }

  /// True if the response was taken; false if the request had completed before. (CXL-03, DEL-04)
  package mutating func complete(with response: Response) -> Bool {
    guard state != .completed else { return false }
    state = .completed
    self.response = response
    return true
  }

  package mutating func cancel(_ cancellation: @autoclosure () -> Response) -> CancelEffect {
    let before = state
    guard before != .completed else { return .ignored }
    state = .completed
    response = cancellation()
    isCancelled = true
    return before == .notStarted ? .completeOnly : .stopWork
  }

  package func hookAdded() -> HookEffect {
    hooksDelivered ? .deliverSoon : .waits
  }

  /// The one delivery of the hooks present; the response they get.
  package mutating func deliver() -> Response? {
    hooksDelivered = true
    return response
  }
}

/// When a request sent its last exchange, as places in the order in which a pump sends requests and
/// takes the answers to unsafe ones. (STA-11)
package struct RequestSending: Equatable, Sendable {
  /// Of the last attempt: a retry and a repetition count from their own sending.
  package let sent: UInt64
  /// When the answer to an unsafe request arrived; nil for a safe one.
  package let answered: UInt64?

  package init(sent: UInt64, answered: UInt64? = nil) {
    self.sent = sent
    self.answered = answered
  }

  /// Only what was sent after this place supersedes it.
  package var bound: UInt64 { answered ?? sent }
}
