/// Kept values whose time is over. Home thread only.
final class ReleasedValues {
  /// Those that have come since some were taken last.
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

  /// A pinned value whose time is over.
  func addPin(_ id: Int64) {
    batch.pins.append(id)
    isEmpty = false
  }

  /// What anchors an observer that went with its resource.
  func add(_ observer: ReleasedObserver) {
    batch.observers.append(observer)
    isEmpty = false
  }

  /// nil: there are none.
  func take() -> Batch? {
    guard !isEmpty else { return nil }
    let taken = batch
    batch = Batch()
    isEmpty = true
    return taken
  }
}

/// An observer that is no more, though nobody has removed it.
struct ReleasedObserver {
  let id: Int64
  /// The kept owners that still anchor its closure.
  let owners: [Int64]
  /// The service that does; 0 if none.
  let service: UInt64
}
