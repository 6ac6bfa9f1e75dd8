import CLullBridge
import LullCore

/// Starts and ends the tasks of `lull.spawn`, and reports failures that were not handled.
///
/// Order of events: `spawn` pins the task's userdata. The task's function begins in the next turn.
/// When the function has ended, its results are anchored to the userdata, and the coroutines that
/// await the task resume. Then the userdata is unpinned. Home thread only.
package final class Tasks {
  let bridge: BridgeRuntime
  let handles: ObjectHandles
  let stored: StoredValues
  let values: ScriptValues
  let coroutines: Coroutines
  let loop: ScriptLoop
  private let reporter: Reporter
  let pump: Pump
  /// The failed tasks that have not been awaited yet.
  private var failed: [LuaTask] = []
  /// Whether the arguments of a task are kept until the task ends.
  package var keepsArguments = false

  init(_ reporter: Reporter) {
    loop = reporter.loop
    bridge = loop.bridge
    handles = loop.handles
    stored = loop.stored
    coroutines = loop.coroutines
    pump = loop.environment.pump
    values = reporter.values
    self.reporter = reporter
  }

  // MARK: Beginning and ending

  /// Implements `lull.spawn(fn, …)`, which creates a task. The function `fn` begins in the next
  /// turn.
  func spawn(_ call: Call) throws(Misuse) {
    let function = try stored.keep(call.state, call.index(0))
    let arguments = stored.makeID()
    guard lull_value_pin(bridge.pointer, function) == 0 else { throw .message("not enough memory") }
    guard lull_value_pack(bridge.pointer, call.state, 2, Int32(call.count), arguments) == 0 else {
      lull_value_unpin(bridge.pointer, function)
      throw .message("not enough memory")
    }
    let task = LuaTask()
    let place = String(
      escapingCString: lull_function_place(bridge.pointer, call.state, call.index(0)))
    let object = values.of(task, .task)
    task.hostHandle = Tasks.handle(object)
    guard let pinned = stored.pin(task) else {
      lull_value_unpin(bridge.pointer, function)
      lull_value_unpin(bridge.pointer, arguments)
      throw .message("not enough memory")
    }
    loop.taskBegan()
    let context = RunContext(
      purpose: place.isEmpty ? "task of a function written in C" : "task \(place)"
    ) { [unowned self, keepsArguments] outcome in
      taskEnded(task, outcome)
      if keepsArguments { lull_value_unpin(bridge.pointer, arguments) }
      stored.unpin(object: pinned)
    }
    context.isStrong = true
    context.starter = coroutines.innermost
    context.function = function
    if keepsArguments { context.arguments = arguments }
    task.context = context
    if let scope = coroutines.innermost?.scope {
      task.scope = scope
      context.scope = scope
      scope.adopt(task)
    }
    pump.enqueue { [unowned self, keepsArguments] in
      defer {
        lull_value_unpin(bridge.pointer, function)
        if !keepsArguments { lull_value_unpin(bridge.pointer, arguments) }
      }
      // If the task was cancelled before it began, its function does not run.
      guard case .running = task.state else { return }
      coroutines.start(Callable(id: function), [.unpack(arguments)], context)
    }
    call.return(object)
  }

  private static func handle(_ value: LuaValue) -> UInt64 {
    if case .object(let handle, _, _, _) = value { return handle }
    return 0
  }

  private func taskEnded(_ task: LuaTask, _ outcome: RunOutcome) {
    loop.taskEnded()
    switch outcome {
    case .finished(let results):
      let id = stored.makeID()
      let first = results.index(0)
      var isHeld = false
      if lull_value_pack(
        bridge.pointer, results.state, first, first + Int32(results.count) - 1, id) == 0
      {
        isHeld = lull_value_anchor_to_object(bridge.pointer, task.hostHandle, id, id) == 0
        lull_value_unpin(bridge.pointer, id)
      }
      guard isHeld else {
        return taskFailed(task, ScriptFailure("not enough memory"))
      }
      task.complete(.finished(results: id, isFailure: results.isFailure))
    case .failed(let failure):
      if let id = failure.value?.foreign?.id {
        stored.anchor(id, from: task.hostHandle)
      }
      taskFailed(task, failure)
    case .gone, .cancelled: task.complete(.cancelled)
    }
  }

  private func taskFailed(_ task: LuaTask, _ failure: ScriptFailure) {
    task.complete(.failed(failure))
    failed.append(task)
  }

  func cancel(_ task: LuaTask) {
    guard case .running = task.state, let context = task.context else { return }
    if context.thread != nil || coroutines.isRunning(context) {
      coroutines.cancel(context)
    } else {
      // The task has not begun, so there is no coroutine to cancel.
      context.completion(.cancelled)
    }
  }

  // MARK: Awaiting

  /// Implements `task:await()`, which returns the results of the task's function. If the function
  /// raised an error, the await raises that error again, and the report of the error shows both
  /// tracebacks.
  func await(_ task: LuaTask, _ call: Call) throws(Misuse) {
    task.markAwaited()
    if let outcome = outcome(of: task) {
      if outcome.raising { throw .value(outcome.values[0]) }
      for value in outcome.values { call.return(value) }
      return
    }
    guard task.context !== coroutines.innermost else {
      throw .message("this would wait for itself: a task cannot await itself")
    }
    try loop.wait(call, for: task.context?.purpose ?? "a task", Awaited(tasks: [task])) {
      completion in
      task.onEnd { [unowned self] in
        guard let outcome = outcome(of: task) else { return }
        pump.enqueue { completion(outcome.values, outcome.raising) }
      }
      return { [unowned self] in cancel(task) }
    }
  }

  func outcome(of task: LuaTask) -> (values: [LuaValue], raising: Bool)? {
    switch task.state {
    case .running: return nil
    case .finished(let id, _): return ([.unpack(id)], false)
    case .cancelled:
      return ([.nil, values.of(RequestError.cancelled(at: pump.clock.now), service: nil)], false)
    case .failed(let failure): return ([values.reraised(failure)], true)
    }
  }

  // MARK: Failures

  /// Reports the failures of tasks that were not awaited and can no longer be awaited. At the end,
  /// the failures of all tasks that were not awaited are reported.
  package func reportUnawaited(atEnd: Bool) {
    guard !failed.isEmpty else { return }
    for task in failed {
      guard let failure = task.unheardFailure else { continue }
      if atEnd || task.hostHandle == 0 {
        task.markAwaited()
        reporter.report(failure, in: task.reportedName)
      }
    }
    failed.removeAll { $0.unheardFailure == nil }
  }

  /// Reports the failures of tasks that were not awaited, while the state is closing and script
  /// handlers can no longer be called.
  func reportUnawaitedWithoutLua() {
    for task in failed {
      guard let failure = task.unheardFailure else { continue }
      task.markAwaited()
      reporter.reportWithoutLua(failure, in: task.reportedName)
    }
    failed = []
  }
}
