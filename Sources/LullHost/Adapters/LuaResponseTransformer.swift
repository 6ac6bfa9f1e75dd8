import CLullBridge
import LullCore

/// A script function that was added with `stage:add_transformer(fn)`. The function gets the whole
/// response, whether it is a success or a failure. It returns the response to continue with, and it
/// may wait. (TRF-01, TRF-02, PIPE-17)
final class LuaResponseTransformer: ResponseTransformer {
  private unowned let callbacks: Callbacks
  private let function: StoredValue
  let description: String

  init(_ function: StoredValue, _ callbacks: Callbacks) {
    self.function = function
    self.callbacks = callbacks
    description = "transformer at \(callbacks.stored.place(of: function.id))"
  }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    var isInside = true
    var immediate: Response?
    let context = RunContext(purpose: description, request: run.request) { [self] outcome in
      guard let result = result(of: outcome, run) else { return }
      if isInside { immediate = result } else { run.resume(with: result) }
    }
    let service = run.request.resource?.service
    var response = response
    if case .success(let entity) = response.outcome {
      response = .success(callbacks.values.unshared(entity, in: run), isNew: response.isNew)
    }
    callbacks.coroutines.start(
      Callable(id: function.id),
      [
        callbacks.values.of(
          response, service: service, tables: OwnTables(callbacks.stored, for: run.request))
      ], context)
    isInside = false
    if immediate == nil {
      run.waits { [callbacks] in callbacks.coroutines.cancel(context) }
    }
    return immediate
  }

  private func result(of outcome: RunOutcome, _ run: PipelineRun) -> Response? {
    switch outcome {
    case .finished(let results):
      if let box = callbacks.handles.object(results[0], .response, as: ResponseBox.self) {
        let response = box.settled
        callbacks.stored.hold(response, for: run.request)
        return response
      }
      guard results[0].kind != Int32(LULL_NIL) else {
        return .failure(run.failure(.transformerReturnedNil(transformer: description)))
      }
      let failure = callbacks.failure(
        "a transformer of responses must return a Response, got " + results[0].typeName,
        of: function.id)
      return .failure(callbacks.error(of: failure, in: description, run))
    case .failed(let failure):
      return .failure(callbacks.error(of: failure, in: description, run))
    case .gone: return .failure(run.failure(.transformerReturnedNil(transformer: description)))
    case .cancelled: return nil
    }
  }
}

extension LuaResponseTransformer: FunctionHolder {
  var heldFunctions: [AnyObject] { [function] }
  var functionUse: String { "response" }
}
