import LullCore

/// The runs of script functions that belong to one call of `lull.map`, `lull.timeout` or
/// `lull.wait_until`, and the tasks that these functions start. All runs and tasks end with the
/// call.
///
/// Home thread only.
final class RunScope {
  private unowned let coroutines: Coroutines
  private unowned let tasks: Tasks
  /// The runs that have not ended. The references are weak, because the host holds waiting runs,
  /// and each run holds this scope.
  private var runs: [ObjectIdentifier: Weak<RunContext>] = [:]
  private var started: [ObjectIdentifier: Weak<LuaTask>] = [:]
  private(set) var hasEnded = false
  /// The coroutine that made the call to which the scope belongs.
  private weak var starter: RunContext?

  init(_ coroutines: Coroutines, _ tasks: Tasks) {
    self.coroutines = coroutines
    self.tasks = tasks
    starter = coroutines.innermost
  }

  /// The contexts of the runs and tasks that have not ended.
  var openRuns: [RunContext] {
    runs.values.compactMap(\.object) + started.values.compactMap(\.object?.context)
  }

  /// Runs a function in its own coroutine. Calls `completion` when the function ends, unless the
  /// scope has ended before.
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

  /// Adds a task that a function of the scope started, so that the task ends with the scope.
  func adopt(_ task: LuaTask) {
    started[ObjectIdentifier(task)] = Weak(object: task)
  }

  func forget(_ task: LuaTask) {
    started[ObjectIdentifier(task)] = nil
  }

  /// Cancels all runs and tasks that have not ended.
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

  /// Starts a timer. When it fires, `action` runs in the phase of deferred callbacks.
  init(
    after seconds: Double, _ loop: ScriptLoop, _ pump: Pump, _ action: @escaping () -> Void
  ) {
    self.loop = loop
    loop.timerBegan()
    timer = pump.clock.schedule(after: seconds) { [self] in
      guard timer != nil else { return }
      timer = nil
      loop.timerEnded()
      // The action is enqueued, so that work deferred earlier comes first. For example, a task that
      // was spawned before this timer begins first.
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
