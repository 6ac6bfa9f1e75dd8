import LullCore

/// A coroutine that the script started with `lull.spawn`.
///
/// Home thread only. It runs from the next turn on. Its results or its error are stored until it is
/// awaited. If it fails and is not awaited, the failure is reported when the task is collected or
/// at exit.
final class LuaTask {
  enum State {
    case running
    /// The ID of its results, and whether they are nil and an error.
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
  /// The call it ends with, if it was started for one.
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

  /// Calls `waiter` when the running task has ended.
  func onEnd(_ waiter: @escaping () -> Void) { waiters.append(waiter) }

  /// Marks the outcome as handled without waiting.
  func markAwaited() { isAwaited = true }

  /// The name in the report of an unhandled failure.
  var reportedName: String { "\(purpose), which was not awaited" }

  /// The failure, if it has not been awaited.
  var unheardFailure: ScriptFailure? {
    if case .failed(let failure) = state, !isAwaited { return failure }
    return nil
  }
}
