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
      try call.tasks.await(try task(call), call)
    },
    .method(.task, "cancel") { call throws(Misuse) in
      call.tasks.cancel(try task(call))
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

extension Method {
  /// `lull.sleep(s)`.
  static func sleep(_ call: Call) throws(Misuse) {
    let seconds = try call.raw(0).seconds { .argument(1, $0) }
    try call.waits.wait(call, for: "lull.sleep(\(seconds))") { completion in
      let timer = StrongTimer(after: seconds, call.loop, call.pump) { completion([], false) }
      return { timer.cancel() }
    }
  }

  /// `lull.run([fn])`: runs until nothing strong is left; in a coroutine, until nothing is left that
  /// does not wait for that coroutine itself.
  static func run(_ call: Call) throws(Misuse) {
    switch Int(lull_wait_mode(call.bridge.pointer, call.state)) {
    case Int(LULL_WAIT_BLOCK):
      var raised: ScriptFailure?
      if !call.isNil(0) {
        let function = try call.kept.keep(call.state, call.index(0))
        call.loop.taskBegan()
        let context = RunContext(purpose: "lull.run") { [unowned loop = call.loop] outcome in
          loop.taskEnded()
          if case .failed(let failure) = outcome { raised = failure }
        }
        context.isStrong = true
        call.coroutines.start(Callable(id: function), [], context)
      }
      call.waits.withInterruption { call.loop.runUntilIdle() }
      call.tasks.reportUnawaited(atEnd: false)
      if call.loop.isInterrupted { throw call.waits.interruption() }
      if let failure = raised {
        var text = failure.message
        if !failure.traceback.isEmpty { text += "\n" + failure.traceback }
        throw .value(.string(text))
      }
    default:
      if !call.isNil(0) { try call.tasks.spawn(call) }
      call.frame.pointee.result_count = 0
      try call.waits.wait(call, for: "everything else to end") { _ in
        guard let context = call.coroutines.innermost else { return {} }
        let loop = call.loop
        loop.waitForIdle(context)
        return { [unowned loop] in loop.forgetIdleWaiter(context) }
      }
    }
  }
}
