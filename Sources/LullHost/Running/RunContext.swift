import LullCore

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
