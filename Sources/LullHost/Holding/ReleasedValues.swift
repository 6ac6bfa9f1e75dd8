/// Kept values whose time is over. Home thread only.
final class ReleasedValues {
  private var values: [(id: Int64, handle: UInt64)] = []
  private var pins: [Int64] = []
  private var observers: [ReleasedObserver] = []

  func add(id: Int64, handle: UInt64) { values.append((id, handle)) }

  /// A pinned value whose time is over.
  func addPin(_ id: Int64) { pins.append(id) }

  func takePins() -> [Int64] {
    guard !pins.isEmpty else { return [] }
    defer { pins = [] }
    return pins
  }

  /// What anchors an observer that went with its resource.
  func add(_ observer: ReleasedObserver) { observers.append(observer) }

  func takeObservers() -> [ReleasedObserver] {
    guard !observers.isEmpty else { return [] }
    defer { observers = [] }
    return observers
  }

  func take() -> [(id: Int64, handle: UInt64)] {
    guard !values.isEmpty else { return [] }
    defer { values = [] }
    return values
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
