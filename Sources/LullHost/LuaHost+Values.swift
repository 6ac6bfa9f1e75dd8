import CLullBridge
import LullCore
import LullTransport

extension LuaHost {
  // MARK: Hooks

  /// Keeps the hook with the request: with its userdata while it has not been delivered, else until
  /// its own delivery.
  func addHook(
    _ call: Call, _ name: String,
    _ attach: (Request, @escaping ([LuaValue]) -> Void) -> Void
  ) throws(Misuse) {
    let request = try call.request
    let id = try kept.keep(call.state, call.index(1))
    let isLate = request.lifecycle.hooksDelivered
    if isLate {
      _ = kept.pin(id)
    } else if lull_value_anchor_to_object(bridge.pointer, request.hostHandle, id, id) != 0 {
      throw .message("not enough memory")
    }
    attach(request) { [unowned self, unowned request] arguments in
      // A hook that waits may outlive everybody else's interest in its request.
      let request = request
      let context = RunContext(purpose: name) { [unowned self] outcome in
        if case .failed(let failure) = outcome {
          reporter.report(
            failure, in: kept.named("\(name) hook", id) + " of \(request.description)",
            request: RequestFacts(request))
        }
      }
      coroutines.start(Callable(id: id), arguments, context)
    }
    // Whether the hook applied or not: this one is delivered after it.
    if isLate { request.onCompletion { [unowned self] _ in kept.unpin(id) } }
    call.returnSelf()
  }
}
