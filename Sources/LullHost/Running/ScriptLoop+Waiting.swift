import CLullBridge
import LullCore
import LullSystem

/// Completes a wait with results, or with an error value to raise.
typealias WaitCompletion = (_ values: [LuaValue], _ raising: Bool) -> Void

/// Script calls that wait: in a coroutine by suspending it, in the main chunk of a stock
/// interpreter by running the loop.
extension ScriptLoop {
  // MARK: Waiting

  /// Suspends the calling coroutine until `begin` calls its completion, which it may not do before
  /// returning. `begin` returns a function that cancels the wait. In the main chunk of a stock
  /// interpreter, runs the loop instead. Raises an error that names the place if neither is
  /// possible.
  func wait(
    _ call: Call, for what: @autoclosure @escaping () -> String, _ awaited: Awaited = Awaited(),
    _ begin: (@escaping WaitCompletion) -> () -> Void
  ) throws(Misuse) {
    switch Int(lull_wait_mode(bridge.pointer, call.state)) {
    case Int(LULL_WAIT_YIELD):
      guard let context = coroutines.innermost else { throw .message("cannot wait here") }
      if depends(awaited, on: context.request, context) {
        throw .message("this would wait for itself: \(what())")
      }
      context.waitsFor = what
      context.waitsSince = environment.pump.clock.now
      context.awaited = awaited
      let cancel = begin { [unowned self] values, raising in
        coroutines.resume(context, with: values, raising: raising)
      }
      context.cancelWait = cancel
      call.frame.pointee.outcome = Int32(LULL_WAIT)
    case Int(LULL_WAIT_BLOCK) where environment.canBlock:
      try block(call, on: awaited, begin)
    default:
      throw .message(refusal(call))
    }
  }

  /// Returns the error message for a place where waiting is not possible, with what to do instead.
  private func refusal(_ call: Call) -> String {
    switch Int(lull_wait_mode(bridge.pointer, call.state)) {
    case Int(LULL_WAIT_ANSWER_NOW):
      let kind = lull_answer_now_kind(bridge.pointer).map { String(cString: $0) } ?? "callback"
      // `__close` runs when a variable is closed because of an error or a cancellation.
      let wayOut = kind.hasPrefix("__close") ? "; start a task with lull.spawn instead" : ""
      return "cannot wait inside a \(kind): it must return at once\(wayOut)"
    case Int(LULL_WAIT_BLOCK):
      return "cannot wait here: no coroutine is running that can be suspended; "
        + "wait in a function instead"
    case Int(LULL_WAIT_FOREIGN):
      return
        "cannot wait inside this coroutine: it was resumed by a C module, or by a coroutine.resume "
        + "saved before Lull was loaded; load Lull first, or start the function with lull.spawn"
    default:
      return bridge.withArena {
        let place = lull_wait_place(bridge.pointer, call.state)
        return ScriptLoop.cannotWait(inside: place.map { String(escapingCString: $0) } ?? "")
      }
    }
  }

  /// Returns the error message for a place where Lua can't yield, with what to do instead.
  private static func cannotWait(inside place: String) -> String {
    switch place {
    case "": "cannot wait here: the caller is a C function that cannot be suspended; wait before it"
    case "__gc": "cannot wait inside a finaliser (__gc): start a task with lull.spawn instead"
    case "require":
      "cannot wait while a module is loaded by require: wait in a function that it returns"
    case "load": "cannot wait inside a function that load reads from: collect the text first"
    default: "cannot wait inside \(place), which cannot be suspended: wait before calling it"
    }
  }

  /// Returns whether the awaited objects can't end before `goal` or the coroutine `context` has,
  /// directly or through others.
  func depends(_ awaited: Awaited, on goal: Request?, _ context: RunContext? = nil) -> Bool {
    WaitGraph(parts: coroutines.waitingParts).depends(awaited, on: goal, context)
  }

  // MARK: Blocking

  private func block(
    _ call: Call, on awaited: Awaited, _ begin: (@escaping WaitCompletion) -> () -> Void
  ) throws(Misuse) {
    var outcome: (values: [LuaValue], raising: Bool)?
    var isWaiting = true
    let cancel = begin { [unowned self] values, raising in
      // After a cancellation the wait may complete later, when its values are no longer needed.
      if isWaiting { outcome = (values, raising) } else { handles.releaseUnclaimed(values) }
    }
    defer { isWaiting = false }
    withInterruption {
      run(asksFirst: true) {
        outcome != nil || isInterrupted || awaited.abandoned != nil
      }
    }
    guard let outcome else {
      if let request = awaited.abandoned, !isInterrupted {
        if awaited.isList { cancel() }
        throw .message(request.abandonedText)
      }
      cancel()
      throw interruption()
    }
    if outcome.raising, let value = outcome.values.first { throw .value(value) }
    for value in outcome.values { call.return(value) }
  }

  /// Runs `body` with Lull's own signal handler, because in a stock interpreter Lull drives the
  /// loop here.
  func withInterruption(_ body: () -> Void) {
    lull_runtime_set_blocking(bridge.pointer, 1)
    defer { if !bridge.isClosed { lull_runtime_set_blocking(bridge.pointer, 0) } }
    guard !environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return body() }
    lull_signals_install(
      bridge.pointer, wakeUp.function, wakeUp.context, Int32(LULL_SIGNALS_GUEST))
    body()
    if lull_signals_pending() == 0 { lull_signals_restore() }
  }

  /// Cancels pending requests after a signal ended a blocking wait; returns the error to raise.
  func interruption() -> Misuse {
    if !environment.ownsProcess {
      cancelEverything()
      environment.pump.turn()
      lull_signals_restore()
    }
    return .message("interrupted!")
  }

  // MARK: Waits that cannot end

  /// Handles a request that can no longer be completed: it and the requests that wait for it are no
  /// longer in progress, and waiting for them raises an error.
  func abandon(_ request: Request) {
    guard !bridge.isClosed, !request.isCompleted else { return }
    environment.pump.log(
      .network,
      "warning: \(request.displayName): its 'complete' function was dropped without a call")
    requests.abandon(request)
    for context in Array(coroutines.waiting.values) {
      guard let awaited = context.awaited.abandoned else { continue }
      // The wait for the others in the list is cancelled.
      if context.awaited.isList { context.cancelWait?() }
      coroutines.resume(context, with: [.string(awaited.abandonedText)], raising: true)
    }
  }

  /// Calls `abandon` in the next turn. For use in a `deinit`, which must not call into Lua.
  func abandonSoon(_ request: Request) {
    environment.pump.enqueue { [weak self] in self?.abandon(request) }
  }
}

extension Request {
  /// The error message of a wait for a request that can no longer be completed.
  var abandonedText: String {
    "\(displayName) will never complete: a 'complete' function was dropped without a call"
  }
}
