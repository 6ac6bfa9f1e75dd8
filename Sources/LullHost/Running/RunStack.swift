package import CLullBridge
import LullCore

/// The stack of Lull's coroutines that are running now.
///
/// The context of an observer's or hook's coroutine is created only when it is requested. Home
/// thread only.
final class RunStack {
  /// The purpose of most runs, which return without waiting or failing.
  enum Telling {
    case observers(Notification)
    case hook(ScriptHook)
  }

  /// Innermost last; nil for a run whose context was not requested.
  private var running: [RunContext?] = []
  /// The innermost notification or hook, if its context is nil.
  private var telling: Telling?

  func push(_ context: RunContext) { running.append(context) }

  func pop() { running.removeLast() }

  /// Runs `body` as the run of an observer or a hook. Returns its context if it was requested.
  func tell(_ telling: Telling, _ body: () -> Void) -> RunContext? {
    let outer = self.telling
    self.telling = telling
    running.append(nil)
    body()
    // Code that follows belongs to the outer run.
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

/// One of Lull's coroutines: its purpose, its current wait, and its completion.
final class RunContext {
  /// The name for reports and messages, such as `observer of /users/7`.
  let purpose: String
  /// The request whose outcome depends on this coroutine.
  let request: Request?
  /// The cache whose operations wait for this coroutine.
  let queue: CacheOperations?
  let completion: (RunOutcome) -> Void
  /// The coroutine's number while it waits.
  var thread: Int32?
  /// The description of the current wait, created only when it is read; nil while the coroutine
  /// runs.
  var waitsFor: (() -> String)?
  var awaited = Awaited()
  /// The ID of the stored function that it runs, if that is a hook, an observer or a task.
  var function: Int64?
  /// The ID of the list of a task's arguments, if it is kept until the task ends.
  var arguments: Int64?
  /// Whether it counts as a task, so that the script waits for it before it ends.
  var isStrong = false
  /// The coroutine that started this one, if it is a task or a function run by a call; nil once
  /// that coroutine has ended.
  weak var starter: RunContext?
  /// The call for which it runs.
  var scope: RunScope?
  var cancelWait: (() -> Void)?
  /// When the current wait began.
  var waitsSince = 0.0
  /// Whether it was cancelled while running, so that it ends at its next wait.
  var isCancelled = false
  /// The stretch it belongs to, if it shares one.
  var stretch: ContinuedStretch?
  /// The call count of that stretch when this coroutine began to wait for an asynchronous function
  /// of the program; nil if it waits for anything else.
  var stretchCalls: Int?
  /// The last awaited error that was raised again in it.
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

  /// Returns the stretch that continues with this coroutine, if the awaited function called Lua
  /// code and there was no pause.
  func takeStretch() -> ContinuedStretch? {
    defer { stretchCalls = nil }
    guard let stretch else { return nil }
    if let calls = stretchCalls, stretch.callCount != calls, !stretch.hasPaused { return stretch }
    self.stretch = nil
    return nil
  }

  /// Clears the wait, because the coroutine resumes or ends.
  func endWait() {
    thread = nil
    cancelWait = nil
    waitsFor = nil
    awaited = Awaited()
  }
}

/// The outcome of a script function. Results are readable only inside the completion.
enum RunOutcome {
  case finished(RunResults)
  case failed(ScriptFailure)
  /// The function was garbage-collected with its owner.
  case gone
  case cancelled
}

/// The results of a run, which are still on its stack.
package struct RunResults {
  private let run: lull_run

  init(_ run: lull_run) { self.run = run }

  package var count: Int { Int(run.result_count) }
  package var state: OpaquePointer? { run.L }

  /// Whether the function returned `nil, err` with any error.
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
