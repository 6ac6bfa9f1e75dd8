import CUV
import LullCore

/// One action waiting for its time on a `LoopClock`.
final class LoopTimer: HostTimer {
  /// nil once run or cancelled, so that what it captures is let go at once.
  private var action: (() -> Void)?
  /// nil once fired or cancelled; the handle itself belongs to the clock.
  private(set) var handle: UnsafeMutablePointer<uv_timer_t>?
  private weak var clock: LoopClock?

  init(
    clock: LoopClock?, handle: UnsafeMutablePointer<uv_timer_t>?, action: (() -> Void)?
  ) {
    self.clock = clock
    self.handle = handle
    self.action = action
  }

  func cancel() {
    action = nil
    if let handle { clock?.release(handle) }
    handle = nil
  }

  /// The handle has fired and goes back to the clock; the action still waits to be run.
  func detach() {
    handle = nil
  }

  func run() {
    let action = self.action
    self.action = nil
    action?()
  }
}
