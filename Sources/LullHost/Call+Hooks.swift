import CLullBridge
import LullCore

extension Call {
  /// Keeps a hook of the request with it: with its userdata while it has not been delivered, else until
  /// its own delivery.
  func addHook(
    _ name: String, _ attach: (Request, @escaping ([LuaValue]) -> Void) -> Void
  ) throws(Misuse) {
    let request = try request
    let id = try kept.keep(state, index(1))
    let isLate = request.lifecycle.hooksDelivered
    if isLate {
      _ = kept.pin(id)
    } else if lull_value_anchor_to_object(bridge.pointer, request.mark.handle, id, id) != 0 {
      throw .message("not enough memory")
    }
    attach(request) { [unowned callbacks, unowned request] arguments in
      // A hook that waits may outlive everybody else's interest in its request.
      let request = request
      let context = RunContext(purpose: name) { [unowned callbacks] outcome in
        if case .failed(let failure) = outcome {
          callbacks.reporter.report(
            failure, in: callbacks.kept.named("\(name) hook", id) + " of \(request.description)",
            request: RequestFacts(request))
        }
      }
      callbacks.coroutines.start(Callable(id: id), arguments, context)
    }
    // Whether the hook applied or not: this one is delivered after it.
    if isLate { request.onCompletion { [unowned kept] _ in kept.unpin(id) } }
    returnSelf()
  }
}
