import CLullBridge
import LullCore
import LullSystem

/// Completes a wait. `values` are the results of the wait or, if `raising` is true, an error value
/// to raise.
typealias WaitCompletion = (_ values: [LuaValue], _ raising: Bool) -> Void

/// Lets calls of a script wait. A coroutine is suspended. In the main chunk of a stock interpreter,
/// the event loop runs instead.
extension ScriptLoop {
  // MARK: Waiting

  /// Suspends the calling coroutine until the wait is completed. In the main chunk of a stock
  /// interpreter, the event loop runs instead. If neither is possible, throws an error that names
  /// the reason.
  ///
  /// `begin` starts the wait. Its argument is the completion of the wait, which must not be called
  /// before `begin` has returned. `begin` returns a function that cancels the wait.
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

  /// Returns the error message for a call at a place where waiting is not possible. The message
  /// says what the script can do instead.
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

  /// Returns the error message for a place where Lua can't yield. The message says what the script
  /// can do instead.
  private static func cannotWait(inside place: String) -> String {
    switch place {
    case "":
      "cannot wait here: the caller is a C function that cannot be suspended; wait before calling it"
    case "__gc": "cannot wait inside a finaliser (__gc): start a task with lull.spawn instead"
    case "require":
      "cannot wait while a module is loaded by require: wait in a function that it returns"
    case "load": "cannot wait inside a function that load reads from: collect the text first"
    default: "cannot wait inside \(place), which cannot be suspended: wait before calling it"
    }
  }

  /// Returns whether the awaited objects depend on `goal` or on the coroutine `context`, directly
  /// or through other waits. If they do, they can't end before `goal` or the coroutine has ended.
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
      // After a cancellation, the wait may still complete. The values of the wait are then no
      // longer needed.
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

  /// Runs `body` with Lull's own signal handler installed. A stock interpreter needs this, because
  /// Lull drives the event loop during `body`.
  func withInterruption(_ body: () -> Void) {
    lull_runtime_set_blocking(bridge.pointer, 1)
    defer { if !bridge.isClosed { lull_runtime_set_blocking(bridge.pointer, 0) } }
    guard !environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return body() }
    lull_signals_install(
      bridge.pointer, wakeUp.function, wakeUp.context, Int32(LULL_SIGNALS_GUEST))
    body()
    if lull_signals_pending() == 0 { lull_signals_restore() }
  }

  /// Called after a signal has ended a blocking wait. Cancels the pending work, and returns the
  /// error to raise.
  func interruption() -> Misuse {
    if !environment.ownsProcess {
      cancelEverything()
      environment.pump.turn()
      lull_signals_restore()
    }
    return .message("interrupted!")
  }

  // MARK: Waits that cannot end

  /// Called for a request that can no longer be completed. The request, and every request that
  /// waits for it, no longer counts as in progress. Code that awaits one of these requests gets an
  /// error.
  func abandon(_ request: Request) {
    guard !bridge.isClosed, !request.isCompleted else { return }
    environment.pump.log(
      .network,
      "warning: \(request.displayName): its 'complete' function was dropped without a call")
    requests.abandon(request)
    for context in Array(coroutines.waiting.values) {
      guard let awaited = context.awaited.abandoned else { continue }
      // The waits for the remaining items of the list are cancelled.
      if context.awaited.isList { context.cancelWait?() }
      coroutines.resume(context, with: [.string(awaited.abandonedText)], raising: true)
    }
  }

  /// Calls `abandon(_:)` in the next turn. For use in a `deinit`, which must not call into Lua.
  func abandonSoon(_ request: Request) {
    environment.pump.enqueue { [weak self] in self?.abandon(request) }
  }
}

extension Request {
  /// The error message for code that awaits this request after the request was abandoned.
  var abandonedText: String {
    "\(displayName) will never complete: a 'complete' function was dropped without a call"
  }
}
