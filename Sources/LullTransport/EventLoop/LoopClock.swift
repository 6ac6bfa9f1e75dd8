import CUV
import LullCore
import LullLibC
import LullSystem

/// Time and timers of one event loop.
///
/// libuv reports due timers while the loop runs. Their actions run afterwards, in order, when
/// `runDue` is called. So no action runs inside `uv_run`, and an action may turn the loop itself.
/// The clock is a separate object so that the pump can retain it without retaining the loop. Home
/// thread only.
final class LoopClock: HostClock {
  private static let maxIdleHandles = 64

  private var loop: UnsafeMutablePointer<uv_loop_t>?
  private var active: [UnsafeMutablePointer<uv_timer_t>: LoopTimer] = [:]
  private var idle: [UnsafeMutablePointer<uv_timer_t>] = []
  private var due: [LoopTimer] = []
  private var nextDue = 0

  init(loop: UnsafeMutablePointer<uv_loop_t>) {
    self.loop = loop
  }

  /// The loop's handle; nil after `close`.
  var handle: UnsafeMutablePointer<uv_loop_t>? { loop }

  var now: Double { SystemClock.now }

  var uptime: Double { SystemClock.uptime }

  var isSystemTime: Bool { true }

  /// The number of timers that have not fired.
  var activeCount: Int { active.count }

  var hasDue: Bool { nextDue < due.count }

  /// Runs `action` after this number of seconds. After `close`, the timer never fires.
  func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer {
    guard let loop else { return LoopTimer(clock: nil, handle: nil, action: nil) }
    let handle = idle.popLast() ?? makeHandle(loop)
    let timer = LoopTimer(clock: self, handle: handle, action: action)
    active[handle] = timer
    // The loop's cached time is as old as its last wait; a timer counts from this call.
    uv_update_time(loop)
    uv_timer_start(handle, LoopClock.timerFired, LoopClock.milliseconds(seconds), 0)
    return timer
  }

  /// Runs the actions that are due, oldest first. Actions that they schedule run on a later turn.
  func runDue() {
    while nextDue < due.count {
      let timer = due[nextDue]
      nextDue += 1
      timer.run()
    }
    due.removeAll(keepingCapacity: true)
    nextDue = 0
  }

  /// Takes back the handle of a cancelled or fired timer.
  func release(_ handle: UnsafeMutablePointer<uv_timer_t>) {
    guard active.removeValue(forKey: handle) != nil else { return }
    uv_timer_stop(handle)
    if idle.count < LoopClock.maxIdleHandles {
      idle.append(handle)
    } else {
      UVHandle.closeAndFree(handle)
    }
  }

  /// Cancels every timer. Their memory is freed when the loop runs next.
  func close() {
    loop = nil
    for timer in Array(active.values) { timer.cancel() }
    for timer in due { timer.cancel() }
    due = []
    nextDue = 0
    for handle in idle { UVHandle.closeAndFree(handle) }
    idle = []
  }

  private func makeHandle(_ loop: UnsafeMutablePointer<uv_loop_t>)
    -> UnsafeMutablePointer<uv_timer_t>
  {
    let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    uv_timer_init(loop, handle)
    // Unretained: the clock closes every handle before it is released, see `EventLoop.close`.
    handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    return handle
  }

  private func fired(_ handle: UnsafeMutablePointer<uv_timer_t>) {
    guard let timer = active[handle] else { return }
    timer.detach()
    release(handle)
    due.append(timer)
    // Timers also become due just before libuv waits for sockets; that wait must not happen now.
    if let loop { uv_stop(loop) }
  }

  private static let timerFired: uv_timer_cb = { handle in
    guard let handle, let data = handle.pointee.data else { return }
    // `data` is the clock, which closes its handles before it is released.
    Unmanaged<LoopClock>.fromOpaque(data).takeUnretainedValue().fired(handle)
  }

  /// Rounds up so that a timer never fires early: libuv's clock drops fractions of a millisecond.
  private static func milliseconds(_ seconds: Double) -> UInt64 {
    guard seconds > 0 else { return 0 }
    return UInt64(min((seconds * 1000).rounded(.up), 1e12)) + 1
  }
}

/// One action waiting for its time on a `LoopClock`.
final class LoopTimer: HostTimer {
  /// The action; nil after it has run or was cancelled, so that its captures are released
  /// immediately.
  private var action: (() -> Void)?
  /// The timer's handle, which belongs to the clock; nil after the timer has fired or was
  /// cancelled.
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

  /// Gives the handle back to the clock after the timer has fired. The action has not run yet.
  func detach() {
    handle = nil
  }

  func run() {
    let action = self.action
    self.action = nil
    action?()
  }
}
