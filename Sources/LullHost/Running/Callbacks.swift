import LullCore

/// Calls script functions for the model. For each call, it passes the arguments, runs the function,
/// converts the results and reports a failure.
///
/// Every adapter has a reference to this object, and reaches the other objects of the host only
/// through it. Each extension covers one kind of adapter: observers, caches, iterators, and
/// functions that must not wait. Home thread only.
package final class Callbacks {
  package let handles: ObjectHandles
  package let stored: StoredValues
  package let values: ScriptValues
  package let coroutines: Coroutines
  package let reporter: Reporter
  let bridge: BridgeRuntime
  let loop: ScriptLoop
  let pump: Pump
  let fields: ContentFields
  let stages = StageNames()
  /// The observers that have owners, keyed by the ID of the observer's function or table.
  var observersByID: [Int64: WeakObserver] = [:]
  var cacheTables = CacheTables()
  /// The error of a predicate that ran for a call of the script. That call raises the error.
  var predicateFailure: ScriptFailure?

  init(_ reporter: Reporter) {
    self.reporter = reporter
    loop = reporter.loop
    bridge = loop.bridge
    handles = loop.handles
    stored = loop.stored
    coroutines = loop.coroutines
    pump = loop.environment.pump
    values = reporter.values
    fields = ContentFields(bridge)
  }

  /// Returns the failure for an invalid result of a function. The report of the failure shows the
  /// place where the function is defined.
  func failure(_ message: String, of id: Int64, method: StaticString? = nil) -> ScriptFailure {
    ScriptFailure(message, definedAt: stored.definition(of: id, method: method))
  }

  /// Returns the error with which a request fails if a script function of its pipeline fails. A
  /// request error that the function raised is returned unchanged (TRF-14); any other error is
  /// reported (TRF-13). The request keeps the raised value alive.
  func error(
    of failure: ScriptFailure, in place: String, _ run: PipelineRun
  ) -> RequestError {
    if let error = failure.requestError {
      stored.hold(.failure(error), for: run.request)
      return error
    }
    reporter.report(failure, in: place, request: RequestFacts(run))
    if let id = failure.value?.foreign?.id { stored.hold(id, for: run.request) }
    return run.failure(
      .script(
        ScriptErrorCause(
          userMessage: "Cannot parse server response", message: failure.message,
          traceback: failure.traceback, stage: run.stage?.description, value: failure.value,
          thrown: failure.thrown)))
  }
}

/// The outcome of a script function that a program called.
package enum FunctionEnd {
  /// The function returned. The results can be read only inside the completion.
  case finished(RunResults)
  case failed(ScriptFailure)
}

/// Functions for programs that call script functions, for example to get the response to a request.
extension Callbacks {
  /// Calls a script function that may wait. `completion` is called once, immediately or later, and
  /// can read the results of the function.
  ///
  /// If the program ends before the function has ended, `completion` is not called.
  package func call(
    _ id: Int64, _ arguments: [LuaValue], as purpose: String,
    completion: @escaping (FunctionEnd) -> Void
  ) {
    let context = RunContext(purpose: purpose) { outcome in
      switch outcome {
      case .finished(let results): completion(.finished(results))
      case .failed(let failure): completion(.failed(failure))
      case .gone: completion(.failed(ScriptFailure("the function was collected")))
      case .cancelled: break
      }
    }
    coroutines.start(Callable(id: id), arguments, context)
  }

  /// Returns the failure for an invalid result of the script function with that ID.
  package func failure(_ misuse: Misuse, of id: Int64) -> ScriptFailure {
    failure(misuse.text, of: id)
  }

  /// Reports an error in a script function, as for any callback.
  package func report(_ failure: ScriptFailure, in place: String) {
    reporter.report(failure, in: place)
  }
}

/// A function that Swift can call: a stored function, or a field of a stored table.
package struct Callable {
  let id: Int64
  var method: StaticString?
  /// Whether the function handles failures. Such a function is called even if callbacks are nested
  /// too deeply.
  var isHandler = false
  /// Whether the function is the main chunk or a line of a session.
  var isMain = false

  package init(id: Int64) {
    self.id = id
  }

  init(
    id: Int64, method: StaticString? = nil, isHandler: Bool = false, isMain: Bool = false
  ) {
    self.id = id
    self.method = method
    self.isHandler = isHandler
    self.isMain = isMain
  }
}
