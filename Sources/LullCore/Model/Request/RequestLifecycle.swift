/// The life cycle of one request, as a value without clock and callbacks. The caller reports events
/// by calling its methods, and performs the effects that they return.
///
/// States only advance: not started → in progress → completed (HOOK-14). Completion takes two
/// steps: the state changes at once, and hooks are called on a later turn (HOOK-07). A hook that is
/// added after the others were called is called separately (HOOK-06).
package struct RequestLifecycle {
  package enum State: Equatable, Sendable {
    case notStarted
    case inProgress
    case completed
  }

  package enum CancelEffect: Equatable {
    /// The request was already completed: nothing to do. (CXL-04, CXL-12)
    case ignored
    /// The request was never started: complete it as cancelled. There is no work to stop. (CXL-06)
    case completeOnly
    /// The request is in progress: complete it as cancelled, and stop the work. (CXL-07)
    case stopWork
  }

  package enum HookEffect: Equatable {
    /// The hooks have not been called yet: keep the new hook. It will be called together with the
    /// others.
    case waits
    /// The other hooks were already called: call the new hook on a later turn.
    case deliverSoon
  }

  package private(set) var state = State.notStarted
  package private(set) var response: Response?
  package private(set) var hooksDelivered = false
  /// Whether the request was completed by cancelling it.
  package private(set) var isCancelled = false

  package init() {}

  /// Creates the life cycle of a request that is completed from the start (HW-01, SVC-19).
  package init(completedWith response: Response) {
    state = .completed
    self.response = response
  }

  /// Returns true if the work of the request has to begin now. Returns false if the request was
  /// started or completed before. (REP-11)
  package mutating func start() -> Bool {
    guard state == .notStarted else { return false }
    state = .inProgress
    return true
  }

  /// Returns true if the response was accepted. Returns false if the request had completed before.
  /// (CXL-03, DEL-04)
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

  /// Records that the present hooks are called now. Returns the response to pass to them.
  package mutating func deliver() -> Response? {
    hooksDelivered = true
    return response
  }
}

/// The positions of a request's last exchange: when it was sent, and when its response arrived. A
/// position is a number in the order in which a pump sends requests and receives responses to
/// unsafe requests. (STA-11)
package struct RequestSending: Equatable, Sendable {
  /// The position at which the last attempt was sent. Each retry and each repetition has its own
  /// position.
  package let sent: UInt64
  /// The position at which the response to an unsafe request or a HEAD arrived; nil for other
  /// requests.
  package let answered: UInt64?

  package init(sent: UInt64, answered: UInt64? = nil) {
    self.sent = sent
    self.answered = answered
  }

  /// A request that was sent after this position supersedes this request.
  package var bound: UInt64 { answered ?? sent }
}
