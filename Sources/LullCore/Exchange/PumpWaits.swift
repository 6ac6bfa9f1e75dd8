/// Which tasks of a pump wait for something that only this pump can bring: a test whose tasks all do, with
/// nothing left to deliver, is deadlocked.
///
/// Tasks are known by their hash values. Home thread only.
package final class PumpWaits {
  /// How often each waits: its child tasks may be the same to whoever compares.
  private var waiting: [Int: Int] = [:]
  private var running: Set<Int> = []

  package init() {}

  /// The calling task belongs to the pump until `taskEnded`.
  package func taskBegan() -> Int {
    let task = PumpWaits.currentTask
    running.insert(task)
    return task
  }

  package func taskEnded(_ task: Int) { running.remove(task) }

  /// The calling task begins to wait; `ended` is called when it goes on.
  package func began() -> Int {
    let task = PumpWaits.currentTask
    waiting[task, default: 0] += 1
    return task
  }

  package func ended(_ task: Int) {
    guard let count = waiting[task] else { return }
    waiting[task] = count > 1 ? count - 1 : nil
  }

  /// Whether every task that belongs to the pump waits for it; false without any.
  package var holdAll: Bool {
    !running.isEmpty && running.allSatisfy { waiting[$0] != nil }
  }

  private static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
}
