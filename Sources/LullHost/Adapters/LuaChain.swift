import CLullBridge
import LullCore

extension LuaHost {
  /// `request:chained(fn)`: the function gets the response, may wait, and returns nothing, a Request or
  /// a Response. (CHN-01 to CHN-19)
  func chain(_ call: Call) throws(Misuse) {
    let id = try kept.keep(call.state, call.index(1))
    // The wrapped request's userdata holds its hooks and what else it may call.
    let wrapped = try kept.keep(call.state, call.index(0))
    let place = kept.place(of: id)
    let chain = ChainedRequest(wrapping: try call.request, scriptAnchors: [id, wrapped]) {
      [unowned self] response, chain in
      decide(id, "chain function (\(place))", response, chain)
    }
    call.return(values.of(chain))
  }

  private func decide(
    _ id: Int64, _ purpose: String, _ response: Response, _ chain: ChainedRequest
  ) -> RequestChainAction? {
    var isInside = true
    var immediate: RequestChainAction?
    let context = RunContext(purpose: purpose, request: chain) { [unowned self] outcome in
      guard let action = action(outcome, id, purpose, chain) else { return }
      if isInside { immediate = action } else { chain.proceed(with: action) }
    }
    coroutines.start(
      Callable(id: id), [values.of(response, service: chain.resource?.service)], context)
    isInside = false
    if immediate == nil {
      chain.waits { [unowned self] in coroutines.cancel(context) }
    }
    return immediate
  }

  private func action(
    _ outcome: RunOutcome, _ id: Int64, _ purpose: String, _ chain: ChainedRequest
  ) -> RequestChainAction? {
    switch outcome {
    case .finished(let results):
      let value = results[0]
      if value.kind == Int32(LULL_NIL) { return .useThisResponse }
      if let next = handles.object(value, .request, as: Request.self) {
        // What only this side knows: a coroutine of `next` waits for this chain.
        guard !waits.depends(Awaited(requests: [next]), on: chain) else {
          return .useResponse(.failure(chain.endless("it would wait for itself")))
        }
        return .passTo(next)
      }
      if let box = handles.object(value, .response, as: ResponseBox.self) {
        kept.hold(box.response, for: chain)
        return .useResponse(box.response)
      }
      let failure = ScriptFailure(
        "a chain function must return nothing, a Request or a Response, got "
          + value.typeName, definedAt: kept.definition(of: id))
      return .useResponse(.failure(reporter.requestFailure(failure, in: purpose, of: chain)))
    case .failed(let failure):
      return .useResponse(.failure(reporter.requestFailure(failure, in: purpose, of: chain)))
    case .gone:
      let failure = ScriptFailure("the chain function was collected")
      return .useResponse(.failure(reporter.requestFailure(failure, in: purpose, of: chain)))
    case .cancelled: return nil
    }
  }
}
