/// Collects the stored values that are to be released. Home thread only.
final class ReleasedValues {
  /// The values that were added since the last `take()`.
  struct Batch {
    fileprivate(set) var values: [(id: Int64, handle: UInt64)] = []
    fileprivate(set) var pins: [Int64] = []
    fileprivate(set) var observers: [ReleasedObserver] = []
  }

  private var batch = Batch()
  private var isEmpty = true

  func add(id: Int64, handle: UInt64) {
    batch.values.append((id, handle))
    isEmpty = false
  }

  /// Adds the ID of a pinned value that is to be released.
  func addPin(_ id: Int64) {
    batch.pins.append(id)
    isEmpty = false
  }

  /// Adds the anchors of an observer that was freed with its resource.
  func add(_ observer: ReleasedObserver) {
    batch.observers.append(observer)
    isEmpty = false
  }

  /// Returns the values to release and removes them from this object. Returns nil if there are
  /// none.
  func take() -> Batch? {
    guard !isEmpty else { return nil }
    let taken = batch
    batch = Batch()
    isEmpty = true
    return taken
  }
}

/// An observer that was freed without being removed.
struct ReleasedObserver {
  let id: Int64
  /// The IDs of the owners that still anchor the observer's closure.
  let owners: [Int64]
  /// The handle of the service that anchors the observer's closure; 0 if no service does.
  let service: UInt64
}
