package import CLullBridge
import LullCore

/// The coroutines of ours that run now, one inside the other.
///
/// Of an observer's or a hook's there is no more than what is told, until somebody asks who runs. Home
/// thread only.
final class RunStack {
  /// What most runs are for, which return at once and without an error.
  enum Telling {
    case observers(Notification)
    case hook(ScriptHook)
  }

  /// Innermost last; nil for one that nobody has asked about.
  private var running: [RunContext?] = []
  /// What the innermost of them is if it is nil.
  private var telling: Telling?

  func push(_ context: RunContext) { running.append(context) }

  func pop() { running.removeLast() }

  /// Somebody is told during `body`; who the one was that ran last, if anybody has asked.
  func tell(_ telling: Telling, _ body: () -> Void) -> RunContext? {
    let outer = self.telling
    self.telling = telling
    running.append(nil)
    body()
    // What follows is not the one's who was told: it belongs to whoever ran before.
    self.telling = outer
    return running.removeLast()
  }

  /// The innermost coroutine that runs now.
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

/// One coroutine of ours: what it is for, what it waits for, who wants to know how it ended.
final class RunContext {
  /// For reports and messages, such as `observer of /users/7`.
  let purpose: String
  /// The request whose outcome depends on this coroutine.
  let request: Request?
  /// The cache whose operations wait for this coroutine.
  let queue: CacheOperations?
  let completion: (RunOutcome) -> Void
  /// The coroutine's number while it waits.
  var thread: Int32?
  /// What it waits for, in words that are put together only where somebody reads them; nil while it runs.
  var waitsFor: (() -> String)?
  var awaited = Awaited()
  /// The kept function that it runs, where that is a hook, an observer or a task.
  var function: Int64?
  /// The id of the list of a task's arguments, if it is kept until the task ends.
  var arguments: Int64?
  /// Whether it counts as a task: the script does not end before it has.
  var isStrong = false
  /// The coroutine that has started it, of a task and of a function that a call runs; nil once that
  /// has ended.
  weak var starter: RunContext?
  /// The call on whose behalf it runs.
  var scope: RunScope?
  var cancelWait: (() -> Void)?
  /// Since when it waits.
  var waitsSince = 0.0
  /// Cancelled while it ran: it ends at its next wait.
  var isCancelled = false
  /// The stretch it belongs to, if others do too.
  var stretch: ContinuedStretch?
  /// How many calls that stretch had made when this began to wait for an asynchronous function of the program; nil if
  /// it waits for anything else.
  var stretchCalls: Int?
  /// What was last raised again in it that it had awaited.
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

  /// The stretch that goes on with this: the function that it has waited for has called Lua code, without a pause.
  func takeStretch() -> ContinuedStretch? {
    defer { stretchCalls = nil }
    guard let stretch else { return nil }
    if let calls = stretchCalls, stretch.callCount != calls, !stretch.hasPaused { return stretch }
    self.stretch = nil
    return nil
  }

  /// It waits no more: it goes on, or ends.
  func endWait() {
    thread = nil
    cancelWait = nil
    waitsFor = nil
    awaited = Awaited()
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
