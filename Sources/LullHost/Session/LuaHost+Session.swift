import CLullBridge
import Glibc
import LullCore
import LullSystem
import Synchronization

extension LuaHost {
  /// Turns the loop until the condition holds, for a session.
  package func drive(until condition: () -> Bool) {
    environment.run {
      loop.resumeIdleWaiters()
      takeForeground()
      return condition()
    }
  }

  /// Lets what wants to take over the loop do so, where nothing else is under way: whoever drives
  /// the loop calls it before each turn.
  func takeForeground() {
    guard let foreground else { return }
    self.foreground = nil
    foreground()
  }

  /// Whether Ctrl-C is a session's business or ends the process; in somebody else's interpreter it
  /// never does.
  func setSignalOwner(_ owner: some BinaryInteger) {
    guard environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return }
    lull_signals_install(bridge.pointer, wakeUp.function, wakeUp.context, Int32(owner))
  }

  /// Whether Ctrl-C was pressed; if a session deals with it, it counts as dealt with.
  func takeInterrupt() -> Bool {
    guard lull_signals_pending() == SIGINT else { return false }
    if onInterrupt != nil { lull_signals_clear() }
    return true
  }

  /// At the start of a turn: Ctrl-C goes to the session, if there is one.
  func deliverInterrupt() {
    guard onInterrupt != nil, takeInterrupt() else { return }
    // Work, so that the turn which begins does not wait.
    pump.enqueue { [unowned self] in onInterrupt?() }
  }
}

extension LuaHost {
  /// Opens a session on this host and runs it to its end; false if one is open already.
  package typealias SessionOpener = @Sendable (LuaHost) -> Bool

  private static let sessionOpener = Mutex<SessionOpener?>(nil)

  /// Called by who has a REPL to offer.
  package static func register(_ opener: @escaping SessionOpener) {
    sessionOpener.withLock { $0 = opener }
  }

  /// `lull.repl()`: the caller waits while a session has the loop.
  func openSession(_ call: Call) throws(Misuse) {
    try permissions.refuseInSandbox("lull.repl")
    lull_repl_link()
    guard let open = LuaHost.sessionOpener.withLock({ $0 }) else {
      throw .message("this program has no REPL")
    }
    guard !hasSession, foreground == nil else { throw .message("a REPL is open already") }
    try waits.wait(call, for: "the REPL") { done in
      foreground = { [unowned self] in
        _ = open(self)
        // After os.exit in a line nothing of the script goes on.
        if !bridge.isClosed, loop.exitCode == nil { done([], false) }
      }
      return { [unowned self] in
        foreground = nil
        isSessionEnding = true
      }
    }
  }

  /// What `tostring` says of a value; nil if that raises.
  func text(of index: Int32, in state: OpaquePointer?) -> String? {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var length = 0
    guard let text = lull_text_of(bridge.pointer, state, index, &length) else { return nil }
    return String(escaping: text, length)
  }
}
