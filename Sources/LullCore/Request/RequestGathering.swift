/// Several requests that one task waits for together: `Request.all` or `Request.any`.
///
/// Over with the first that decides, with the last of all, when the task is cancelled, or with the home,
/// whichever is first; the others are left then. Home thread only.
final class RequestGathering {
  enum Kind {
    /// Over with the first failure.
    case all
    /// Over with the first success.
    case any
  }

  typealias Outcome = Result<[Entity], RequestError>

  private let kind: Kind
  /// Those that are waited for.
  private var requests: [Request]
  /// Why others are not: they would wait for the one who waits.
  private var refusals: [RequestError] = []
  private let pump: Pump
  private var waiters: [RequestWaiter] = []
  private var openCount: Int
  private var firstFailure: RequestError?
  private var continuation: CheckedContinuation<Outcome, Never>?
  private var ending: PumpEnding.Number?
  /// Whether the task was cancelled before it came here.
  private var isCancelled = false
  private var isOver = false

  /// - Parameter requests: not empty.
  init(_ kind: Kind, _ requests: [Request], _ pump: Pump) {
    self.kind = kind
    self.requests = requests
    self.pump = pump
    openCount = requests.count
  }

  func outcome(isolation: isolated (any Actor)?) async -> Outcome {
    let transformer = PumpTask.current(on: pump)
    requests.removeAll { request in
      guard let error = transformer?.refusal(toAwait: request) else { return false }
      refusals.append(error)
      return true
    }
    // Whoever tries for ever must let others run.
    if !refusals.isEmpty { await Task.yield() }
    for request in requests { transformer?.began(request) }
    defer { for request in requests { transformer?.ended(request) } }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { self.cancel() }
    defer { pump.discard(cancellation) }
    return await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
      _ = isolation
      return await withCheckedContinuation { begin($0) }
    } onCancel: {
      cancellation()
    }
  }

  private func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
    self.continuation = continuation
    guard !isCancelled else { return finish(.failure(cancelled())) }
    guard !pump.ending.hasEnded else { return finish(.failure(cancelled())) }
    ending = pump.ending.add { [self] in finish(.failure(cancelled())) }
    for request in requests {
      waiters.append(request.addWaiter { [self] response in ended(response) })
    }
    for error in refusals { ended(error) }
  }

  private func ended(_ response: Response) {
    switch response.outcome {
    case .failure(let error): ended(error)
    case .success(let entity):
      guard !isOver else { return }
      openCount -= 1
      switch kind {
      case .any: finish(.success([entity]))
      case .all:
        if openCount == 0 { finish(.success(requests.compactMap { $0.response?.entity })) }
      }
    }
  }

  private func ended(_ error: RequestError) {
    guard !isOver else { return }
    openCount -= 1
    let first = firstFailure ?? error
    firstFailure = first
    if kind == .all || openCount == 0 { finish(.failure(first)) }
  }

  private func cancel() {
    isCancelled = true
    if continuation != nil { finish(.failure(cancelled())) }
  }

  /// Leaves what has not ended, and goes on when the hooks of what that has cancelled have run.
  private func finish(_ outcome: Outcome) {
    guard !isOver else { return }
    isOver = true
    if let ending { pump.ending.remove(ending) }
    let waiters = waiters
    self.waiters = []
    var hasCancelled = false
    for (request, waiter) in zip(requests, waiters) {
      if request.leave(waiter, isSparingObserved: true) { hasCancelled = true }
    }
    guard hasCancelled, !pump.ending.hasEnded else { return goOn(outcome) }
    // The home may end before the hooks have run.
    ending = pump.ending.add { [self] in goOn(outcome) }
    pump.enqueue { [self] in
      pump.enqueueAfterPhase { [self] in goOn(outcome) }
    }
  }

  private func goOn(_ outcome: Outcome) {
    if let ending { pump.ending.remove(ending) }
    ending = nil
    continuation?.resume(returning: outcome)
    continuation = nil
  }

  private func cancelled() -> RequestError {
    var error = RequestError.cancelled(at: pump.clock.now)
    if pump.ending.hasEnded { error.userMessage = "Request cancelled: its home has ended" }
    return error
  }
}
