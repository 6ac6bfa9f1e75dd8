import CLullBridge
import LullCore

extension APIOwner {
  static let task = APIOwner.object(
    .task, receiver: "task",
    "A function that runs in its own coroutine, concurrently with other functions.",
    entries: [
      .property("state", "TaskState", "The state of the task.") { call throws(Misuse) in
        let text =
          switch try task(call).state {
          case .running: "running"
          case .finished: "finished"
          case .failed: "failed"
          case .cancelled: "cancelled"
          }
        call.return(.string(text))
      },
      .method(
        "await", "(): ...", "Waits for the task and returns its results.",
        """
        An error inside the task is raised here with its own traceback. For a cancelled task, the \
        results are nil and an error of kind `request_cancelled`. A task that waits for itself, \
        directly or through other tasks, raises an error.
        """,
        example: """
          local task = lull.spawn(function(a, b) return a + b, a * b end, 3, 4)
          print(task:await())                      --> 7 12
          """
      ) { call throws(Misuse) in
        try call.tasks.await(try task(call), call)
      },
      .method(
        "cancel", "(): Task",
        "Closes the task's coroutine, and cancels everything that only this task waits for.",
        """
        No code after the task's current wait runs, and no `pcall` catches the cancellation. \
        To-be-closed variables are closed. As after an error, the functions that close them must \
        not wait, but can start a task with `lull.spawn`. A task that has not begun never begins. \
        A task that cancels itself ends at its next wait. A finished task is unchanged.
        """,
        example: """
          local task = lull.spawn(function() lull.sleep(60) print("never") end)
          lull.sleep(0)
          task:cancel()
          local value, err = task:await()
          print(value, err.cause.kind)             --> nil request_cancelled
          """
      ) { call throws(Misuse) in
        call.tasks.cancel(try task(call))
        call.returnSelf()
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let text =
          switch try task(call).state {
          case .running: "running"
          case .finished: "finished"
          case .failed(let failure): "failed: \(failure.message)"
          case .cancelled: "cancelled"
          }
        call.return(.string("Task(\(text))"))
      }
    ])

  static let taskStates = APIOwner.words(
    "TaskState", "The state of a task.",
    entries: [
      .word("running", "The task has not begun, is running, or is waiting."),
      .word("finished", "The task has its results."),
      .word("failed", "The task has raised an error."),
      .word("cancelled", "The task was cancelled."),
    ])
}

extension APIOwner {
  private static func task(_ call: Call) throws(Misuse) -> LuaTask {
    try call.selfObject(.task, as: LuaTask.self)
  }

  /// Implements `lull.sleep(s)`.
  static func sleep(_ call: Call) throws(Misuse) {
    let seconds = try call.raw(0).seconds { .argument(1, $0) }
    try call.loop.wait(call, for: "lull.sleep(\(seconds))") { completion in
      let timer = StrongTimer(after: seconds, call.loop, call.pump) { completion([], false) }
      return { timer.cancel() }
    }
  }

  /// Implements `lull.run([fn])`, which runs the loop until no strong work is left. If it is called
  /// in a coroutine, it waits until all remaining work is waiting for that coroutine.
  static func run(_ call: Call) throws(Misuse) {
    switch Int(lull_wait_mode(call.bridge.pointer, call.state)) {
    case Int(LULL_WAIT_BLOCK):
      var raised: ScriptFailure?
      if !call.isNil(0) {
        let function = try call.stored.keep(call.state, call.index(0))
        call.loop.taskBegan()
        let context = RunContext(purpose: "lull.run") { [unowned loop = call.loop] outcome in
          loop.taskEnded()
          if case .failed(let failure) = outcome { raised = failure }
        }
        context.isStrong = true
        call.coroutines.start(Callable(id: function), [], context)
      }
      call.loop.withInterruption { call.loop.runUntilIdle() }
      call.tasks.reportUnawaited(atEnd: false)
      if call.loop.isInterrupted { throw call.loop.interruption() }
      if let failure = raised {
        var text = failure.message
        if !failure.traceback.isEmpty { text += "\n" + failure.traceback }
        throw .value(.string(text))
      }
    default:
      if !call.isNil(0) { try call.tasks.spawn(call) }
      call.frame.pointee.result_count = 0
      try call.loop.wait(call, for: "everything else to end") { _ in
        guard let context = call.coroutines.innermost else { return {} }
        let loop = call.loop
        loop.waitForIdle(context)
        return { [unowned loop] in loop.forgetIdleWaiter(context) }
      }
    }
  }
}
