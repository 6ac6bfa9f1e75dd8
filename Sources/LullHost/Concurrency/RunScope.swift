import LullCore

/// Functions of the script that run on behalf of one call, and the tasks they start: none of them
/// outlives the call. (lull.map, lull.timeout, lull.wait_until)
///
/// Home thread only.
final class RunScope {
  private unowned let host: LuaHost
  /// Not held: the host holds what waits, and each of them holds what it reports to.
  private var runs: [ObjectIdentifier: Weak<RunContext>] = [:]
  private var tasks: [ObjectIdentifier: Weak<LuaTask>] = [:]
  private(set) var hasEnded = false

  init(_ host: LuaHost) {
    self.host = host
  }

  /// What has not ended.
  var openRuns: [RunContext] {
    runs.values.compactMap(\.object) + tasks.values.compactMap(\.object?.context)
  }

  /// Runs a function in a coroutine of its own; `completion` is called when it ends, not if the scope
  /// ends before it.
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
    runs[key] = Weak(object: context)
    host.coroutines.start(Callable(id: function), arguments, context)
  }

  /// A task that one of its functions has started ends with it.
  func adopt(_ task: LuaTask) {
    tasks[ObjectIdentifier(task)] = Weak(object: task)
  }

  func forget(_ task: LuaTask) {
    tasks[ObjectIdentifier(task)] = nil
  }

  /// Ends what is still running.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    let runs = runs.values.compactMap(\.object)
    let tasks = tasks.values.compactMap(\.object)
    self.runs = [:]
    self.tasks = [:]
    for run in runs { host.coroutines.cancel(run) }
    for task in tasks { host.cancel(task) }
  }
}

private struct Weak<Object: AnyObject> {
  weak var object: Object?
}
