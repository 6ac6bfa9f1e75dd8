package import CUV
package import LullCore
import LullLibC
package import LullSystem
import Synchronization

/// The loop that drives one home thread: sockets and timers by libuv, results by the pump.
///
/// One `turn` runs the hooks of `beforeTurn`, sends the requests that were started, and waits for
/// sockets, timers and wake-ups. Then the turn runs due timers, collects finished exchanges and
/// lets the pump deliver. A turn that only has to deliver the results of the previous turn skips
/// the sockets. All callbacks run outside libuv, so any of them may turn the loop again. The only
/// other threads are the threads of the pool for slow work. They start with the first work.
///
/// Belongs to the thread that made it. Only `wake` and posts to the inbox may come from other
/// threads.
package final class EventLoop: HostClock {
  package enum Mode {
    /// Waits until there is something to do.
    case once
    /// Does what can be done now.
    case noWait
  }

  private struct Participant {
    weak var object: (any TurnParticipant)?
  }

  /// The libuv loop, for additional handles. When the loop closes, it closes the handles that are
  /// still open, but does not free them.
  package let handle: UnsafeMutablePointer<uv_loop_t>
  /// A handle for C signal handlers: calling `uv_async_send` on it wakes the loop. Valid until
  /// `close`.
  package let asyncHandle: UnsafeMutablePointer<uv_async_t>
  /// Functions that run at the start of every turn, in order. The host sweeps here.
  package var beforeTurn: [() -> Void] = []
  package let pump: Pump

  private let clock: LoopClock
  let wakeUp: LoopWakeUp
  private var participants: [Participant] = []
  private var isClosed = false
  /// Whether the last turn has polled sockets: at least every second turn does.
  private var hasPolled = false

  package init() throws(TransportError) {
    handle = .allocate(capacity: 1)
    asyncHandle = .allocate(capacity: 1)
    var status = uv_loop_init(handle)
    if status == 0 {
      status = uv_async_init(handle, asyncHandle, { _ in })
      if status != 0 { uv_loop_close(handle) }
    }
    clock = LoopClock(loop: handle)
    wakeUp = LoopWakeUp(asyncHandle)
    pump = Pump(clock: clock)
    guard status == 0 else {
      isClosed = true
      handle.deallocate()
      asyncHandle.deallocate()
      // libuv's messages are static text.
      let reason = String(cString: uv_strerror(status))
      throw TransportError(.network, "cannot start the event loop (\(reason))")
    }
    pump.inbox.onPost { [wakeUp] in wakeUp.fire() }
    pump.workers = LoopWorkPool(loop: handle)
  }

  deinit {
    close()
  }

  // MARK: Time

  package var now: Double { clock.now }

  package var uptime: Double { clock.uptime }

  package var isSystemTime: Bool { clock.isSystemTime }

  /// The number of timers that have not fired yet.
  package var activeTimerCount: Int { clock.activeCount }

  package func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer {
    clock.schedule(after: seconds, action)
  }

  // MARK: Turns

  /// Performs one turn, as described for `EventLoop`. Has no effect after `close`.
  package func turn(_ mode: Mode = .once) {
    for hook in beforeTurn { hook() }
    for participant in participants { participant.object?.beforeWaiting() }
    guard !isClosed else { return }
    // The results of the last turn are older than any data on the sockets, so they are delivered
    // before the sockets are polled. That saves a system call for each load.
    if mode == .once, hasPolled, pump.hasWork, !clock.hasDue {
      hasPolled = false
    } else {
      uv_run(handle, mode == .noWait || hasWork ? UV_RUN_NOWAIT : UV_RUN_ONCE)
      hasPolled = true
      clock.runDue()
      for participant in participants { participant.object?.afterWaiting() }
    }
    pump.turn()
  }

  /// Performs turns until `condition` holds. The condition is checked before each turn. If no event
  /// ever comes, this waits forever: the caller must know whether an event can come.
  package func run(until condition: () -> Bool) {
    while !isClosed && !condition() { turn(.once) }
  }

  /// Whether a turn would do something without waiting.
  package var hasWork: Bool {
    pump.hasWork || clock.hasDue
      || participants.contains { $0.object?.hasWork ?? false }
  }

  /// Makes a waiting `turn` return. Safe in signal handlers and on any thread, until `close`.
  package func wake() {
    guard !isClosed else { return }
    uv_async_send(asyncHandle)
  }

  /// Wakes the loop from a signal handler; valid until `close`.
  package var signalWakeUp: SignalWakeUp {
    SignalWakeUp(
      function: { context in
        // `context` is the pointer below; uv_async_send is safe in signal handlers.
        uv_async_send(context?.assumingMemoryBound(to: uv_async_t.self))
      }, context: UnsafeMutableRawPointer(asyncHandle))
  }

  // MARK: Inside another loop

  /// A descriptor that becomes readable when a `turn(.noWait)` is due. Do not wait for the
  /// descriptor longer than `pollTimeout`.
  package var descriptor: Int32 { uv_backend_fd(handle) }

  /// The number of milliseconds for which another loop may wait on `descriptor` before it must call
  /// `turn` of this loop; -1 for no limit.
  package var pollTimeout: Int32 {
    guard !isClosed else { return -1 }
    guard !hasWork else { return 0 }
    uv_update_time(handle)
    return uv_backend_timeout(handle)
  }

  // MARK: Participants and closing

  /// Makes `object` part of every turn, as long as it is retained elsewhere.
  package func add(_ object: any TurnParticipant) {
    participants.removeAll { $0.object == nil }
    participants.append(Participant(object: object))
  }

  /// Cancels requests in flight, drops waiting requests, and closes every handle and descriptor.
  ///
  /// No callbacks follow. Closing again has no effect.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    beforeTurn = []
    for participant in participants { participant.object?.close() }
    participants = []
    pump.close()
    clock.close()
    wakeUp.disarm()
    UVHandle.closeAndFree(asyncHandle)
    uv_walk(
      handle,
      { handle, _ in
        // Handles of other owners are closed, but not freed.
        if uv_is_closing(handle) == 0 { uv_close(handle, nil) }
      }, nil)
    while uv_run(handle, UV_RUN_DEFAULT) != 0 {}
    let status = uv_loop_close(handle)
    precondition(status == 0, "a handle is still open; this is a bug in Lull")
    handle.deallocate()
  }

  /// libuv's names of the open handles, such as `poll`; empty after `close`. For leak checks.
  package var openHandleKinds: [String] {
    guard !isClosed else { return [] }
    var kinds: [String] = []
    withUnsafeMutablePointer(to: &kinds) { kinds in
      // `kinds` outlives the walk, which calls back only inside this call.
      uv_walk(
        handle,
        { handle, kinds in
          guard uv_is_closing(handle) == 0,
            let name = uv_handle_type_name(uv_handle_get_type(handle))
          else { return }
          kinds?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
        }, kinds)
    }
    return kinds
  }
}

/// An object that takes part in every turn of an event loop, on its home thread.
package protocol TurnParticipant: AnyObject {
  /// Called just before the loop waits. Sends everything that was started since the last turn.
  func beforeWaiting()
  /// Called after the loop has waited. Collects the results and posts them to the inbox. Must not
  /// call callbacks of other objects.
  func afterWaiting()
  /// Whether `beforeWaiting` or `afterWaiting` would do something now. If so, the loop must not
  /// wait.
  var hasWork: Bool { get }
  /// Called when the loop closes. Ends all work and closes every handle.
  func close()
}

/// Lets a task wait for a value that is checked after each turn of a pump.
///
/// The wait ends early if its task is cancelled or the home ends. Home thread only.
final class TurnWait<Value>: PumpGuest {
  private let pump: Pump
  private let look: () -> Value?
  private let stop: () -> Value
  private var continuation: CheckedContinuation<Confined<Value>, Never>?
  /// Whether the task was cancelled before it began to wait.
  private var isCancelled = false

  /// - Parameters:
  ///   - look: Returns the value, or nil before it is available.
  ///   - stop: Ends the wait early, and returns the value to use then.
  init(_ pump: Pump, look: @escaping () -> Value?, stop: @escaping () -> Value) {
    self.pump = pump
    self.look = look
    self.stop = stop
  }

  /// Waits for the value.
  ///
  /// - Parameter begin: Called when the task waits.
  func value(
    isolation: isolated (any Actor)?, _ begin: () -> Void
  ) async -> Value {
    // Only the signal leaves the home thread: a task may be cancelled on any thread.
    let cancellation = pump.signal { [self] in cancel() }
    defer { pump.discard(cancellation) }
    let value = await withTaskCancellationHandler {
      // `isolation` is named explicitly, because the closure would leave the caller's actor
      // otherwise.
      _ = isolation
      return await withCheckedContinuation { continuation in
        self.continuation = continuation
        guard !isCancelled, !pump.ending.hasEnded else { return finish(stop()) }
        pump.add(self)
        begin()
        // Without a pool, everything may have happened inside `begin`.
        turnEnded()
      }
    } onCancel: {
      cancellation()
    }
    return value.value
  }

  private func cancel() {
    isCancelled = true
    if continuation != nil { finish(stop()) }
  }

  private func finish(_ value: Value) {
    pump.remove(self)
    continuation?.resume(returning: Confined(value))
    continuation = nil
  }

  func turnBegins() {}

  func turnEnded() {
    guard continuation != nil, let value = look() else { return }
    finish(value)
  }

  func pumpCloses() {
    if continuation != nil { finish(stop()) }
  }
}

/// Wakes a waiting loop from other threads, safely also while that loop is being closed.
///
/// On the home thread `fire` has no effect: code that posts there runs between two waits, and the
/// loop checks its inbox before it waits again.
final class LoopWakeUp: Sendable {
  /// The address of the loop's uv_async_t; nil after it is closed.
  private let address: Mutex<UInt?>
  private let homeThread = pthread_self()

  init(_ handle: UnsafeMutablePointer<uv_async_t>) {
    address = Mutex(UInt(bitPattern: handle))
  }

  func fire() {
    guard pthread_equal(pthread_self(), homeThread) == 0 else { return }
    address.withLock { address in
      guard let address else { return }
      // The lock keeps the loop from freeing the handle meanwhile: it calls `disarm` first.
      uv_async_send(UnsafeMutablePointer(bitPattern: address))
    }
  }

  /// After this call no other thread uses the handle.
  func disarm() {
    address.withLock { $0 = nil }
  }
}

/// Memory of libuv's handles: allocated by Lull, freed after libuv has closed the handle.
enum UVHandle {
  /// Closes `handle` and frees its memory in the close callback, on a later run of the loop.
  static func closeAndFree<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    // Every libuv handle begins with the fields of uv_handle_t; this is libuv's own way to cast.
    let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    uv_close(base) { closed in
      // The close callback is libuv's last access, and the memory came from `allocate`.
      UnsafeMutableRawPointer(closed)?.deallocate()
    }
  }
}
