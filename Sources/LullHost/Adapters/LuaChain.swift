import CLullBridge
import LullCore

/// The function of `request:chained(fn)`. It gets the response, may wait, and returns nothing, a
/// Request or a Response. (CHN-01 to CHN-19)
struct LuaChain {
  private unowned let callbacks: Callbacks
  private unowned let loop: ScriptLoop
  private let id: Int64
  private let purpose: String

  private init(_ id: Int64, _ callbacks: Callbacks, _ loop: ScriptLoop) {
    self.id = id
    self.callbacks = callbacks
    self.loop = loop
    purpose = "chain function (\(callbacks.stored.place(of: id)))"
  }

  /// Implements `request:chained(fn)`: returns to the script a new request that wraps the request
  /// in the function, which is the first argument.
  static func add(_ call: Call) throws(Misuse) {
    let id = try call.stored.keep(call.state, call.index(1))
    // The wrapped request's userdata holds its hooks and everything else it may call.
    let wrapped = try call.stored.keep(call.state, call.index(0))
    let function = LuaChain(id, call.callbacks, call.loop)
    let chain = ChainedRequest(wrapping: try call.request, by: RequestCallbacks([id, wrapped])) {
      response, chain in
      function.decide(response, chain)
    }
    call.return(call.values.of(chain))
  }

  private func decide(
    _ response: Response, _ chain: ChainedRequest
  ) -> RequestChainAction? {
    var isInside = true
    var immediate: RequestChainAction?
    let context = RunContext(purpose: purpose, request: chain) { outcome in
      guard let action = action(outcome, chain) else { return }
      if isInside { immediate = action } else { chain.proceed(with: action) }
    }
    callbacks.coroutines.start(
      Callable(id: id), [callbacks.values.of(response, service: chain.resource?.service)], context)
    isInside = false
    if immediate == nil {
      chain.waits { [unowned callbacks] in callbacks.coroutines.cancel(context) }
    }
    return immediate
  }

  private func action(
    _ outcome: RunOutcome, _ chain: ChainedRequest
  ) -> RequestChainAction? {
    switch outcome {
    case .finished(let results):
      let value = results[0]
      if value.kind == Int32(LULL_NIL) { return .useThisResponse }
      if let next = callbacks.handles.object(value, .request, as: Request.self) {
        // Only this code can detect this dependency: a coroutine of `next` waits for this chain.
        guard !loop.depends(Awaited(requests: [next]), on: chain) else {
          return .useResponse(.failure(chain.endless("it would wait for itself")))
        }
        next.mark.isHandled = true
        return .passTo(next)
      }
      if let box = callbacks.handles.object(value, .response, as: ResponseBox.self) {
        callbacks.stored.hold(box.response, for: chain)
        return .useResponse(box.response)
      }
      return failed(
        callbacks.failure(
          "a chain function must return nothing, a Request or a Response, got " + value.typeName,
          of: id), chain)
    case .failed(let failure): return failed(failure, chain)
    case .gone: return failed(ScriptFailure("the chain function was collected"), chain)
    case .cancelled: return nil
    }
  }

  private func failed(_ failure: ScriptFailure, _ chain: ChainedRequest) -> RequestChainAction {
    .useResponse(.failure(callbacks.reporter.requestFailure(failure, in: purpose, of: chain)))
  }
}
