import CLullBridge
import LullCore

/// The function of `request:chained(fn)`. The function gets the response and may wait. It returns
/// nothing, a Request or a Response. (CHN-01 to CHN-19)
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

  /// Implements `request:chained(fn)`. Returns a new request to the script. The new request wraps
  /// `request` and calls `fn`, the first argument, with its response.
  static func add(_ call: Call) throws(Misuse) {
    let id = try call.stored.keep(call.state, call.index(1))
    // The userdata of the wrapped request holds the hooks of that request, and all other functions
    // that it may call.
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
        // Only this code can detect that a coroutine of `next` waits for this chain, which would
        // wait for `next`.
        guard !loop.depends(Awaited(requests: [next]), on: chain) else {
          return .useResponse(.failure(chain.endless("the chain would wait for itself")))
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
