import Synchronization

/// Something of a pump's that its statistics count.
package protocol CountedPart: AnyObject {
  /// Adds what is its own. Home thread only; calls nothing of a program's.
  func add(to statistics: inout HomeStatistics)
}

/// What a pump's statistics look through, each part from its making to its end.
///
/// Parts come and go on any thread, since services may be made and let go on others; they are looked at on
/// the home thread only. None of them holds the one whose part it is, so that nothing is kept alive here.
package final class CountedParts: Sendable {
  private let parts = Mutex<[ObjectIdentifier: Confined<any CountedPart>]>([:])

  init() {}

  package func add(_ part: any CountedPart) {
    let part = Confined(part)
    parts.withLock { $0[ObjectIdentifier(part.value)] = part }
  }

  package func remove(_ part: any CountedPart) {
    let identity = ObjectIdentifier(part)
    // What is let go by this is let go outside of the lock.
    _ = parts.withLock { $0.removeValue(forKey: identity) }
  }

  /// Those that are there now, in no order. Home thread only.
  package var all: [any CountedPart] { parts.withLock { Array($0.values) }.map(\.value) }
}
