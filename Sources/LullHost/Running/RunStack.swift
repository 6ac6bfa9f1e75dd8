package import CLullBridge
import LullCore

/// The stack of Lull's coroutines that are running now.
///
/// The context for a run of an observer or a hook is created only when it is requested. Home thread
/// only.
final class RunStack {
  /// A run of an observer or a hook. Most of these runs return without waiting or failing.
  enum Telling {
    case observers(Notification)
    case hook(ScriptHook)
  }

  /// The contexts of the running coroutines, innermost last. An element is nil if the context of
  /// the coroutine has not been requested.
  private var running: [RunContext?] = []
  /// The innermost run of an observer or a hook, for which a context can be created.
  private var telling: Telling?

  func push(_ context: RunContext) { running.append(context) }

  func pop() { running.removeLast() }

  /// Calls `body`, which runs an observer or a hook. Returns the context of the run, or nil if the
  /// context was not requested.
  func tell(_ telling: Telling, _ body: () -> Void) -> RunContext? {
    let outer = self.telling
    self.telling = telling
    running.append(nil)
    body()
    // From here on, running code belongs to the outer run.
    self.telling = outer
    return running.removeLast()
  }

  /// The context of the innermost coroutine that is running now.
  var innermost: RunContext? {
    guard let last = running.last else { return nil }
    if let last { return last }
    let context: RunContext
    switch telling {
    case .observers(let notification):
      notification.sequence.pointee.is_watched = 1
      context = notification.observer.makeContext(notification.resource)
    case .hook(let hook): context = hook.makeContext()
    case nil: return nil
    }
    running[running.count - 1] = context
    return context
  }

  func contains(_ context: RunContext) -> Bool { running.contains { $0 === context } }
}

/// One of Lull's coroutines, with its purpose, its current wait and its completion.
final class RunContext {
  /// The name of the coroutine in reports and messages, such as `observer of /users/7`.
  let purpose: String
  /// The request whose outcome depends on this coroutine.
  let request: Request?
  /// The queue of cache operations that wait for this coroutine.
  let queue: CacheOperations?
  let completion: (RunOutcome) -> Void
  /// The coroutine's number in the bridge while it waits; otherwise nil.
  var thread: Int32?
  /// Returns the description of the current wait. The property is a function because the
  /// description is rarely needed. It is nil while the coroutine runs.
  var waitsFor: (() -> String)?
  var awaited = Awaited()
  /// The ID of the stored function that the coroutine runs, if it is a hook, an observer or a task.
  var function: Int64?
  /// The ID of the list of a task's arguments, if that list is kept until the task ends.
  var arguments: Int64?
  /// Whether the coroutine counts as a task, so that the script does not end before it has ended.
  var isStrong = false
  /// The coroutine that started this one, if this coroutine is a task or runs a function for a
  /// call. It is nil after the starting coroutine has ended.
  weak var starter: RunContext?
  /// The scope of the call for which the coroutine runs, or nil if there is none. The coroutine
  /// ends with that scope.
  var scope: RunScope?
  var cancelWait: (() -> Void)?
  /// The time when the current wait began, in seconds since 1970.
  var waitsSince = 0.0
  /// Whether the coroutine was cancelled while it was running, so that it ends at its next wait.
  var isCancelled = false
  /// The stretch of Lua code to which the coroutine belongs, if it shares a stretch with other
  /// code.
  var stretch: ContinuedStretch?
  /// The value of `stretch.callCount` when the coroutine began to wait for an asynchronous function
  /// of the program. It is nil if the coroutine waits for anything else.
  var stretchCalls: Int?
  /// The last error that was raised again in the coroutine.
  var reraised: Reraised?

  init(
    purpose: String, request: Request? = nil, queue: CacheOperations? = nil,
    completion: @escaping (RunOutcome) -> Void
  ) {
    self.purpose = purpose
    self.request = request
    self.queue = queue
    self.completion = completion
  }

  /// Returns the stretch to which the next code of the coroutine belongs. If the awaited function
  /// called Lua code and there was no pause, this is the previous stretch. Otherwise it is nil,
  /// which means a new stretch.
  func takeStretch() -> ContinuedStretch? {
    defer { stretchCalls = nil }
    guard let stretch else { return nil }
    if let calls = stretchCalls, stretch.callCount != calls, !stretch.hasPaused { return stretch }
    self.stretch = nil
    return nil
  }

  /// Clears the data about the current wait. Called when the coroutine resumes or ends.
  func endWait() {
    thread = nil
    cancelWait = nil
    waitsFor = nil
    awaited = Awaited()
  }
}

/// The outcome of a script function. The results can be read only inside the completion.
enum RunOutcome {
  case finished(RunResults)
  case failed(ScriptFailure)
  /// The function was garbage-collected with its owner.
  case gone
  case cancelled
}

/// The results of a run, which are still on the Lua stack of its coroutine.
package struct RunResults {
  private let run: lull_run

  init(_ run: lull_run) { self.run = run }

  package var count: Int { Int(run.result_count) }
  package var state: OpaquePointer? { run.L }

  /// Whether the function returned nil and an error of any type.
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
