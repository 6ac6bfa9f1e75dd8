import LullCore

/// A request or a task in the list given to `lull.all` or `lull.any`.
enum AwaitedItem {
  case request(Request)
  case task(LuaTask)

  /// Calls `receive` when it has ended, not inside this call; the result ends it before: a request as
  /// the last who waits for it does, a task in any case.
  func wait(in pump: Pump, _ receive: @escaping () -> Void) -> (_ tasks: Tasks) -> Void {
    switch self {
    case .request(let request):
      request.mark.isHandled = true
      let waiter = request.addWaiter { _ in receive() }
      return { _ in request.leave(waiter, isSparingObserved: false) }
    case .task(let task):
      if task.isRunning {
        task.onEnd { [unowned pump] in pump.enqueue(receive) }
      } else {
        pump.enqueue(receive)
      }
      return { tasks in tasks.cancel(task) }
    }
  }

  /// Makes sure that it has a userdata, and holds it until as many unpins; the handle.
  func pin(in kept: KeptValues) -> UInt64? {
    switch self {
    case .request(let request): kept.pin(request) ? request.mark.handle : nil
    case .task(let task): kept.pin(task)
    }
  }

  /// How it ended; nil while it has not.
  var outcome: Outcome? {
    switch self {
    case .request(let request):
      request.mark.isHandled = true
      guard request.lifecycle.hooksDelivered || request.isCompleted else { return nil }
      switch request.response?.outcome {
      case .success: return .success
      case .failure(let error): return .failure(error)
      case nil: return nil
      }
    case .task(let task):
      switch task.state {
      case .running: return nil
      case .finished(let id, isFailure: true): return .returned(id)
      case .finished: return .success
      case .failed(let failure): return .raised(failure)
      case .cancelled: return .cancelled
      }
    }
  }

  enum Outcome {
    case success
    case failure(RequestError)
    /// A task returned nil and an error; the id of its results.
    case returned(Int64)
    /// An error of a task, to be raised where it is awaited.
    case raised(ScriptFailure)
    /// A task that was cancelled.
    case cancelled
  }
}
