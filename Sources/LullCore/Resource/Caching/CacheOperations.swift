/// What is asked of one cache, one operation after the other, in the order issued. (CACHE-22)
///
/// An operation begins at once if nothing is under way. Home thread only.
public final class CacheOperations {
  /// Whether the cache itself does what it is given in the order given, so that nothing need wait here.
  private let isOrderedByCache: Bool
  /// Issued after `upcoming`, in order.
  private var waiting: [Operation] = []
  /// The next one last, so that many can wait without being moved for each that runs.
  private var upcoming: [Operation] = []
  private var isBusy = false
  private var isRunning = false

  /// Does its work and then calls its argument, once, now or later, on the home thread.
  package typealias Operation = (_ done: @escaping () -> Void) -> Void

  /// A queue that holds each operation back until the one before has ended.
  public init() { isOrderedByCache = false }

  /// - Parameter isOrderedByCache: true if the cache keeps the order of operations that it is given
  ///   before earlier ones are over.
  package init(isOrderedByCache: Bool) { self.isOrderedByCache = isOrderedByCache }

  package func perform(_ operation: @escaping Operation) {
    guard !isOrderedByCache else { return operation {} }
    waiting.append(operation)
    runWaiting()
  }

  private func runWaiting() {
    // A loop, and only one, since operations of a cache in memory are done when they return.
    guard !isRunning else { return }
    isRunning = true
    defer { isRunning = false }
    while !isBusy, let operation = next() {
      isBusy = true
      var isDone = false
      operation { [self] in
        guard !isDone else { return }
        isDone = true
        isBusy = false
        runWaiting()
      }
    }
  }

  private func next() -> Operation? {
    if upcoming.isEmpty {
      upcoming = waiting.reversed()
      waiting = []
    }
    return upcoming.popLast()
  }
}
