extension Request {
  /// Waits until the request has ended and gives what it brought, a 304's old entity included; throws
  /// the error of a failure.
  ///
  /// Order of events: hooks attached before run first, among them those by which a load changes its
  /// resource; then the caller goes on. Any number of tasks may wait for one request. Cancelling the
  /// waiting task cancels the request, which then throws an error with the cause `requestCancelled`.
  /// It does not start a request that was never started. Runs on the caller's actor, which must be the
  /// home of the request. Lua: `request:await()`.
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
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { [weak self] in self?.cancel() }
    defer { pump.discard(cancellation) }
    return await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
      _ = isolation
      return await withCheckedContinuation { continuation in
        onCompletion { continuation.resume(returning: $0) }
      }
    } onCancel: {
      cancellation()
    }
  }
}
