import LullCore

/// Functions of the script that Swift calls for the model: the values they are given, their run, what
/// they give back, and what is said of those that fail.
///
/// Every adapter has it, and keeps nothing else of what stands behind these. Its extensions have one kind of
/// adapter each: observers, caches, iterators, and functions that answer at once. Home thread only.
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
  /// Observers with owners, by the id of their closure.
  var observersByID: [Int64: WeakObserver] = [:]
  var cacheTables = CacheTables()
  /// What a predicate raised that was called for a call of the script's, to be raised there.
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

  /// What is wrong with what a function has given back: told with the place where it is defined.
  func failure(_ message: String, of id: Int64, method: StaticString? = nil) -> ScriptFailure {
    ScriptFailure(message, definedAt: stored.definition(of: id, method: method))
  }

  /// What a request fails with where a function of its pipeline does: a request error that was raised
  /// is used as it is (TRF-14); anything else is reported (TRF-13). The request holds what came with it.
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

/// How a function that a program has asked came to its end.
package enum FunctionEnd {
  /// Its results are there while this is handed over.
  case finished(RunResults)
  case failed(ScriptFailure)
}

/// For programs that ask a function of the script for something, such as the answer to a request.
extension Callbacks {
  /// Runs a function that may wait; `completion` is called once, at once or later, and sees the results.
  ///
  /// Where the program ends before the function has, nothing is called.
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

  /// What is wrong with what a function has given back.
  package func failure(_ misuse: Misuse, of id: Int64) -> ScriptFailure {
    failure(misuse.text, of: id)
  }

  /// Tells of an error in a function, as of any in a callback.
  package func report(_ failure: ScriptFailure, in place: String) {
    reporter.report(failure, in: place)
  }
}

/// What Swift calls: a kept function, or a field of a kept table.
package struct Callable {
  let id: Int64
  var method: StaticString?
  /// Hears of failures, also where callbacks are nested too deeply.
  var isHandler = false
  /// Is the main chunk, or a line of a session.
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
