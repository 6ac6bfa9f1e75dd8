import LullLibC
import Synchronization

/// A fact one thread states and another looks at.
final class Flag: Sendable {
  private let state = Mutex(false)

  var isSet: Bool { state.withLock { $0 } }

  func set() {
    state.withLock { $0 = true }
  }

  /// Waits until it is set, half a minute at most; whether it is.
  func wait() -> Bool {
    for _ in 0..<30_000 where !isSet { usleep(1000) }
    return isSet
  }
}
