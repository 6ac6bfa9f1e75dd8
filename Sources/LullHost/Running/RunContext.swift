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
    completion: @escaping (RunOutcome) -> Void
  ) {
    self.purpose = purpose
    self.request = request
    self.queue = queue
    self.completion = completion
  }

  /// It waits no more: it goes on, or ends.
  func endWait() {
    thread = nil
    cancelWait = nil
    waitsFor = nil
    awaited = Awaited()
  }
}
