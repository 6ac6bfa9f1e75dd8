package import CLullBridge

/// How a function of the script ended. Results are readable only inside the completion.
enum RunOutcome {
  case finished(RunResults)
  case failed(ScriptFailure)
  /// The function was collected, its owner gone.
  case gone
  case cancelled
}

/// The results of a run, still on its stack.
package struct RunResults {
  private let run: lull_run

  init(_ run: lull_run) { self.run = run }

  package var count: Int { Int(run.result_count) }
  package var state: OpaquePointer? { run.L }

  /// Whether the function has returned `nil, err`, whatever the error is.
  var isFailure: Bool {
    count >= 2 && self[0].kind == Int32(LULL_NIL) && self[1].kind != Int32(LULL_NIL)
  }

  package func index(_ position: Int) -> Int32 {
    withUnsafePointer(to: run) { lull_run_result_index($0, Int32(position)) }
  }

  package subscript(_ position: Int) -> lull_value {
    var value = lull_value()
    withUnsafePointer(to: run) { lull_run_result($0, Int32(position), &value) }
    return value
  }
}
