import CLullBridge

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
