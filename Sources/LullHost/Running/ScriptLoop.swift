import CLullBridge
package import LullCore
import LullLibC

/// Decides whether a script is still alive or has ended. The code that drives the event loop asks
/// this object.
///
/// Requests in flight, tasks and timers are strong work, which keeps a script alive. A coroutine
/// that waits in `lull.run` is not strong work, and resumes when no other work is left. Home thread
/// only.
package final class ScriptLoop {
  let environment: any HostEnvironment
  let bridge: BridgeRuntime
  let handles: ObjectHandles
  let stored: StoredValues
  let coroutines: Coroutines
  let requests: RequestsInFlight
  let session: SessionKeeper
  /// Ends a run that exceeds its limits.
  package let limits: LimitKeeper
  private(set) var taskCount = 0
  private(set) var timerCount = 0
  /// The streams that the script follows. They keep the script alive even between two connections,
  /// when there is no request.
  private var follows: [ObjectIdentifier: LuaFollow] = [:]
  /// The callers that wait in `lull.run`, or for a change of a resource, until all other work has
  /// ended.
  private var idleWaiters: [IdleWaiter] = []
  private var lastIdleWaiter = 0

  private struct IdleWaiter {
    let number: Int
    /// The waiting coroutine; nil for the main chunk of a stock interpreter.
    let context: RunContext?
    let proceed: () -> Void
  }

  /// The timer that starts garbage collections while streams are open. Without it, streams that are
  /// no longer referenced would stay open.
  private var collecting: (any HostTimer)?
  /// The delay of a scheduled collection, in seconds.
  private var collectingInterval = ScriptLoop.firstCollection
  private static let firstCollection = 1.0
  private static let rarestCollection = 60.0
  /// The exit code, if the run was ended from inside it: by `os.exit`, or by leaving a session.
  package var exitCode: Int32?

  /// The number of bytes of response bodies that have arrived since the last collection step.
  var chargedBytes = 0
  /// At the last standstill, the last ID of a stored value that had been assigned.
  var stalledAt: Int64 = 0

  init(
    _ environment: any HostEnvironment, _ coroutines: Coroutines, _ requests: RequestsInFlight,
    _ session: SessionKeeper
  ) {
    self.environment = environment
    bridge = coroutines.bridge
    handles = coroutines.handles
    stored = coroutines.stored
    self.coroutines = coroutines
    self.requests = requests
    self.session = session
    limits = LimitKeeper(bridge)
  }

  // MARK: Strong work

  func taskBegan() { taskCount += 1 }
  func taskEnded() { taskCount -= 1 }
  func began(_ follow: LuaFollow) {
    taskBegan()
    follows[ObjectIdentifier(follow)] = follow
  }
  func ended(_ follow: LuaFollow) {
    taskEnded()
    follows[ObjectIdentifier(follow)] = nil
  }
  func timerBegan() { timerCount += 1 }
  func timerEnded() { timerCount -= 1 }

  /// Whether there is work that keeps the script alive.
  package var hasStrongWork: Bool { !requests.isEmpty || taskCount > 0 || timerCount > 0 }

  /// Whether there is no work left, and nothing that the script waits for.
  var isIdle: Bool { !hasStrongWork && !environment.pump.hasWork && idleWaiters.isEmpty }

  /// Whether only the script itself can complete the requests in flight, and no other work is left.
  var isStalled: Bool {
    timerCount == 0 && !environment.pump.hasWork && requests.areForScriptToComplete
  }

  // MARK: lull.run

  /// Resumes the coroutine when all other work has ended.
  func waitForIdle(_ context: RunContext) {
    waitForIdle(context) { [unowned self] in coroutines.resume(context, with: []) }
  }

  /// Calls `proceed` when all other work has ended. Returns a number that identifies this wait and
  /// with which the wait can be cancelled.
  @discardableResult
  func waitForIdle(_ context: RunContext?, _ proceed: @escaping () -> Void) -> Int {
    lastIdleWaiter += 1
    idleWaiters.append(
      IdleWaiter(number: lastIdleWaiter, context: context, proceed: proceed))
    return lastIdleWaiter
  }

  func forgetIdleWaiter(_ context: RunContext) {
    idleWaiters.removeAll { $0.context === context }
  }

  func forgetIdleWaiter(number: Int) { idleWaiters.removeAll { $0.number == number } }

  func isWaitingForIdle(_ context: RunContext) -> Bool {
    idleWaiters.contains { $0.context === context }
  }

  /// Resumes the coroutines that wait in `lull.run`, in order, as long as no other work is left.
  func resumeIdleWaiters() {
    for _ in 0..<idleWaiters.count {
      guard let waiter = idleWaiters.first, !environment.pump.hasWork,
        !hasWorkBesideIdleWaiters
      else { return }
      idleWaiters.removeFirst()
      waiter.proceed()
      // The resumed coroutine may wait again, so the next turn must not block.
      if !idleWaiters.isEmpty { environment.pump.enqueue {} }
    }
  }

  /// Whether there is any work besides the coroutines that wait in `lull.run`. Work that waits for
  /// one of these coroutines does not count, because it can't end before the coroutine does.
  private var hasWorkBesideIdleWaiters: Bool {
    guard timerCount == 0 else { return true }
    let graph = WaitGraph(parts: coroutines.waitingParts)
    let idle = Set(idleWaiters.compactMap(\.context).map(ObjectIdentifier.init))
    var idleTasks = 0
    for context in coroutines.waiting.values where context.isStrong {
      guard graph.reaches([], [context], isGoal: { idle.contains(ObjectIdentifier($0)) }) else {
        return true
      }
      idleTasks += 1
    }
    if taskCount > idleTasks { return true }
    return requests.contains { request in
      !graph.reaches([request], [], isGoal: { idle.contains(ObjectIdentifier($0)) })
    }
  }

  // MARK: Running the loop

  /// Runs the loop until the condition holds. The condition is checked before each turn.
  ///
  /// - Parameter asksFirst: whether the condition is also checked before coroutines that wait in
  ///   `lull.run` are resumed. By default it is checked only afterwards.
  package func run(asksFirst: Bool = false, until condition: () -> Bool) {
    environment.run { [self] in
      session.takeForeground()
      if requests.hasStreams, !environment.holdsTime { collectSoon() }
      if asksFirst, condition() { return true }
      resumeIdleWaiters()
      return condition()
    }
  }

  /// Schedules a collection that frees unreferenced streams. A script that only waits allocates
  /// nothing, so Lua would not collect garbage. The unreferenced streams would then occupy
  /// connections that other requests need. (STR-30)
  private func collectSoon() {
    guard collecting == nil else { return }
    collecting = environment.pump.clock.schedule(after: collectingInterval) { [weak self] in
      guard let self else { return }
      collecting = nil
      guard requests.hasStreams, bridge.isStarted else {
        collectingInterval = ScriptLoop.firstCollection
        return
      }
      collectingInterval = min(collectingInterval * 2, ScriptLoop.rarestCollection)
      _ = lull_runtime_collect_all(bridge.pointer)
    }
  }

  /// Runs the loop until no strong work is left, or until the run was ended from inside it.
  package func runUntilIdle() { run { isIdle || isInterrupted } }

  // MARK: Ending

  /// Whether a signal, a limit or `os.exit` has ended the run.
  package var isInterrupted: Bool {
    if exitCode != nil || limits.endsRun { return true }
    let signal = lull_signals_pending()
    return signal != 0 && !(session.isOpen && signal == SIGINT)
  }

  /// Ends the run with an exit code.
  package func exit(_ code: Int32) {
    exitCode = code
    // Without this, a turn that begins now would wait for the next event.
    environment.wake()
    // This call interrupts the coroutines that resumed the calling coroutine. If the calling
    // coroutine can't be suspended, it is interrupted too.
    if bridge.isStarted { lull_thread_interrupt(bridge.pointer) }
  }

  /// Cancels every request, task and timer. The hooks of the requests are called in the following
  /// turns.
  package func cancelEverything() {
    coroutines.cancelAll()
    for follow in follows.values { follow.stop() }
    requests.cancelAll()
  }

  /// Cancels only the work that scripts have started. Other work on the pump belongs to other code.
  func cancelOwn() {
    coroutines.cancelAll()
    for follow in follows.values { follow.stop() }
    requests.cancelOwn()
  }

  /// Removes all waits and all work from this object. Called when the state is closed or about to
  /// be closed.
  func close() {
    collecting?.cancel()
    collecting = nil
    environment.close()
    coroutines.close()
    idleWaiters = []
    follows = [:]
    requests.close()
  }
}

extension ScriptLoop {
  /// Runs the loop until the hooks of a request have run. Returns the response of the request, or
  /// nil if the run ended before the hooks had run.
  package func finish(_ request: Request) -> Response? {
    var isSettled = false
    request.onCompletion { _ in isSettled = true }
    environment.run { [self] in
      resumeIdleWaiters()
      return isSettled || isInterrupted
    }
    // After `os.exit`, the response is no longer needed.
    return isSettled && exitCode == nil ? request.response : nil
  }

  /// Starts the cache lookup of a resource, and runs the loop until the lookup has finished.
  package func finishAskingCaches(_ resource: Resource) {
    _ = resource.isUpToDate
    environment.run { [self] in !resource.isAskingCaches || isInterrupted }
  }
}
