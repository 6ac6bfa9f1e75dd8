import LullCore

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
