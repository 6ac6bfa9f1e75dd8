import CLullBridge
import LullCore

extension LuaHost {
  /// What a wait brings: results, or a value to raise.
  typealias WaitCompletion = (_ values: [LuaValue], _ raising: Bool) -> Void

  /// Suspends the calling coroutine until `begin`'s completion is called, which must not happen
  /// inside `begin`; `begin` returns what cancels the wait. In the main chunk of a stock interpreter
  /// it runs the loop instead. Raises where neither is possible, naming the place.
  func wait(
    _ call: Call, _ name: String, for what: String, on request: Request? = nil,
    _ begin: (@escaping WaitCompletion) -> () -> Void
  ) throws(Misuse) {
    switch Int(lull_wait_mode(runtime, call.state)) {
    case Int(LULL_WAIT_YIELD):
      guard let context = innermost else { throw .message("cannot wait here") }
      if let request, isPart(context, of: request) {
        throw .message("this would wait for itself: \(what)")
      }
      context.waitsFor = what
      context.waitsForRequest = request
      let cancel = begin { [unowned self] values, raising in
        resume(context, with: values, raising: raising)
      }
      context.cancelWait = cancel
      call.frame.pointee.outcome = Int32(LULL_WAIT)
    case Int(LULL_WAIT_BLOCK):
      try block(call, begin)
    case Int(LULL_WAIT_ANSWER_NOW):
      let kind = lull_answer_now_kind(runtime).map { String(cString: $0) } ?? "callback"
      throw .message("cannot wait inside a \(kind): it must answer at once")
    case Int(LULL_WAIT_FOREIGN):
      throw .message("\(name) inside coroutine.wrap: use lull.spawn")
    default:
      throw .message(
        "cannot wait here: a function that cannot be suspended, such as table.sort, string.gsub, "
          + "require or a metamethod, is in between; wait before calling it")
    }
  }

  private func block(_ call: Call, _ begin: (@escaping WaitCompletion) -> () -> Void)
    throws(Misuse)
  {
    var outcome: (values: [LuaValue], raising: Bool)?
    let cancel = begin { values, raising in outcome = (values, raising) }
    withInterruption { environment.run { outcome != nil || isInterrupted } }
    guard let outcome else {
      cancel()
      throw interruption()
    }
    if outcome.raising, let value = outcome.values.first { throw .value(value) }
    for value in outcome.values { call.return(value) }
  }

  /// In a stock interpreter our own handler listens while we drive the loop.
  func withInterruption(_ body: () -> Void) {
    guard !environment.ownsProcess, let wakeUp = environment.signalWakeUp else { return body() }
    lull_signals_install(runtime, wakeUp.function, wakeUp.context, 0)
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

  /// Whether `request` cannot complete before `context` does, directly or through others.
  private func isPart(_ context: RunContext, of request: Request) -> Bool {
    var visited: Set<ObjectIdentifier> = []
    var open = [request]
    while let next = open.popLast() {
      guard visited.insert(ObjectIdentifier(next)).inserted else { continue }
      if context.request === next { return true }
      open += next.openParts
      for other in waiting.values where other.request === next {
        if let awaited = other.waitsForRequest { open.append(awaited) }
      }
    }
    return false
  }
}
