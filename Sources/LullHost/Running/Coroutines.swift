import CLullBridge
import LullCore

/// Runs script functions in pooled coroutines: starts, suspends, resumes and ends them.
///
/// Order of events: `start` runs a function until it ends, waits or fails. A function that waits is
/// continued by `resume` or ended by `cancel`. When the function has ended, the completion of its
/// context is called once. Home thread only.
package final class Coroutines {
  let bridge: BridgeRuntime
  let handles: ObjectHandles
  let stored: StoredValues
  private let pump: Pump
  /// Explains errors that are caused by a nil in place of content.
  let nilContents: NilContents
  private let stack = RunStack()
  /// The contexts of the waiting coroutines, keyed by coroutine number.
  private(set) var waiting: [Int32: RunContext] = [:]
  /// The contexts of the waiting coroutines on which a request or a cache operation depends, keyed
  /// by coroutine number.
  private(set) var waitingParts: [Int32: RunContext] = [:]

  init(_ stored: StoredValues, _ sources: ChunkSources, _ pump: Pump) {
    bridge = stored.bridge
    handles = stored.handles
    self.stored = stored
    self.pump = pump
    nilContents = NilContents(handles, sources)
  }

  /// The context of the innermost coroutine that is running now.
  var innermost: RunContext? { stack.innermost }

  func isRunning(_ context: RunContext) -> Bool { stack.contains(context) }

  // MARK: Functions that may wait

  /// Runs a function that may wait. Calls `context.completion` when the function ends, immediately
  /// or later.
  func start(_ callable: Callable, _ arguments: [LuaValue], _ context: RunContext) {
    // The model may outlive the Lua state. After the state is closed, the completion gets `gone`.
    guard !bridge.isClosed else { return pump.enqueue { context.completion(.gone) } }
    let mark = lull_arena_mark(bridge.pointer)
    var run = lull_run()
    withEncoded(callable, arguments) { call in
      stack.push(context)
      context.stretch.run(bridge) { lull_start(bridge.pointer, call, &run) }
      stack.pop()
    }
    lull_arena_release(bridge.pointer, mark)
    if run.isFailed { handles.releaseUnclaimed(arguments) }
    finish(&run, context)
  }

  /// Resumes a waiting coroutine with the results of its wait, or with an error to raise.
  func resume(_ context: RunContext, with values: [LuaValue], raising: Bool = false) {
    guard !bridge.isClosed, let thread = context.thread else {
      return handles.releaseUnclaimed(values)
    }
    forget(thread)
    context.endWait()
    if raising, case .reraised(_, let failure)? = values.first {
      context.reraised = Reraised(failure)
    }
    let mark = lull_arena_mark(bridge.pointer)
    var run = lull_run()
    withUnsafeTemporaryAllocation(of: lull_value.self, capacity: max(1, values.count)) { buffer in
      for (index, value) in values.enumerated() {
        buffer.initializeElement(at: index, to: bridge.encode(value))
      }
      stack.push(context)
      context.takeStretch().run(bridge) {
        lull_resume(
          bridge.pointer, thread, UnsafePointer(buffer.baseAddress), Int32(values.count),
          raising ? 1 : 0, &run)
      }
      stack.pop()
    }
    lull_arena_release(bridge.pointer, mark)
    // If the coroutine was not waiting, the values were not pushed, so they are released here.
    handles.releaseUnclaimed(values)
    finish(&run, context)
  }

  /// Ends a waiting coroutine. Its wait is cancelled, and the code after the wait does not run. If
  /// the coroutine is running now, because it cancels itself, it ends at its next wait.
  func cancel(_ context: RunContext) {
    guard !bridge.isClosed else { return }
    guard let thread = context.thread else {
      if stack.contains(context) { context.isCancelled = true }
      return
    }
    // If tasks cancel each other in a chain while they close, the chain must not exhaust the C
    // stack.
    guard lull_runtime_depth(bridge.pointer) < Coroutines.deepestCancel else {
      return pump.enqueue { [unowned self] in cancel(context) }
    }
    forget(thread)
    let cancelWait = context.cancelWait
    context.endWait()
    cancelWait?()
    lull_thread_cancel(bridge.pointer, thread)
    context.completion(.cancelled)
  }

  private static let deepestCancel: Int32 = 100

  func cancelAll() {
    for context in Array(waiting.values) { cancel(context) }
  }

  /// Removes all waiting coroutines from this object. Called when the state is closed or about to
  /// be closed.
  func close() {
    waiting = [:]
    waitingParts = [:]
  }

  private func forget(_ thread: Int32) {
    waiting[thread] = nil
    if !waitingParts.isEmpty { waitingParts[thread] = nil }
  }

  private func finish(_ run: inout lull_run, _ context: RunContext) {
    switch Int(run.status) {
    case Int(LULL_RUN_DONE):
      context.completion(.finished(RunResults(run)))
      lull_run_end(bridge.pointer, &run)
    case Int(LULL_RUN_WAITING):
      context.thread = run.thread
      waiting[run.thread] = context
      if context.request != nil || context.queue != nil { waitingParts[run.thread] = context }
      if context.isCancelled { cancel(context) }
    case Int(LULL_RUN_FAILED):
      let failure = failure(of: &run, context)
      lull_run_end(bridge.pointer, &run)
      context.completion(.failed(failure))
    default:
      context.completion(Coroutines.outcome(ofStatus: run.status))
    }
  }

  private static func outcome(ofStatus status: Int32) -> RunOutcome {
    switch Int(status) {
    case Int(LULL_RUN_GONE): .gone
    case Int(LULL_RUN_TOO_DEEP): .failed(ScriptFailure("callbacks nested too deeply"))
    default: .failed(ScriptFailure("not enough memory"))
    }
  }

  // MARK: Functions that must not wait

  package enum AskFailure: Error {
    case failed(ScriptFailure)
    case gone
  }

  /// Calls a function that must not wait. Passes the results of the function to `read`, and returns
  /// the value that `read` returns. If the function tries to wait, an error is raised. `kind`
  /// describes the function in the message of that error.
  package func ask<R>(
    _ callable: Callable, _ arguments: [LuaValue], kind: StaticString,
    read: (RunResults) -> R
  ) -> Result<R, AskFailure> {
    guard !bridge.isClosed else { return .failure(.gone) }
    return bridge.withArena {
      var run = lull_run()
      withEncoded(callable, arguments) { call in
        lull_ask(bridge.pointer, call, kind.cString, &run)
      }
      if run.isFailed { handles.releaseUnclaimed(arguments) }
      defer { lull_run_end(bridge.pointer, &run) }
      switch Int(run.status) {
      case Int(LULL_RUN_DONE): return .success(read(RunResults(run)))
      case Int(LULL_RUN_FAILED): return .failure(.failed(failure(of: &run, innermost)))
      default:
        guard case .failed(let failure) = Coroutines.outcome(ofStatus: run.status) else {
          return .failure(.gone)
        }
        return .failure(.failed(failure))
      }
    }
  }

  // MARK: Hooks and observers

  /// Calls a hook. Most hooks return without waiting or failing, so the context of the run is
  /// created only when it is needed.
  func start(_ hook: ScriptHook, _ argument: LuaValue?) {
    guard !bridge.isClosed else { return }
    let mark = lull_arena_mark(bridge.pointer)
    var run = lull_run()
    var value = argument.map { bridge.encode($0) } ?? lull_value()
    let context = withUnsafePointer(to: &value) { value in
      var call = lull_call(
        function: hook.id, method: nil, arguments: value, count: argument == nil ? 0 : 1,
        is_handler: 0, is_main: 0)
      return stack.tell(.hook(hook)) { lull_start(bridge.pointer, &call, &run) }
    }
    lull_arena_release(bridge.pointer, mark)
    if run.isFailed, let argument { handles.releaseUnclaimed([argument]) }
    if context == nil, run.status == Int32(LULL_RUN_DONE) {
      lull_run_end(bridge.pointer, &run)
    } else {
      finish(&run, context ?? hook.makeContext())
    }
  }

  /// Notifies observers of an event, up to and including the first one that waits or fails. Returns
  /// the number of notified observers.
  ///
  /// Most observers return without waiting or failing, and a resource may have thousands of them.
  /// So the context of a run is created only when the run waits or fails.
  func notify(
    _ members: UnsafeMutableBufferPointer<lull_member>, of event: ResourceEvent,
    _ resource: Resource
  ) -> Int {
    guard !bridge.isClosed else { return members.count }
    var run = lull_run()
    var sequence = lull_sequence()
    sequence.members = UnsafePointer(members.baseAddress)
    sequence.count = Int32(members.count)
    return withUnsafeMutablePointer(to: &sequence) { sequence in
      let current = Notification(sequence: sequence, resource: resource)
      let context = stack.tell(.observers(current)) { start(current, of: event, &run) }
      if run.L == nil, run.status != Int32(LULL_RUN_DONE) {
        handles.releaseUnclaimed(handles.handle(of: resource))
      }
      switch Int(run.status) {
      case Int(LULL_RUN_DONE): lull_run_end(bridge.pointer, &run)
      case Int(LULL_RUN_GONE): current.observer.stop()
      default: finish(&run, context ?? current.observer.makeContext(resource))
      }
      return Int(sequence.pointee.position) + 1
    }
  }

  private func start(
    _ notification: Notification, of event: ResourceEvent, _ run: inout lull_run
  ) {
    let sequence = notification.sequence
    withUnsafeTemporaryAllocation(of: lull_value.self, capacity: 3) { arguments in
      arguments.initializeElement(at: 0, to: handles.bridged(notification.resource))
      arguments.initializeElement(at: 1, to: lull_value(event.constant))
      var count: Int32 = 2
      if case .newData(let source) = event {
        arguments.initializeElement(at: 2, to: lull_value(source.constant))
        count = 3
      }
      var call = lull_call(
        function: sequence.pointee.members[0].function, method: nil,
        arguments: UnsafePointer(arguments.baseAddress), count: count, is_handler: 0, is_main: 0)
      if sequence.pointee.count == 1 {
        if notification.observer.isTable { call.method = LuaObserver.changed.cString }
        lull_start(bridge.pointer, &call, &run)
      } else {
        lull_start_sequence(bridge.pointer, &call, sequence, &run)
      }
    }
  }

  // MARK: Parts

  private func withEncoded(
    _ callable: Callable, _ arguments: [LuaValue],
    _ body: (UnsafePointer<lull_call>) -> Void
  ) {
    withUnsafeTemporaryAllocation(of: lull_value.self, capacity: max(1, arguments.count)) {
      buffer in
      for (index, argument) in arguments.enumerated() {
        buffer.initializeElement(at: index, to: bridge.encode(argument))
      }
      var call = lull_call(
        function: callable.id, method: callable.method?.cString,
        arguments: UnsafePointer(buffer.baseAddress), count: Int32(arguments.count),
        is_handler: callable.isHandler ? 1 : 0, is_main: callable.isMain ? 1 : 0)
      body(&call)
    }
  }

  private func failure(of run: inout lull_run, _ context: RunContext?) -> ScriptFailure {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var failure = lull_failure()
    lull_run_failure(bridge.pointer, &run, &failure)
    var result = ScriptFailure(failure, handles)
    nilContents.explain(&result, in: &run)
    if let box = handles.object(failure.value, .error, as: ErrorBox.self) {
      result.requestError = box.error
    } else if let value = failure.value.scalar {
      result.value = value
    } else if failure.value.kind != Int32(LULL_NIL) {
      let id = stored.makeID()
      if lull_failure_keep(bridge.pointer, &run, id) == 0 {
        result.value = .foreign(ForeignContent(id: id, typeName: failure.value.typeName))
        // The value is held temporarily, until the receiver of the failure can store it.
        stored.adoptForNow(id)
      } else {
        result.message = "not enough memory"
      }
    }
    if let origin = context?.reraised { result.join(origin) }
    return result
  }
}

extension lull_run {
  /// Whether the run failed. The run may have failed before its function was called with all
  /// arguments.
  fileprivate var isFailed: Bool { L == nil || status == Int32(LULL_RUN_FAILED) }
}
