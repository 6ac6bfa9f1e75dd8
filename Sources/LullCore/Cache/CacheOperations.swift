/// What is asked of one cache, one operation after the other, in the order issued. (CACHE-22)
///
/// An operation begins at once if nothing is under way. Home thread only.
public final class CacheOperations {
  private var waiting: [Operation] = []
  private var isBusy = false

  /// Does its work and then calls its argument, once, now or later, on the home thread.
  typealias Operation = (_ done: @escaping () -> Void) -> Void

  public init() {}

  func perform(_ operation: @escaping Operation) {
    waiting.append(operation)
    if !isBusy { next() }
  }

  private func next() {
    // A loop, since operations of a cache in memory are done when they return.
    while !isBusy, !waiting.isEmpty {
      isBusy = true
      let operation = waiting.removeFirst()
      var isDone = false
      operation { [self] in
        guard !isDone else { return }
        isDone = true
        isBusy = false
        next()
      }
    }
  }
}
