/// What is to be done when a pump is about to close, such as ending what waits for something that will not
/// happen any more: while what it brings about can still be delivered. Home thread only.
package final class PumpEnding {
  package typealias Number = Int

  private var actions: [Number: () -> Void] = [:]
  private var next = 0
  package private(set) var hasEnded = false
  private var holds = 0

  /// Does so once, in no order with others; at once if that time has come.
  package func add(_ action: @escaping () -> Void) -> Number {
    next += 1
    if hasEnded { action() } else { actions[next] = action }
    return next
  }

  /// Whether something is under way that an orderly end lets finish, for `patience` seconds at most.
  package var isHeld: Bool { holds > 0 }

  package static let patience = 5.0

  /// Such a thing has begun; whatever comes of it, `release` is called once.
  package func hold() { holds += 1 }

  package func release() { holds -= 1 }

  package func remove(_ number: Number) { actions[number] = nil }

  /// The time has come; the second time nothing happens.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    let actions = actions.sorted { $0.key < $1.key }
    self.actions = [:]
    for (_, action) in actions { action() }
  }
}
