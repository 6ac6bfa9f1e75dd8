package import CLullBridge
import LullCore

/// The stack of Lull's coroutines that are running now.
///
/// The context of an observer's or hook's run is created only if it is requested. Home thread only.
final class RunStack {
  /// A run of an observer or a hook. Most of these runs return without waiting or failing.
  enum Telling {
    case observers(Notification)
    case hook(ScriptHook)
  }

  /// The contexts of the running coroutines, innermost last. An entry is nil if its context has not
  /// been requested.
  private var running: [RunContext?] = []
  /// The innermost run of an observer or a hook, for which a context can be created.
  private var telling: Telling?

  func push(_ context: RunContext) { running.append(context) }

  func pop() { running.removeLast() }

  /// Runs `body` as the run of an observer or a hook. Returns the context of the run if it was
  /// requested, otherwise nil.
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
  /// Returns the description of the current wait. It is a function because the description is
  /// rarely needed. nil while the coroutine runs.
  var waitsFor: (() -> String)?
  var awaited = Awaited()
  /// The ID of the stored function that the coroutine runs, if it is a hook, an observer or a task.
  var function: Int64?
  /// The ID of the list of a task's arguments, if they are kept until the task ends.
  var arguments: Int64?
  /// Whether the coroutine counts as a task, so that the script does not end before it has ended.
  var isStrong = false
  /// The coroutine that started this one, if this is a task or a function that runs for a call. nil
  /// once that coroutine has ended.
  weak var starter: RunContext?
  /// The scope of the call for which the coroutine runs, if any. The coroutine ends with that
  /// scope.
  var scope: RunScope?
  var cancelWait: (() -> Void)?
  /// The time when the current wait began, in seconds since 1970.
  var waitsSince = 0.0
  /// Whether the coroutine was cancelled while it was running, so that it ends at its next wait.
  var isCancelled = false
  /// The stretch of Lua code that the coroutine continues, if it shares one.
  var stretch: ContinuedStretch?
  /// The call count of that stretch when the coroutine began to wait for an asynchronous function
  /// of the program. nil if the coroutine waits for anything else.
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

  /// Returns the stretch to which the coroutine's next code belongs. This is the previous stretch
  /// if the awaited function called Lua code and there was no pause. Otherwise it is nil, for a new
  /// stretch.
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
