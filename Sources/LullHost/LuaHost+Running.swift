import CLullBridge
import LullCore

/// One coroutine of ours: what it is for, what it waits for, who wants to know how it ended.
final class RunContext {
  /// For reports and messages, such as `observer of /users/7`.
  let purpose: String
  /// The request whose outcome depends on this coroutine.
  let request: Request?
  /// The cache whose operations wait for this coroutine.
  let queue: CacheOperations?
  let completion: (LuaHost, RunOutcome) -> Void
  /// The coroutine's number while it waits.
  var thread: Int32?
  /// What it waits for, in words that are put together only where somebody reads them; nil while it runs.
  var waitsFor: (() -> String)?
  var awaited = Awaited()
  /// Whether it counts as a task: the script does not end before it has.
  var isStrong = false
  /// The call on whose behalf it runs.
  var scope: RunScope?
  var cancelWait: (() -> Void)?
  /// Since when it waits.
  var waitsSince = 0.0
  /// Cancelled while it ran: it ends at its next wait.
  var isCancelled = false
  /// What was last raised again in it that it had awaited.
  var reraised: Reraised?

  init(
    purpose: String, request: Request? = nil, queue: CacheOperations? = nil,
    completion: @escaping (LuaHost, RunOutcome) -> Void
  ) {
    self.purpose = purpose
    self.request = request
    self.queue = queue
    self.completion = completion
  }
}

/// How a function of the script ended. Results are readable only inside the completion.
enum RunOutcome {
  case finished(RunResults)
  case failed(ScriptFailure)
  /// The function was collected, its owner gone.
  case gone
  case cancelled
}

extension lull_run {
  /// It may have failed before its function was called with all it was to get.
  fileprivate var isFailed: Bool { L == nil || status == Int32(LULL_RUN_FAILED) }
}

/// The results of a run, still on its stack.
struct RunResults {
  fileprivate var run: lull_run

  var count: Int { Int(run.result_count) }
  var state: OpaquePointer? { run.L }

  func index(_ position: Int) -> Int32 {
    withUnsafePointer(to: run) { lull_run_result_index($0, Int32(position)) }
  }

  subscript(_ position: Int) -> lull_value {
    var value = lull_value()
    withUnsafePointer(to: run) { lull_run_result($0, Int32(position), &value) }
    return value
  }
}

/// What Swift calls: a kept function, or a field of a kept table.
struct Callable {
  let id: Int64
  var method: StaticString?
  /// Hears of failures, also where callbacks are nested too deeply.
  var isHandler = false
}

extension LuaHost {
  // MARK: Functions that may wait

  /// Runs a function in a coroutine of the pool; `context.completion` is called when it ends, at
  /// once or later.
  func start(_ callable: Callable, _ arguments: [LuaValue], _ context: RunContext) {
    guard !isClosed else { return }
    let mark = lull_arena_mark(runtime)
    var run = lull_run()
    withEncoded(callable, arguments) { call in
      running.append(context)
      lull_start(runtime, call, &run)
      running.removeLast()
    }
    lull_arena_release(runtime, mark)
    if run.isFailed { releaseUnclaimed(arguments) }
    finish(&run, context)
  }

  /// Goes on with a waiting coroutine.
  func resume(_ context: RunContext, with values: [LuaValue], raising: Bool = false) {
    guard !isClosed, let thread = context.thread else { return releaseUnclaimed(values) }
    forget(thread)
    context.thread = nil
    context.cancelWait = nil
    context.waitsFor = nil
    context.awaited = Awaited()
    if raising, case .reraised(_, let failure)? = values.first {
      context.reraised = Reraised(failure)
    }
    let mark = lull_arena_mark(runtime)
    var run = lull_run()
    let encoded = values.map { encode($0) }
    encoded.withUnsafeBufferPointer { buffer in
      running.append(context)
      lull_resume(
        runtime, thread, buffer.baseAddress, Int32(buffer.count), raising ? 1 : 0, &run)
      running.removeLast()
    }
    lull_arena_release(runtime, mark)
    // Where what waited was not what went on, they were not pushed.
    releaseUnclaimed(values)
    finish(&run, context)
  }

  /// Ends a waiting coroutine: what it waits for is cancelled, code after the wait does not run.
  /// One that runs now, to be cancelled by its own doing, ends at its next wait.
  func cancel(_ context: RunContext) {
    guard !isClosed else { return }
    guard let thread = context.thread else {
      if running.contains(where: { $0 === context }) { context.isCancelled = true }
      return
    }
    // A chain of tasks that cancel each other as they close must not exhaust the stack.
    guard lull_runtime_depth(runtime) < LuaHost.deepestCancel else {
      return pump.enqueue { [unowned self] in cancel(context) }
    }
    forget(thread)
    context.thread = nil
    idleWaiters.removeAll { $0 === context }
    let cancelWait = context.cancelWait
    context.cancelWait = nil
    context.waitsFor = nil
    context.awaited = Awaited()
    cancelWait?()
    lull_thread_cancel(runtime, thread)
    context.completion(self, .cancelled)
  }

  private func forget(_ thread: Int32) {
    waiting[thread] = nil
    waitingParts[thread] = nil
  }

  private static let deepestCancel: Int32 = 100

  func finish(_ run: inout lull_run, _ context: RunContext) {
    switch Int(run.status) {
    case Int(LULL_RUN_DONE):
      context.completion(self, .finished(RunResults(run: run)))
      lull_run_end(runtime, &run)
    case Int(LULL_RUN_WAITING):
      context.thread = run.thread
      waiting[run.thread] = context
      if context.request != nil || context.queue != nil { waitingParts[run.thread] = context }
      if context.isCancelled { cancel(context) }
    case Int(LULL_RUN_FAILED):
      let failure = failure(of: &run, context)
      lull_run_end(runtime, &run)
      context.completion(self, .failed(failure))
    default:
      context.completion(self, outcome(ofStatus: run.status))
    }
  }

  private func outcome(ofStatus status: Int32) -> RunOutcome {
    switch Int(status) {
    case Int(LULL_RUN_GONE): .gone
    case Int(LULL_RUN_TOO_DEEP):
      .failed(ScriptFailure("callbacks nested too deeply"))
    default: .failed(ScriptFailure("not enough memory"))
    }
  }

  // MARK: Functions that must answer at once

  /// Calls a function; `read` sees its results. `kind` names it where it tries to wait.
  func ask<R>(
    _ callable: Callable, _ arguments: [LuaValue], kind: StaticString,
    read: (RunResults) -> R
  ) -> Result<R, AskFailure> {
    guard !isClosed else { return .failure(.gone) }
    let mark = lull_arena_mark(runtime)
    defer { lull_arena_release(runtime, mark) }
    var run = lull_run()
    withEncoded(callable, arguments) { call in
      lull_ask(runtime, call, kind.cString, &run)
    }
    if run.isFailed { releaseUnclaimed(arguments) }
    defer { lull_run_end(runtime, &run) }
    switch Int(run.status) {
    case Int(LULL_RUN_DONE): return .success(read(RunResults(run: run)))
    case Int(LULL_RUN_FAILED): return .failure(.failed(failure(of: &run, innermost)))
    default:
      if case .failed(let failure) = outcome(ofStatus: run.status) {
        return .failure(.failed(failure))
      }
      return .failure(.gone)
    }
  }

  enum AskFailure: Error {
    case failed(ScriptFailure)
    case gone
  }

  // MARK: Parts

  private func withEncoded(
    _ callable: Callable, _ arguments: [LuaValue],
    _ body: (UnsafePointer<lull_call>) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: lull_value.self, capacity: max(1, arguments.count)) {
      buffer in
      for (index, argument) in arguments.enumerated() {
        buffer.initializeElement(at: index, to: encode(argument))
      }
      var call = lull_call(
        function: callable.id, method: callable.method?.cString,
        arguments: UnsafePointer(buffer.baseAddress), count: Int32(arguments.count),
        is_handler: callable.isHandler ? 1 : 0)
      body(&call)
    }
  }

  private func failure(of run: inout lull_run, _ context: RunContext?) -> ScriptFailure {
    let mark = lull_arena_mark(runtime)
    defer { lull_arena_release(runtime, mark) }
    var failure = lull_failure()
    lull_run_failure(runtime, &run, &failure)
    var result = ScriptFailure(
      message: String(escaping: failure.message, failure.message_length),
      trace: traceback(failure))
    if let box = object(failure.value, .error, as: ErrorBox.self) {
      result.requestError = box.error
    } else if let value = failure.value.scalar {
      result.value = value
    } else if failure.value.kind != Int32(LULL_NIL) {
      let id = makeID()
      if lull_failure_keep(runtime, &run, id) == 0 {
        result.value = .foreign(
          ForeignContent(id: id, typeName: failure.value.typeName))
        // Pinned until whoever hears of the failure has had the time to hold it.
        valuePins[id] = 1
        pump.enqueue { [unowned self] in unpin(id) }
      } else {
        result.message = "not enough memory"
      }
    }
    if let origin = context?.reraised { result.join(origin) }
    return result
  }
}
