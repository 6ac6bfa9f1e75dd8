import LullCore

/// One `lull.wait_until`: a function called repeatedly until it returns a true value.
///
/// Order of events: the first call is made in the next turn. Each further one is made `every`
/// seconds after the previous one has returned. Home thread only.
final class Polling {
  let scope: RunScope
  private unowned let loop: ScriptLoop
  private unowned let pump: Pump
  private let function: Int64
  private let every: Double
  private var timer: StrongTimer?
  private var decided: ((RunOutcome) -> Void)?

  /// `function` is pinned and stays so.
  init(function: Int64, every: Double, _ call: Call) {
    self.function = function
    self.every = every
    loop = call.loop
    pump = call.pump
    scope = RunScope(call.coroutines, call.tasks)
  }

  /// Calls `decided` once, inside the run that decides, unless cancelled before.
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
