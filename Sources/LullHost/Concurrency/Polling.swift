import LullCore

/// One call of `lull.wait_until`: calls a function repeatedly until it returns a true value.
///
/// Order of events: the function is first called in the next turn. Each further call is made
/// `every` seconds after the previous one has returned. Home thread only.
final class Polling {
  let scope: RunScope
  private unowned let loop: ScriptLoop
  private unowned let pump: Pump
  private let function: Int64
  private let every: Double
  private var timer: StrongTimer?
  private var decided: ((RunOutcome) -> Void)?

  /// Creates a poll without starting it. The function is already pinned, and the creator of the
  /// poll must unpin the function.
  init(function: Int64, every: Double, _ call: Call) {
    self.function = function
    self.every = every
    loop = call.loop
    pump = call.pump
    scope = RunScope(call.coroutines, call.tasks)
  }

  /// Starts polling. Calls `decided` once, inside the run of the function that ends the polling. If
  /// the poll is cancelled before, `decided` is not called.
  func begin(_ decided: @escaping (RunOutcome) -> Void) {
    self.decided = decided
    pump.enqueue { [self] in call() }
  }

  func cancel() {
    decided = nil
    timer?.cancel()
    timer = nil
    scope.end()
  }

  private func call() {
    guard decided != nil else { return }
    timer = nil
    scope.run(function, [], as: "function given to lull.wait_until") { [self] outcome in
      if case .finished(let results) = outcome, !results[0].isTruthy {
        timer = StrongTimer(after: every, loop, pump) { [weak self] in self?.call() }
        return
      }
      let decided = decided
      self.decided = nil
      decided?(outcome)
      scope.end()
    }
  }
}
