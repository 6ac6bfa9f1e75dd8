/// The life cycle of one request as a value: events go in, the effects to perform come out. It has
/// no clock and no callbacks.
///
/// States only advance: not started → in progress → completed (HOOK-14). Completion takes two
/// steps: the state changes at once, and hooks are called on a later turn (HOOK-07). A hook that is
/// added after that is delivered separately (HOOK-06).
package struct RequestLifecycle {
  package enum State: Equatable, Sendable {
    case notStarted
    case inProgress
    case completed
  }

  package enum CancelEffect: Equatable {
    /// Already completed: nothing to do. (CXL-04, CXL-12)
    case ignored
    /// Never started: complete as cancelled. There is no work to stop. (CXL-06)
    case completeOnly
    /// Complete as cancelled, and stop the work. (CXL-07)
    case stopWork
  }

  package enum HookEffect: Equatable {
    /// Completion will deliver it.
    case waits
    /// The hooks were delivered already: deliver this one on a later turn.
    case deliverSoon
  }

  package private(set) var state = State.notStarted
  package private(set) var response: Response?
  package private(set) var hooksDelivered = false
  /// Whether it was completed by cancelling it.
  package private(set) var isCancelled = false

  package init() {}

  /// A request that is completed when it is created (HW-01, SVC-19).
  package init(completedWith response: Response) {
    state = .completed
    self.response = response
  }

  /// Returns true if the work has to begin now, false if it has begun or ended before. (REP-11)
  package mutating func start() -> Bool {
    guard state == .notStarted else { return false }
    state = .inProgress
    return true
  }

  /// Returns true if the response was accepted, false if the request had completed before. (CXL-03,
  /// DEL-04)
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

  /// Marks the present hooks as delivered. Returns the response to pass to them.
  package mutating func deliver() -> Response? {
    hooksDelivered = true
    return response
  }
}

/// When the last exchange of a request was sent, as positions in the order in which a pump sends
/// requests and receives responses to unsafe ones. (STA-11)
package struct RequestSending: Equatable, Sendable {
  /// The sending of the last attempt. A retry and a repetition count from their own sending.
  package let sent: UInt64
  /// The arrival of the response to an unsafe request; nil for a safe one.
  package let answered: UInt64?

  package init(sent: UInt64, answered: UInt64? = nil) {
    self.sent = sent
    self.answered = answered
  }

  /// Only a request that was sent after this position supersedes it.
  package var bound: UInt64 { answered ?? sent }
}
