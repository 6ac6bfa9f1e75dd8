import CLullBridge
import LullLibC
import LullCore
import LullSystem
import Synchronization

/// Manages the open session and its Ctrl-C handler. Scripts can also ask this object to open a
/// session.
///
/// Only one session may be open at a time. Home thread only.
package final class SessionKeeper {
  private let environment: any HostEnvironment
  private let bridge: BridgeRuntime
  /// Whether a session is open. An open session handles Ctrl-C.
  private(set) var isOpen = false
  /// Whether the open session should end, because its caller no longer waits for it.
  package private(set) var isEnding = false
  /// Whether a user is at a prompt. Failed tasks are then reported immediately.
  package var isAtPrompt = false
  /// Returns whether there is output to show above the prompt.
  package var hasOutput: (() -> Bool)?
  /// Whether help that is longer than the screen is shown in the user's pager.
  package var pagesHelp = false
  /// The text that the latest `explain` in the open session returned. The session shows this text
  /// unchanged.
  package var explanation: String?
  /// The Ctrl-C handler of the open session.
  private var onInterrupt: (() -> Void)?
  /// Opens a session and runs it to its end. Does nothing if the program has no REPL.
  var run: () -> Void = {}
  /// Called when a session that a script has asked for has ended. The property is set only until
  /// that session takes over the event loop, which happens before the next turn.
  private var foreground: (() -> Void)?
  /// The progress bars of scripts, which are shown while no session is open.
  private(set) lazy var progress = ProgressBars(self, environment.pump)

  init(_ environment: any HostEnvironment, _ bridge: BridgeRuntime) {
    self.environment = environment
    self.bridge = bridge
  }

  // MARK: Opening and closing

  /// Opens a session. From now on, Ctrl-C is passed to `onInterrupt`.
  func open(onInterrupt: @escaping () -> Void) {
    isOpen = true
    isEnding = false
    self.onInterrupt = onInterrupt
    setSignalOwner(LULL_SIGNALS_SESSION)
  }

  func close() {
    isOpen = false
    pagesHelp = false
    explanation = nil
    onInterrupt = nil
    if bridge.isStarted { setSignalOwner(LULL_SIGNALS_PROCESS) }
  }

  // MARK: The foreground

  /// Whether a session is open, or waits to take over the loop.
  var isTaken: Bool { isOpen || foreground != nil }

  /// Asks for a session, which takes over the event loop before the next turn. `ended` is called
  /// when that session has ended.
  func setForeground(_ ended: @escaping () -> Void) { foreground = ended }

  /// Called when the script no longer waits for the session that it asked for. If the session is
  /// open, it ends. Otherwise it is not opened.
  func withdrawForeground() {
    foreground = nil
    isEnding = true
  }

  /// If a script has asked for a session, runs that session. The code that drives the event loop
  /// calls this method before each turn, when no other code is running.
  func takeForeground() {
    guard let ended = foreground else { return }
    foreground = nil
    run()
    ended()
  }

  // MARK: Ctrl-C

  /// Sets whether Ctrl-C is passed to a session or ends the process. Has no effect in an
  /// interpreter that does not belong to Lull.
  private func setSignalOwner(_ owner: some BinaryInteger) {
    guard environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return }
    lull_signals_install(bridge.pointer, wakeUp.function, wakeUp.context, Int32(owner))
  }

  /// Returns whether Ctrl-C was pressed. If a session is open, the signal is also cleared.
  func takeInterrupt() -> Bool {
    guard lull_signals_pending() == SIGINT else { return false }
    if isOpen { lull_signals_clear() }
    return true
  }

  /// Passes Ctrl-C to the open session at the start of a turn.
  func deliverInterrupt() {
    guard isOpen, takeInterrupt() else { return }
    // The call is enqueued, so that the turn does not wait for events.
    environment.pump.enqueue { [unowned self] in onInterrupt?() }
  }

  /// Enqueues work if there is output to show above the prompt, so that the turn does not wait.
  func showOutput() {
    if isAtPrompt, hasOutput?() == true { environment.pump.enqueue {} }
  }

  // MARK: Registering a REPL

  /// A function that opens a session on a host and runs the session to its end. The function
  /// returns false if a session is already open.
  package typealias Opener = @Sendable (LuaHost) -> Bool

  private static let registered = Mutex<Opener?>(nil)

  /// Registers the REPL of the program.
  package static func register(_ opener: @escaping Opener) {
    registered.withLock { $0 = opener }
  }

  static var opener: Opener? { registered.withLock { $0 } }
}
