import CLullBridge
import LullCore

/// A function of the script that gets the whole response, success or failure, and returns the one to
/// go on with: `stage:add_transformer(fn)`. It may wait. (TRF-01, TRF-02, PIPE-17)
final class LuaResponseTransformer: ResponseTransformer {
  private unowned let host: LuaHost
  private let function: KeptValue
  let description: String

  init(host: LuaHost, function: KeptValue) {
    self.host = host
    self.function = function
    description = "transformer at \(host.kept.place(of: function.id))"
  }

  func process(_ response: Response, in run: PipelineRun) -> Response? {
    var isInside = true
    var immediate: Response?
    let context = RunContext(purpose: description, request: run.request) { [self] outcome in
      guard let result = result(of: outcome, run) else { return }
      if isInside { immediate = result } else { run.resume(with: result) }
    }
    let service = run.request.resource?.service
    host.coroutines.start(
      Callable(id: function.id), [host.values.of(response, service: service)], context)
    isInside = false
    if immediate == nil {
      run.waits { [host] in host.coroutines.cancel(context) }
    }
    return immediate
  }

  private func result(of outcome: RunOutcome, _ run: PipelineRun) -> Response? {
    switch outcome {
    case .finished(let results):
      if let box = host.handles.object(results[0], .response, as: ResponseBox.self) {
        host.kept.hold(box.response, for: run.request)
        return box.response
      }
      guard results[0].kind != Int32(LULL_NIL) else {
        return .failure(run.failure(.transformerReturnedNil(transformer: description)))
      }
      return failed(
        ScriptFailure(
          "a transformer of responses must return a Response, got "
            + results[0].typeName, definedAt: host.kept.definition(of: function.id)), run)
    case .failed(let failure):
      if let error = failure.requestError {
        host.kept.hold(.failure(error), for: run.request)
        return .failure(error)
      }
      return failed(failure, run)
    case .gone: return .failure(run.failure(.transformerReturnedNil(transformer: description)))
    case .cancelled: return nil
    }
  }

  private func failed(_ failure: ScriptFailure, _ run: PipelineRun) -> Response {
    host.reporter.report(failure, in: description, request: RequestFacts(run))
    if let id = failure.value?.foreign?.id { host.kept.hold(id, for: run.request) }
    return .failure(
      run.failure(
        .script(
          ScriptErrorCause(
            userMessage: "Cannot parse server response", message: failure.message,
            traceback: failure.traceback, stage: run.stage?.description, value: failure.value))))
  }
}
