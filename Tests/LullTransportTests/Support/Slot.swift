import LullLibC
import Synchronization

/// A value that one thread leaves for another, which waits for it.
final class Slot<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  func set(_ value: Value) {
    self.value.withLock { $0 = value }
  }

  /// Waits half a minute at most.
  func get() throws -> Value {
    for _ in 0..<30_000 {
      if let value = value.withLock({ $0 }) { return value }
      usleep(1000)
    }
    throw Missing()
  }

  struct Missing: Error {}
}
