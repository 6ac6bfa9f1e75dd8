import LullCore

/// Functions of the script that Swift calls for the model: the values they are given, their run, what
/// they give back, and what is said of those that fail.
///
/// Every adapter has it, and keeps nothing else of what stands behind these. Home thread only.
package final class Callbacks {
  package let handles: ObjectHandles
  package let kept: KeptValues
  package let values: ScriptValues
  package let coroutines: Coroutines
  package let reporter: Reporter

  init(
    _ handles: ObjectHandles, _ kept: KeptValues, _ values: ScriptValues,
    _ coroutines: Coroutines, _ reporter: Reporter
  ) {
    self.handles = handles
    self.kept = kept
    self.values = values
    self.coroutines = coroutines
    self.reporter = reporter
  }

  /// What is wrong with what a function has given back: told with the place where it is defined.
  func failure(_ message: String, of id: Int64, method: StaticString? = nil) -> ScriptFailure {
    ScriptFailure(message, definedAt: kept.definition(of: id, method: method))
  }

  /// What a request fails with where a function of its pipeline does: a request error that was raised
  /// is used as it is (TRF-14); anything else is reported (TRF-13). The request holds what came with it.
  func error(
    of failure: ScriptFailure, in place: String, _ run: PipelineRun
  ) -> RequestError {
    if let error = failure.requestError {
      kept.hold(.failure(error), for: run.request)
      return error
    }
    reporter.report(failure, in: place, request: RequestFacts(run))
    if let id = failure.value?.foreign?.id { kept.hold(id, for: run.request) }
    return run.failure(
      .script(
        ScriptErrorCause(
          userMessage: "Cannot parse server response", message: failure.message,
          traceback: failure.traceback, stage: run.stage?.description, value: failure.value,
          thrown: failure.thrown)))
  }
}
