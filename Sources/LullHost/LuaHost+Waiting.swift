import CLullBridge
import LullCore
import LullSystem

extension LuaHost {
  /// What a wait brings: results, or a value to raise.
  typealias WaitCompletion = (_ values: [LuaValue], _ raising: Bool) -> Void

  /// Suspends the calling coroutine until `begin`'s completion is called, which must not happen
  /// inside `begin`; `begin` returns what cancels the wait. In the main chunk of a stock interpreter
  /// it runs the loop instead. Raises where neither is possible, naming the place.
  func wait(
    _ call: Call, for what: @autoclosure @escaping () -> String, _ awaited: Awaited = Awaited(),
    _ begin: (@escaping WaitCompletion) -> () -> Void
  ) throws(Misuse) {
    switch Int(lull_wait_mode(runtime, call.state)) {
    case Int(LULL_WAIT_YIELD):
      guard let context = innermost else { throw .message("cannot wait here") }
      if depends(awaited, on: context.request, context) {
        throw .message("this would wait for itself: \(what())")
      }
      context.waitsFor = what
      context.waitsSince = pump.clock.now
      context.awaited = awaited
      let cancel = begin { [unowned self] values, raising in
        resume(context, with: values, raising: raising)
      }
      context.cancelWait = cancel
      call.frame.pointee.outcome = Int32(LULL_WAIT)
    case Int(LULL_WAIT_BLOCK):
      try block(call, on: awaited, begin)
    case Int(LULL_WAIT_ANSWER_NOW):
      let kind = lull_answer_now_kind(runtime).map { String(cString: $0) } ?? "callback"
      // Where a variable is closed because of an error or a cancellation.
      let wayOut = kind.hasPrefix("__close") ? "; start a task with lull.spawn instead" : ""
      throw .message("cannot wait inside a \(kind): it must answer at once\(wayOut)")
    case Int(LULL_WAIT_FOREIGN):
      throw .message(
        "cannot wait inside this coroutine: a C module resumed it, or a coroutine.resume taken before "
          + "Lull was loaded; load Lull first, or start the function with lull.spawn")
    default:
      let mark = lull_arena_mark(runtime)
      defer { lull_arena_release(runtime, mark) }
      let place = lull_wait_place(runtime, call.state).map { String(escapingCString: $0) } ?? ""
      throw .message(LuaHost.cannotWait(inside: place))
    }
  }

  /// Where Lua cannot yield: the place and the way out.
  private static func cannotWait(inside place: String) -> String {
    switch place {
    case "": "cannot wait here: a C function that cannot be suspended is in between; wait before it"
    case "__gc": "cannot wait inside a finaliser (__gc): start a task with lull.spawn instead"
    case "require":
      "cannot wait while a module is loaded by require: wait in a function that it returns"
    case "load": "cannot wait inside a function that load reads from: collect the text first"
    default: "cannot wait inside \(place), which cannot be suspended: wait before calling it"
    }
  }

  private func block(
    _ call: Call, on awaited: Awaited, _ begin: (@escaping WaitCompletion) -> () -> Void
  ) throws(Misuse) {
    var outcome: (values: [LuaValue], raising: Bool)?
    var isWaiting = true
    let cancel = begin { [unowned self] values, raising in
      // What was cancelled here ends later, when nobody asks for its values any more.
      if isWaiting { outcome = (values, raising) } else { releaseUnclaimed(values) }
    }
    defer { isWaiting = false }
    withInterruption {
      environment.run {
        takeForeground()
        let isOver = { outcome != nil || self.isInterrupted || awaited.forsaken != nil }
        if isOver() { return true }
        resumeIdleWaiters()
        return isOver()
      }
    }
    guard let outcome else {
      if let request = awaited.forsaken, !isInterrupted {
        if awaited.isList { cancel() }
        throw .message(LuaHost.forsakenText(request))
      }
      cancel()
      throw interruption()
    }
    if outcome.raising, let value = outcome.values.first { throw .value(value) }
    for value in outcome.values { call.return(value) }
  }

  /// In a stock interpreter our own handler listens while we drive the loop.
  func withInterruption(_ body: () -> Void) {
    lull_runtime_set_blocking(runtime, 1)
    defer { if !isClosed { lull_runtime_set_blocking(runtime, 0) } }
    guard !environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return body() }
    lull_signals_install(runtime, wakeUp.function, wakeUp.context, Int32(LULL_SIGNALS_GUEST))
    body()
    if lull_signals_pending() == 0 { lull_signals_restore() }
  }

  /// A signal ended a blocking wait: cancels what is in flight; the error to raise.
  func interruption() -> Misuse {
    if !environment.ownsProcess {
      cancelEverything()
      pump.turn()
      lull_signals_restore()
    }
    return .message("interrupted!")
  }

  /// Whether what is awaited cannot end before `goal` or the coroutine `context` has, directly or
  /// through others.
  func depends(_ awaited: Awaited, on goal: Request?, _ context: RunContext? = nil) -> Bool {
    // Where no request depends on a coroutine there is nothing to follow.
    if goal == nil, awaited.tasks.isEmpty, waitingParts.isEmpty, context?.queue == nil {
      return false
    }
    return reaches(
      awaited.requests, awaited.tasks.compactMap(\.context),
      isGoal: { $0 === context },
      isGoalRequest: { next in
        if next === goal { return true }
        guard let queue = (next as? CacheLookup)?.queue else { return false }
        return queue === context?.queue
      })
  }

  /// Whether one of these, or what they wait for, is a goal.
  func reaches(
    _ requests: [Request], _ contexts: [RunContext], isGoal: (RunContext) -> Bool,
    isGoalRequest: (Request) -> Bool = { _ in false }
  ) -> Bool {
    var visited: Set<ObjectIdentifier> = []
    var requests = requests
    var contexts = contexts
    while true {
      if let next = contexts.popLast() {
        guard visited.insert(ObjectIdentifier(next)).inserted else { continue }
        if isGoal(next) { return true }
        requests += next.awaited.requests
        contexts += next.awaited.tasks.compactMap(\.context)
        if let scope = next.awaited.scope { contexts += scope.openRuns }
      } else if let next = requests.popLast() {
        guard visited.insert(ObjectIdentifier(next)).inserted, !next.isCompleted else { continue }
        if isGoalRequest(next) { return true }
        requests += next.openParts
        let transfer = (next as? NetworkRequest)?.transfer
        let current = (transfer as? PolicyExchange)?.current ?? transfer
        if let function = (current as? LuaNetworking.Transfer)?.context {
          contexts.append(function)
        }
        let queue = (next as? CacheLookup)?.queue
        for part in waitingParts.values
        where part.request === next || queue != nil && part.queue === queue {
          contexts.append(part)
        }
      } else {
        return false
      }
    }
  }
}
