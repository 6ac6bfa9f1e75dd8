/// A task of a pump: on whose behalf it runs, and what it waits for, so that a wait that could never end is
/// told.
///
/// Home thread only, but for `current`, which child tasks have too.
package final class PumpTask {
  /// That within which the calling task runs.
  @TaskLocal static var current: Confined<PumpTask>?

  private let pump: ObjectIdentifier
  /// What goes on when the task has ended.
  private(set) weak var owner: AnyObject?
  /// One for each wait: it may have child tasks.
  private(set) var awaited: [AnyObject] = []

  init(on pump: Pump, for owner: AnyObject) {
    self.pump = ObjectIdentifier(pump)
    self.owner = owner
  }

  /// That of the calling task, if it is of this pump.
  static func current(on pump: Pump) -> PumpTask? {
    guard let task = current?.value, task.pump == ObjectIdentifier(pump) else { return nil }
    return task
  }

  /// Starts what is no part of the calling task.
  package static func outside<Result>(_ start: () -> Result) -> Result {
    $current.withValue(nil) { start() }
  }

  func began(_ wait: AnyObject) { awaited.append(wait) }

  func ended(_ wait: AnyObject) {
    guard let index = awaited.lastIndex(where: { $0 === wait }) else { return }
    awaited.remove(at: index)
  }
}
