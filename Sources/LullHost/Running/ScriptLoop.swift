import CLullBridge
package import LullCore
import LullLibC

/// What keeps the script alive, and what ends it: whoever drives the event loop asks here.
///
/// Requests in flight, tasks and timers are strong work; a coroutine in `lull.run` is none, and goes on
/// when nothing else is left. Home thread only.
package final class ScriptLoop {
  let environment: any HostEnvironment
  let bridge: BridgeRuntime
  let handles: ObjectHandles
  let stored: StoredValues
  let coroutines: Coroutines
  let requests: RequestsInFlight
  let session: SessionKeeper
  /// What ends a run that takes too much.
  package let limits: LimitKeeper
  private(set) var taskCount = 0
  private(set) var timerCount = 0
  /// Streams that are followed: work also between two connections, when there is no request.
  private var follows: [ObjectIdentifier: LuaFollow] = [:]
  /// What waits in `lull.run`, or for changes, until everything else has ended.
  private var idleWaiters: [IdleWaiter] = []
  private var lastIdleWaiter = 0

  private struct IdleWaiter {
    let number: Int
    /// The coroutine that waits; nil of the main chunk of a stock interpreter.
    let context: RunContext?
    let proceed: () -> Void
  }

  /// Runs while streams are open, of which some may be held by nobody.
  private var collecting: (any HostTimer)?
  /// After how many seconds it runs the collector.
  private var collectingInterval = ScriptLoop.firstCollection
  private static let firstCollection = 1.0
  private static let rarestCollection = 60.0
  /// Ends the run from inside it: `os.exit` or a signal.
  package var exitCode: Int32?

  /// Bytes that arrived since the last collection step.
  var chargedBytes = 0
  /// The last number given out when a standstill was met.
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

  /// Whether anything still keeps the script alive.
  package var hasStrongWork: Bool { !requests.isEmpty || taskCount > 0 || timerCount > 0 }

  /// Whether nothing is left to do or to wait for.
  var isIdle: Bool { !hasStrongWork && !environment.pump.hasWork && idleWaiters.isEmpty }

  /// Whether nothing but what the script itself could do would complete what is in flight.
  var isStalled: Bool {
    timerCount == 0 && !environment.pump.hasWork && requests.areForScriptToComplete
  }

  // MARK: lull.run

  /// The coroutine goes on when everything else has ended.
  func waitForIdle(_ context: RunContext) {
    waitForIdle(context) { [unowned self] in coroutines.resume(context, with: []) }
  }

  /// Has `proceed` called when everything else has ended; its number, to forget it by.
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

  /// Lets coroutines in `lull.run` go on, one after the other, once everything else has ended.
  func resumeIdleWaiters() {
    for _ in 0..<idleWaiters.count {
      guard let waiter = idleWaiters.first, !environment.pump.hasWork,
        !hasWorkBesideIdleWaiters
      else { return }
      idleWaiters.removeFirst()
      waiter.proceed()
      // What goes on may wait for the same again: the next turn must not wait for anything.
      if !idleWaiters.isEmpty { environment.pump.enqueue {} }
    }
  }

  /// Whether anything but the coroutines in `lull.run` is left. What waits for one of those cannot end
  /// before it, and does not count.
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

  // MARK: Driving

  /// Turns the loop until the condition holds, which is asked before each turn.
  ///
  /// - Parameter asksFirst: whether coroutines in `lull.run` do not go on any more when it holds.
  package func run(asksFirst: Bool = false, until condition: () -> Bool) {
    environment.run { [self] in
      session.takeForeground()
      if requests.hasStreams, !environment.holdsTime { collectSoon() }
      if asksFirst, condition() { return true }
      resumeIdleWaiters()
      return condition()
    }
  }

  /// Has streams noticed that nobody holds any more, which else may keep others from their place for as
  /// long as the script only waits: Lua collects when it makes something. (STR-30)
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

  /// Runs the loop until nothing strong is left, or the run was ended from inside.
  package func runUntilIdle() { run { isIdle || isInterrupted } }

  // MARK: Ending

  /// Whether a signal, a limit or `os.exit` has ended the run.
  package var isInterrupted: Bool {
    if exitCode != nil || limits.endsRun { return true }
    let signal = lull_signals_pending()
    return signal != 0 && !(session.isOpen && signal == SIGINT)
  }

  /// Ends the run with that exit code.
  package func exit(_ code: Int32) {
    exitCode = code
    // It may be called at the start of a turn, which would wait for what comes next.
    environment.wake()
    // For what runs the coroutine that calls, and for the latter if it cannot be suspended.
    if bridge.isStarted { lull_thread_interrupt(bridge.pointer) }
  }

  /// Cancels every request, task and timer; hooks get their cancellation in the turns that follow.
  package func cancelEverything() {
    coroutines.cancelAll()
    for follow in follows.values { follow.stop() }
    requests.cancelAll()
  }

  /// Cancels what scripts have begun, and no more than that: on a pump where others live.
  func cancelOwn() {
    coroutines.cancelAll()
    for follow in follows.values { follow.stop() }
    requests.cancelOwn()
  }

  /// Drops everything: the state goes away, or has gone.
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
  /// Turns the loop until a request's hooks have run; its response, nil if the run ended first.
  package func finish(_ request: Request) -> Response? {
    var isSettled = false
    request.onCompletion { _ in isSettled = true }
    environment.run { [self] in
      resumeIdleWaiters()
      return isSettled || isInterrupted
    }
    // Whoever has called os.exit wants nothing more.
    return isSettled && exitCode == nil ? request.response : nil
  }

  /// Has the caches asked for a resource, and turns the loop until they have answered.
  package func finishAskingCaches(_ resource: Resource) {
    _ = resource.isUpToDate
    environment.run { [self] in !resource.isAskingCaches || isInterrupted }
  }
}
