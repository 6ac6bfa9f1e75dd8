import CLullBridge
import LullCore

extension Method {
  private static func task(_ call: Call) throws(Misuse) -> LuaTask {
    try call.selfObject(.task, as: LuaTask.self)
  }

  static let taskMethods: [Method] = [
    .getter(.task, "state") { call throws(Misuse) in
      let text =
        switch try task(call).state {
        case .running: "running"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
      call.return(.string(text))
    },
    .method(.task, "await") { call throws(Misuse) in
      try call.host.awaitTask(call, try task(call))
    },
    .method(.task, "cancel") { call throws(Misuse) in
      call.host.cancel(try task(call))
      call.returnSelf()
    },
    .method(.task, "__tostring") { call throws(Misuse) in
      let text =
        switch try task(call).state {
        case .running: "running"
        case .finished: "finished"
        case .failed(let failure): "failed: \(failure.message)"
        case .cancelled: "cancelled"
        }
      call.return(.string("Task(\(text))"))
    },
  ]
}

extension LuaHost {
  /// `lull.spawn(fn, …)`: a task that begins with the next turn.
  func spawn(_ call: Call) throws(Misuse) {
    let function = try kept.keep(call.state, call.index(0))
    let arguments = kept.makeID()
    guard lull_value_pin(bridge.pointer, function) == 0 else { throw .message("not enough memory") }
    guard lull_value_pack(bridge.pointer, call.state, 2, Int32(call.count), arguments) == 0 else {
      lull_value_unpin(bridge.pointer, function)
      throw .message("not enough memory")
    }
    let task = LuaTask(host: self)
    let place = String(
      escapingCString: lull_function_place(bridge.pointer, call.state, call.index(0)))
    let object = values.of(task, .task)
    task.hostHandle = LuaHost.handle(object)
    guard let pinned = kept.pin(task) else {
      lull_value_unpin(bridge.pointer, function)
      lull_value_unpin(bridge.pointer, arguments)
      throw .message("not enough memory")
    }
    loop.taskBegan()
    let context = RunContext(
      purpose: place.isEmpty ? "task of a function written in C" : "task \(place)"
    ) { [unowned self] outcome in
      taskEnded(task, outcome)
      kept.unpin(object: pinned)
    }
    context.isStrong = true
    task.context = context
    if let scope = coroutines.innermost?.scope {
      task.scope = scope
      context.scope = scope
      scope.adopt(task)
    }
    pump.enqueue { [unowned self] in
      defer {
        lull_value_unpin(bridge.pointer, function)
        lull_value_unpin(bridge.pointer, arguments)
      }
      // Cancelled before it began: nothing of it runs.
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
      let id = kept.makeID()
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
      task.complete(.finished(results: id, isFailure: LuaHost.isFailure(results)))
    case .failed(let failure):
      if let id = failure.value?.foreign?.id {
        kept.anchor(id, from: task.hostHandle)
      }
      taskFailed(task, failure)
    case .gone, .cancelled: task.complete(.cancelled)
    }
  }

  private func taskFailed(_ task: LuaTask, _ failure: ScriptFailure) {
    task.complete(.failed(failure))
    failedTasks.append(task)
  }

  func cancel(_ task: LuaTask) {
    guard case .running = task.state, let context = task.context else { return }
    if context.thread != nil || coroutines.isRunning(context) {
      coroutines.cancel(context)
    } else {
      // It has not begun.
      context.completion(.cancelled)
    }
  }

  /// `task:await()`: the function's results; its error is raised again, and reported with both tracebacks.
  func awaitTask(_ call: Call, _ task: LuaTask) throws(Misuse) {
    task.markAwaited()
    if let outcome = outcome(of: task) {
      if outcome.raising { throw .value(outcome.values[0]) }
      for value in outcome.values { call.return(value) }
      return
    }
    guard task.context !== coroutines.innermost else {
      throw .message("this would wait for itself: a task cannot await itself")
    }
    try waits.wait(call, for: task.context?.purpose ?? "a task", Awaited(tasks: [task])) {
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

  /// Reports failures of tasks that nobody has awaited and nobody can any more, or all at the end.
  func reportUnawaitedTasks(atEnd: Bool) {
    for task in failedTasks {
      guard let failure = task.unheardFailure else { continue }
      if atEnd || task.hostHandle == 0 {
        task.markAwaited()
        report(failure, in: task.reportedName)
      }
    }
    failedTasks.removeAll { $0.unheardFailure == nil }
  }

  /// `lull.sleep(s)`.
  func sleep(_ call: Call) throws(Misuse) {
    let seconds = try call.raw(0).seconds { .argument(1, $0) }
    try waits.wait(call, for: "lull.sleep(\(seconds))") { completion in
      let timer = StrongTimer(after: seconds, host: self) { completion([], false) }
      return { timer.cancel() }
    }
  }

  /// `lull.run([fn])`: runs until nothing strong is left; in a coroutine, until nothing is left that
  /// does not wait for that coroutine itself.
  func run(_ call: Call) throws(Misuse) {
    switch Int(lull_wait_mode(bridge.pointer, call.state)) {
    case Int(LULL_WAIT_BLOCK):
      if !call.isNil(0) {
        let function = try kept.keep(call.state, call.index(0))
        loop.taskBegan()
        let context = RunContext(purpose: "lull.run") { [unowned self] outcome in
          loop.taskEnded()
          if case .failed(let failure) = outcome { runFailure = failure }
        }
        context.isStrong = true
        coroutines.start(Callable(id: function), [], context)
      }
      waits.withInterruption { loop.runUntilIdle() }
      reportUnawaitedTasks(atEnd: false)
      if loop.isInterrupted { throw waits.interruption() }
      if let failure = runFailure {
        runFailure = nil
        var text = failure.message
        if !failure.traceback.isEmpty { text += "\n" + failure.traceback }
        throw .value(.string(text))
      }
    default:
      if !call.isNil(0) { try spawn(call) }
      call.frame.pointee.result_count = 0
      try waits.wait(call, for: "everything else to end") { _ in
        guard let context = coroutines.innermost else { return {} }
        loop.waitForIdle(context)
        return { [unowned self] in loop.forgetIdleWaiter(context) }
      }
    }
  }
}
