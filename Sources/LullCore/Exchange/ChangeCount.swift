/// Counts everything that may change what a resource answers: its state, its loads, its caches, its
/// service's configuration, what is logged.
///
/// Whoever remembers an answer outside of the core remembers the count with it, and asks again once the
/// count is another. One count for all resources of a pump: whoever changes nothing may go on as he is,
/// and a change costs one question per answer remembered.
package final class ChangeCount {
  /// The count, for readers that make no calls; valid as long as the object. Never 0.
  package let counter: UnsafeMutablePointer<UInt64>

  init() {
    counter = .allocate(capacity: 1)
    counter.initialize(to: 1)
  }

  deinit { counter.deallocate() }

  func note() { counter.pointee &+= 1 }
}
