import LullCore

/// A timer that keeps the script alive until it fires or is cancelled.
final class StrongTimer {
  private unowned let loop: ScriptLoop
  private var timer: (any HostTimer)?

  /// `action` runs in the phase of deferred callbacks.
  init(
    after seconds: Double, _ loop: ScriptLoop, _ pump: Pump, _ action: @escaping () -> Void
  ) {
    self.loop = loop
    loop.timerBegan()
    timer = pump.clock.schedule(after: seconds) { [self] in
      guard timer != nil else { return }
      timer = nil
      loop.timerEnded()
      // After what was deferred before: a task spawned earlier begins first.
      pump.enqueue(action)
    }
  }

  func cancel() {
    guard let timer else { return }
    self.timer = nil
    timer.cancel()
    loop.timerEnded()
  }
}
