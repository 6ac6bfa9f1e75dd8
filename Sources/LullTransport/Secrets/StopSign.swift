import Synchronization

/// Tells work in the pool that nobody needs it any more. Set on one thread, seen on another.
final class StopSign: Sendable {
  private let state = Atomic(false)

  var isSet: Bool { state.load(ordering: .relaxed) }

  func set() { state.store(true, ordering: .relaxed) }
}
