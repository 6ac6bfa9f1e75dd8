import CLullBridge
import LullCore

extension Call {
  /// Keeps a hook of the request with it: with its userdata while it has not been delivered, else until
  /// its own delivery.
  func addHook(_ name: String, _ attach: (Request, ScriptHook) -> Void) throws(Misuse) {
    let request = try request
    let id = try kept.keep(state, index(1))
    let isLate = request.lifecycle.hooksDelivered
    if isLate {
      _ = kept.pin(id)
    } else if lull_value_anchor_to_object(bridge.pointer, request.mark.handle, id, id) != 0 {
      throw .message("not enough memory")
    }
    attach(request, ScriptHook(id, name, of: request, callbacks))
    // Whether the hook applied or not: this one is delivered after it.
    if isLate { request.onCompletion { [unowned kept] _ in kept.unpin(id) } }
    returnSelf()
  }
}
