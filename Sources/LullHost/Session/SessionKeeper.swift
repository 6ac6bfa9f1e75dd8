import CLullBridge
import LullLibC
import LullCore
import LullSystem
import Synchronization

/// Whether a session is open, what it does about Ctrl-C, and what wants to open one.
///
/// One session at a time. Home thread only.
package final class SessionKeeper {
  private let environment: any HostEnvironment
  private let bridge: BridgeRuntime
  /// Whether a session is open, whose business Ctrl-C is.
  private(set) var isOpen = false
  /// Whether the open session is to end, since nobody waits for it any more.
  package private(set) var isEnding = false
  /// Whether somebody sits at a prompt, to be told of failed tasks at once.
  package var isAtPrompt = false
  /// Whether something has been written that is to be shown above the prompt.
  package var hasOutput: (() -> Bool)?
  /// Whether help that is longer than the screen goes through the user's pager.
  package var pagesHelp = false
  /// The text of the latest `explain` in the open session, which shows it as it is.
  package var explanation: String?
  /// What the open session does about Ctrl-C.
  private var onInterrupt: (() -> Void)?
  /// Runs a session to its end, where the program has a REPL.
  var run: () -> Void = {}
  /// A session that a script opens takes over whoever drives the loop, at his next look; what follows
  /// it.
  private var foreground: (() -> Void)?
  /// Shown while no session is open.
  private(set) lazy var progress = ProgressBars(self, environment.pump)

  init(_ environment: any HostEnvironment, _ bridge: BridgeRuntime) {
    self.environment = environment
    self.bridge = bridge
  }

  // MARK: Opening and closing

  /// A session has been opened, which is told of Ctrl-C from now on.
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

  /// Whether a session is open, or waits for the loop.
  var isTaken: Bool { isOpen || foreground != nil }

  /// A session is to take over the loop; what to do after it.
  func setForeground(_ ended: @escaping () -> Void) { foreground = ended }

  /// Nobody waits for what was to take over, or has, any more.
  func withdrawForeground() {
    foreground = nil
    isEnding = true
  }

  /// Lets what wants to take over the loop do so, where nothing else is under way: whoever drives
  /// the loop calls it before each turn.
  func takeForeground() {
    guard let ended = foreground else { return }
    foreground = nil
    run()
    ended()
  }

  // MARK: Ctrl-C

  /// Whether Ctrl-C is a session's business or ends the process; in somebody else's interpreter it
  /// never does.
  private func setSignalOwner(_ owner: some BinaryInteger) {
    guard environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return }
    lull_signals_install(bridge.pointer, wakeUp.function, wakeUp.context, Int32(owner))
  }

  /// Whether Ctrl-C was pressed; if a session deals with it, it counts as dealt with.
  func takeInterrupt() -> Bool {
    guard lull_signals_pending() == SIGINT else { return false }
    if isOpen { lull_signals_clear() }
    return true
  }

  /// At the start of a turn: Ctrl-C goes to the session, if there is one.
  func deliverInterrupt() {
    guard isOpen, takeInterrupt() else { return }
    // Work, so that the turn which begins does not wait.
    environment.pump.enqueue { [unowned self] in onInterrupt?() }
  }

  /// Work, so that the turn which begins does not wait with what is to be shown above the prompt.
  func showOutput() {
    if isAtPrompt, hasOutput?() == true { environment.pump.enqueue {} }
  }

  // MARK: Who has a REPL

  /// Opens a session on a host and runs it to its end; false if one is open already.
  package typealias Opener = @Sendable (LuaHost) -> Bool

  private static let registered = Mutex<Opener?>(nil)

  /// Called by who has a REPL to offer.
  package static func register(_ opener: @escaping Opener) {
    registered.withLock { $0 = opener }
  }

  static var opener: Opener? { registered.withLock { $0 } }
}
