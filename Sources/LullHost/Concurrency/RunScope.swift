import LullCore

/// The script functions that run for one call, and the tasks they start: none of them outlives the
/// call. (lull.map, lull.timeout, lull.wait_until)
///
/// Home thread only.
final class RunScope {
  private unowned let coroutines: Coroutines
  private unowned let tasks: Tasks
  /// Weak: the host holds waiting runs, and each of them holds its receiver.
  private var runs: [ObjectIdentifier: Weak<RunContext>] = [:]
  private var started: [ObjectIdentifier: Weak<LuaTask>] = [:]
  private(set) var hasEnded = false
  /// The coroutine that made the call.
  private weak var starter: RunContext?

  init(_ coroutines: Coroutines, _ tasks: Tasks) {
    self.coroutines = coroutines
    self.tasks = tasks
    starter = coroutines.innermost
  }

  /// The runs that have not ended.
  var openRuns: [RunContext] {
    runs.values.compactMap(\.object) + started.values.compactMap(\.object?.context)
  }

  /// Runs a function in its own coroutine. `completion` is called when it ends, unless the scope
  /// ends before.
  func run(
    _ function: Int64, _ arguments: [LuaValue], as purpose: String,
    _ completion: @escaping (RunOutcome) -> Void
  ) {
    var identifier: ObjectIdentifier?
    let context = RunContext(purpose: purpose) { [weak self] outcome in
      guard let self else { return }
      if let identifier { runs[identifier] = nil }
      if !hasEnded { completion(outcome) }
    }
    let key = ObjectIdentifier(context)
    identifier = key
    context.scope = self
    context.starter = starter
    runs[key] = Weak(object: context)
    coroutines.start(Callable(id: function), arguments, context)
  }

  /// Adds a task started by one of its functions, so that it ends with the scope.
  func adopt(_ task: LuaTask) {
    started[ObjectIdentifier(task)] = Weak(object: task)
  }

  func forget(_ task: LuaTask) {
    started[ObjectIdentifier(task)] = nil
  }

  /// Ends everything that is still running.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    let runs = runs.values.compactMap(\.object)
    let tasks = started.values.compactMap(\.object)
    self.runs = [:]
    started = [:]
    for run in runs { coroutines.cancel(run) }
    for task in tasks { self.tasks.cancel(task) }
  }
}

private struct Weak<Object: AnyObject> {
  weak var object: Object?
}

/// A timer that keeps the script alive until it fires or is cancelled.
final class StrongTimer {
  private unowned let loop: ScriptLoop
  private var timer: (any HostTimer)?

  /// `action` runs in the phase of deferred callbacks.
  init(
    after seconds: Double, _ loop: ScriptLoop, _ pump: Pump, _ action: @escaping () -> Void
  ) {
    self.loop = loop
    loop.timerBegan()
    timer = pump.clock.schedule(after: seconds) { [self] in
      guard timer != nil else { return }
      timer = nil
      loop.timerEnded()
      // Enqueued, so that work deferred earlier comes first: a task spawned before this timer
      // begins first.
      pump.enqueue(action)
    }
  }

  func cancel() {
    guard let timer else { return }
    self.timer = nil
    timer.cancel()
    loop.timerEnded()
  }
}
