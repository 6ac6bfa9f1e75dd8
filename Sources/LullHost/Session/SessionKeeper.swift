import CLullBridge
import LullLibC
import LullCore
import LullSystem
import Synchronization

/// Manages the open session: its Ctrl-C handler, and requests to open a session.
///
/// One session at a time. Home thread only.
package final class SessionKeeper {
  private let environment: any HostEnvironment
  private let bridge: BridgeRuntime
  /// Whether a session is open, which then handles Ctrl-C.
  private(set) var isOpen = false
  /// Whether the open session should end, because its caller no longer waits for it.
  package private(set) var isEnding = false
  /// Whether a user is at a prompt, so that failed tasks are reported immediately.
  package var isAtPrompt = false
  /// Returns whether there is output to show above the prompt.
  package var hasOutput: (() -> Bool)?
  /// Whether help that is longer than the screen is shown in the user's pager.
  package var pagesHelp = false
  /// The text of the latest `explain` in the open session, which shows it unchanged.
  package var explanation: String?
  /// The Ctrl-C handler of the open session.
  private var onInterrupt: (() -> Void)?
  /// Runs a session to its end, if the program has a REPL.
  var run: () -> Void = {}
  /// A session opened by a script, which is to take over the loop before the next turn; the
  /// function is called after it has ended.
  private var foreground: (() -> Void)?
  /// Shown while no session is open.
  private(set) lazy var progress = ProgressBars(self, environment.pump)

  init(_ environment: any HostEnvironment, _ bridge: BridgeRuntime) {
    self.environment = environment
    self.bridge = bridge
  }

  // MARK: Opening and closing

  /// Opens a session, which gets Ctrl-C from now on.
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

  /// Whether a session is open or waiting for the loop.
  var isTaken: Bool { isOpen || foreground != nil }

  /// Requests that a session take over the loop; `ended` is called after it.
  func setForeground(_ ended: @escaping () -> Void) { foreground = ended }

  /// Withdraws such a request, or ends the session, because its caller no longer waits for it.
  func withdrawForeground() {
    foreground = nil
    isEnding = true
  }

  /// Runs the session that waits for the loop, if there is one. The code that drives the loop calls
  /// this before each turn, when nothing else is in progress.
  func takeForeground() {
    guard let ended = foreground else { return }
    foreground = nil
    run()
    ended()
  }

  // MARK: Ctrl-C

  /// Sets whether Ctrl-C goes to a session or ends the process. In an interpreter that does not
  /// belong to Lull, it does neither.
  private func setSignalOwner(_ owner: some BinaryInteger) {
    guard environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return }
    lull_signals_install(bridge.pointer, wakeUp.function, wakeUp.context, Int32(owner))
  }

  /// Returns whether Ctrl-C was pressed. If a session is open, the signal is cleared.
  func takeInterrupt() -> Bool {
    guard lull_signals_pending() == SIGINT else { return false }
    if isOpen { lull_signals_clear() }
    return true
  }

  /// Passes Ctrl-C to the open session at the start of a turn.
  func deliverInterrupt() {
    guard isOpen, takeInterrupt() else { return }
    // Enqueued, so that the turn does not wait.
    environment.pump.enqueue { [unowned self] in onInterrupt?() }
  }

  /// Enqueues work if there is output to show above the prompt, so that the turn does not wait.
  func showOutput() {
    if isAtPrompt, hasOutput?() == true { environment.pump.enqueue {} }
  }

  // MARK: Registering a REPL

  /// Opens a session on a host and runs it to its end. Returns false if one is already open.
  package typealias Opener = @Sendable (LuaHost) -> Bool

  private static let registered = Mutex<Opener?>(nil)

  /// Registers the REPL of the program.
  package static func register(_ opener: @escaping Opener) {
    registered.withLock { $0 = opener }
  }

  static var opener: Opener? { registered.withLock { $0 } }
}
