import CLullBridge

/// The coroutines of ours that run now, one inside the other.
///
/// Of an observer's there is no more than its place in a notification, until somebody asks who runs.
/// Home thread only.
final class RunStack {
  /// Innermost last; nil for an observer's that nobody has asked about.
  private var running: [RunContext?] = []
  /// What the innermost of them is if it is nil.
  private(set) var notification: Notification?

  func push(_ context: RunContext) { running.append(context) }

  func pop() { running.removeLast() }

  /// Observers are told during `body`; who the one was that ran last, if anybody has asked.
  func tell(_ notification: Notification, _ body: () -> Void) -> RunContext? {
    let outer = self.notification
    self.notification = notification
    running.append(nil)
    body()
    // What follows is not the observer's: it belongs to whoever ran before.
    self.notification = outer
    return running.removeLast()
  }

  /// The innermost coroutine that runs now.
  var innermost: RunContext? {
    guard let last = running.last else { return nil }
    if let last { return last }
    guard let notification else { return nil }
    notification.sequence.pointee.is_watched = 1
    let context = notification.observer.makeContext(notification.resource)
    running[running.count - 1] = context
    return context
  }

  func contains(_ context: RunContext) -> Bool { running.contains { $0 === context } }
}
