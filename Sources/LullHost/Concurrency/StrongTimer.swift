import LullCore

/// A timer that keeps the script alive until it fires or is cancelled.
final class StrongTimer {
  private unowned let host: LuaHost
  private var timer: (any HostTimer)?

  /// `action` runs in the phase of deferred callbacks.
  init(after seconds: Double, host: LuaHost, _ action: @escaping () -> Void) {
    self.host = host
    host.loop.timerBegan()
    timer = host.pump.clock.schedule(after: seconds) { [self] in
      guard timer != nil else { return }
      timer = nil
      host.loop.timerEnded()
      // After what was deferred before: a task spawned earlier begins first.
      host.pump.enqueue(action)
    }
  }

  func cancel() {
    guard let timer else { return }
    self.timer = nil
    timer.cancel()
    host.loop.timerEnded()
  }
}
