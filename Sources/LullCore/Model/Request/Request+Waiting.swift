extension Request {
  /// Waits until the request has ended and gives what it brought, a 304's old entity included; throws
  /// the error of a failure.
  ///
  /// Order of events: hooks run first, among them those by which a load changes its resource; then the
  /// caller goes on. Any number of tasks may wait for one request, and each waits for itself: a task
  /// that is cancelled gets an error with the cause `requestCancelled` at once, and the others what they
  /// wait for. The last one to leave cancels the request, unless that is a load of a resource that
  /// somebody observes. Of a home that has ended, or ends meanwhile, it throws `requestCancelled` too. In a
  /// transformer that the request waits for, it throws at once that it would wait for itself (AWT-12). It
  /// does not start a request that was never started. Runs on the caller's actor, which must be the home
  /// of the request. (WAIT-01 to WAIT-07) Lua: `request:await()`.
  ///
  ///     let user = try await api.resource("/users/1").load().entity()
  public func entity(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(RequestError) -> Entity {
    switch await completed(isolation: isolation).outcome {
    case .success(let entity): return entity
    case .failure(let error): throw error
    }
  }

  /// Waits until the request has ended and gives its response, whatever it is; otherwise as `entity()`.
  ///
  ///     let isNew = await api.resource("/users/1").load().completed().isNew
  public func completed(isolation: isolated (any Actor)? = #isolation) async -> Response {
    pump.checkThread()
    if pump.ending.hasEnded {
      // Whoever tries for ever must let others run.
      await Task.yield()
      return response ?? .failure(endOfHome())
    }
    let transformer = PumpTask.current(on: pump)
    if let error = transformer?.refusal(toAwait: self) {
      // Whoever tries for ever must let others run.
      await Task.yield()
      return .failure(error)
    }
    transformer?.began(self)
    defer { transformer?.ended(self) }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    let wait = TaskWait(self)
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { wait.cancel() }
    defer { pump.discard(cancellation) }
    return await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
      _ = isolation
      return await withCheckedContinuation { wait.begin($0) }
    } onCancel: {
      cancellation()
    }
  }

  /// That it can bring nothing any more, as an error.
  fileprivate func endOfHome() -> RequestError {
    var error = cancellation()
    error.userMessage = "Request cancelled: its home has ended"
    return error
  }
}

/// One task that waits for a request: goes on when that has ended, when the task is cancelled, or with
/// the home, whichever is first.
private final class TaskWait {
  private let request: Request
  private var continuation: CheckedContinuation<Response, Never>?
  private var waiter: RequestWaiter?
  private var ending: PumpEnding.Number?
  /// Whether the task was cancelled before it came here: its way may lead through other jobs.
  private var isCancelled = false

  init(_ request: Request) {
    self.request = request
  }

  func begin(_ continuation: CheckedContinuation<Response, Never>) {
    self.continuation = continuation
    guard !request.pump.ending.hasEnded else { return end() }
    waiter = request.addWaiter { [self] response in finish(response) }
    ending = request.pump.ending.add { [self] in end() }
    if isCancelled { cancel() }
  }

  private func end() {
    finish(request.response ?? .failure(request.endOfHome()))
  }

  func cancel() {
    isCancelled = true
    guard let waiter, !request.isCompleted,
      !request.leave(waiter, isSparingObserved: true)
    else { return }
    finish(.failure(request.cancellation()))
  }

  private func finish(_ response: Response) {
    if let ending { request.pump.ending.remove(ending) }
    waiter = nil
    continuation?.resume(returning: response)
    continuation = nil
  }
}

/// Somebody who waits for a request: a task, or a coroutine of a script.
///
/// Told once, after all hooks, or never once it has left. Home thread only.
package final class RequestWaiter {
  let tell: (Response) -> Void

  init(_ tell: @escaping (Response) -> Void) {
    self.tell = tell
  }
}
