import Synchronization

/// Tells work in the pool that nobody needs it any more. Set on one thread, seen on another.
package final class StopSign: Sendable {
  private let state = Atomic(false)

  package init() {}

  package var isSet: Bool { state.load(ordering: .relaxed) }

  package func set() { state.store(true, ordering: .relaxed) }
}
