package import CUV
package import LullCore
import LullLibC
package import LullSystem
import Synchronization

/// The loop that drives one home thread: sockets and timers by libuv, results by the pump.
///
/// One `turn` runs the hooks of `beforeTurn`, sends off what was started, waits for sockets, timers
/// and wake-ups, then runs due timers, collects finished exchanges and lets the pump deliver; one that
/// only has to deliver what the turn before has left does not look at sockets. All
/// callbacks run outside libuv, so any of them may turn the loop again. The only threads are those
/// of the pool for slow work, which start with the first of it.
///
/// Belongs to the thread that made it; only `wake` and posts to the inbox may come from elsewhere.
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

  /// For handles of one's own; those still open when the loop closes are closed by it, not freed.
  package let handle: UnsafeMutablePointer<uv_loop_t>
  /// For C signal handlers: `uv_async_send` on it wakes the loop. Valid until `close`.
  package let asyncHandle: UnsafeMutablePointer<uv_async_t>
  /// Run at the start of every turn, in order; the host sweeps here.
  package var beforeTurn: [() -> Void] = []
  package let pump: Pump

  private let clock: LoopClock
  let wakeUp: LoopWakeUp
  private var participants: [Participant] = []
  private var isClosed = false
  /// Whether the last turn has looked at sockets: of two in a row, one does.
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

  /// Timers that have not fired yet.
  package var activeTimerCount: Int { clock.activeCount }

  package func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer {
    clock.schedule(after: seconds, action)
  }

  // MARK: Turning

  /// One turn, as described above; after `close` it does nothing.
  package func turn(_ mode: Mode = .once) {
    for hook in beforeTurn { hook() }
    for participant in participants { participant.object?.beforeWaiting() }
    guard !isClosed else { return }
    // What the last turn has left to deliver was there before anything that sockets have now: asking
    // the system once for both saves a call for each load.
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

  /// Turns until `condition` holds, looking before each turn. It waits forever if nothing ever
  /// comes: whether something can still come is the caller's to know.
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

  /// Wakes it from a signal handler; valid until `close`.
  package var signalWakeUp: SignalWakeUp {
    SignalWakeUp(
      function: { context in
        // The context below; uv_async_send is safe in signal handlers.
        uv_async_send(context?.assumingMemoryBound(to: uv_async_t.self))
      }, context: UnsafeMutableRawPointer(asyncHandle))
  }

  // MARK: Inside another loop

  /// Readable when a `turn(.noWait)` is due; watch it no longer than `pollTimeout`.
  package var descriptor: Int32 { uv_backend_fd(handle) }

  /// Milliseconds another loop may sleep on `descriptor` before it turns this one; -1: no limit.
  package var pollTimeout: Int32 {
    guard !isClosed else { return -1 }
    guard !hasWork else { return 0 }
    uv_update_time(handle)
    return uv_backend_timeout(handle)
  }

  // MARK: Taking part, closing

  /// Makes `object` part of every turn, as long as somebody else holds it.
  package func add(_ object: any TurnParticipant) {
    participants.removeAll { $0.object == nil }
    participants.append(Participant(object: object))
  }

  /// Cancels what is in flight, drops what waits, and gives back every handle and descriptor.
  ///
  /// Nothing is called back any more. Closing twice does nothing.
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
        // Handles of others: their memory stays theirs.
        if uv_is_closing(handle) == 0 { uv_close(handle, nil) }
      }, nil)
    while uv_run(handle, UV_RUN_DEFAULT) != 0 {}
    let status = uv_loop_close(handle)
    precondition(status == 0, "a handle is still open; this is a bug in Lull")
    handle.deallocate()
  }

  /// What libuv calls the handles that are open, such as `poll`; none once closed. For leak checks.
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

/// What takes part in every turn of an event loop, on its home thread.
package protocol TurnParticipant: AnyObject {
  /// Sends off what was started since the last turn, just before the loop waits.
  func beforeWaiting()
  /// Collects what the wait brought and posts it to the inbox; calls nobody's callbacks itself.
  func afterWaiting()
  /// Whether `beforeWaiting` or `afterWaiting` would do something now, so that the loop must not
  /// wait.
  var hasWork: Bool { get }
  /// The loop is closing: end everything, give back every handle.
  func close()
}

/// A task that waits for something which comes with the turns of a pump, and is looked for after each.
///
/// Ends early with its task or with the home. Home thread only.
final class TurnWait<Value>: PumpGuest {
  private let pump: Pump
  private let look: () -> Value?
  private let stop: () -> Value
  private var continuation: CheckedContinuation<Confined<Value>, Never>?
  /// Whether the task was cancelled before it came here.
  private var isCancelled = false

  /// - Parameters:
  ///   - look: what it has come to; nil as long as it has not.
  ///   - stop: ends it early, and says what it comes to by that.
  init(_ pump: Pump, look: @escaping () -> Value?, stop: @escaping () -> Value) {
    self.pump = pump
    self.look = look
    self.stop = stop
  }

  /// - Parameter begin: called once there is somebody who waits.
  func value(
    isolation: isolated (any Actor)?, _ begin: () -> Void
  ) async -> Value {
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { [self] in cancel() }
    defer { pump.discard(cancellation) }
    let value = await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
      _ = isolation
      return await withCheckedContinuation { continuation in
        self.continuation = continuation
        guard !isCancelled, !pump.ending.hasEnded else { return finish(stop()) }
        pump.add(self)
        begin()
        // Without a pool all of it may have happened inside.
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
/// On the home thread `fire` does nothing: whoever posts there runs between two waits, and the loop
/// looks at its inbox before it waits again.
final class LoopWakeUp: Sendable {
  /// The address of the loop's uv_async_t, nil once it is closed.
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

  /// After this no other thread touches the handle any more.
  func disarm() {
    address.withLock { $0 = nil }
  }
}

/// Memory of libuv's handles: allocated by us, freed only once libuv has let go of it.
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
