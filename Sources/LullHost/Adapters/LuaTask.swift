import LullCore

/// A coroutine that the script started with `lull.spawn`.
///
/// The coroutine begins in the turn after its creation. Its results or its error are stored until a
/// call awaits the task. If the task fails and is not awaited, the failure is reported when the
/// task is collected or when the script ends. Home thread only.
final class LuaTask {
  enum State {
    case running
    /// The task has ended. `results` is the ID of its packed results. `isFailure` is true if the
    /// results are nil and an error.
    case finished(results: Int64, isFailure: Bool)
    case failed(ScriptFailure)
    case cancelled
  }

  var hostHandle: UInt64 = 0
  private(set) var state = State.running
  var context: RunContext? {
    didSet { if let context { purpose = context.purpose } }
  }
  private var purpose = "task"
  /// The scope of the call for which the task was started, or nil if there is none. The task ends
  /// with that call.
  var scope: RunScope?
  private(set) var isAwaited = false
  private var waiters: [() -> Void] = []

  func complete(_ state: State) {
    guard case .running = self.state else { return }
    self.state = state
    context = nil
    scope?.forget(self)
    scope = nil
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter() }
  }

  var isRunning: Bool { if case .running = state { true } else { false } }

  /// Adds a function that is called when this task has ended. The task must still be running.
  func onEnd(_ waiter: @escaping () -> Void) { waiters.append(waiter) }

  /// Marks the outcome of the task as handled, although the caller does not wait for the task.
  func markAwaited() { isAwaited = true }

  /// The task's name in the report of a failure that was not handled.
  var reportedName: String { "\(purpose), which was not awaited" }

  /// The task's failure, if the task has failed and no call has awaited it.
  var unheardFailure: ScriptFailure? {
    if case .failed(let failure) = state, !isAwaited { return failure }
    return nil
  }
}
