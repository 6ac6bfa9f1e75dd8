extension Request {
  /// Waits until the request has ended and returns its entity. After a 304, this is the existing
  /// entity. Throws the error if the request has failed.
  ///
  /// Order of events: hooks run first, including the hooks by which a load changes its resource.
  /// Then the caller continues. Any number of tasks may wait for one request, independently of each
  /// other. If a waiting task is cancelled, it gets an error with the cause `requestCancelled` at
  /// once, and the other tasks continue to wait. If no other task waits, the request is cancelled,
  /// unless it is a load of a resource with observers. If the home has ended or ends during the
  /// wait, the error has the cause `requestCancelled` too.
  ///
  /// The call does not start the request. In a transformer for which the request waits, the call
  /// throws at once, because the request would wait for itself (AWT-12). The call runs on the
  /// caller's actor, which must be the home of the request. (WAIT-01 to WAIT-07) Lua:
  /// `request:await()`.
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

  /// Waits until the request has ended and returns its response, whatever the outcome. Where
  /// `entity()` throws an error, the returned response is a failure with this error.
  ///
  ///     let isNew = await api.resource("/users/1").load().completed().isNew
  public func completed(isolation: isolated (any Actor)? = #isolation) async -> Response {
    pump.checkThread()
    if pump.ending.hasEnded {
      // Yields, so that a loop of failing calls does not block other tasks.
      await Task.yield()
      return response ?? .failure(endOfHome())
    }
    let transformer = PumpTask.current(on: pump)
    if let error = transformer?.refusal(toAwait: self) {
      // Yields, so that a loop of failing calls does not block other tasks.
      await Task.yield()
      return .failure(error)
    }
    transformer?.began(self)
    defer { transformer?.ended(self) }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    let wait = TaskWait(self)
    // A task may be cancelled on any thread, so only the signal leaves the home thread.
    let cancellation = pump.signal { wait.cancel() }
    defer { pump.discard(cancellation) }
    return await withTaskCancellationHandler {
      // Captures `isolation`, so that the closure stays on the caller's actor.
      _ = isolation
      return await withCheckedContinuation { wait.begin($0) }
    } onCancel: {
      cancellation()
    }
  }

  /// Returns the error of a request that can't complete because its home has ended.
  fileprivate func endOfHome() -> RequestError {
    var error = cancellation()
    error.userMessage = "Request cancelled: its home has ended"
    return error
  }
}

/// The wait of one task for a request. The task continues when the request has ended, when the task
/// is cancelled, or when the home ends, whichever is first.
private final class TaskWait {
  private let request: Request
  private var continuation: CheckedContinuation<Response, Never>?
  private var waiter: RequestWaiter?
  private var ending: PumpEnding.Number?
  /// Whether the task was cancelled before `begin` was called.
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

/// Represents a task, or a coroutine of a script, that waits for a request.
///
/// `tell` is called once, after all hooks. It is not called if the waiter was removed with
/// `Request.leave`. Home thread only.
package final class RequestWaiter {
  let tell: (Response) -> Void

  init(_ tell: @escaping (Response) -> Void) {
    self.tell = tell
  }
}
