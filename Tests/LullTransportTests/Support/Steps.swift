import LullLibC
import Synchronization

/// A number one thread counts up while another waits for it: so they go on in step, whatever the
/// time either takes.
final class Steps: Sendable {
  private let count = Mutex(0)

  func advance() {
    count.withLock { $0 += 1 }
  }

  /// Waits until `number` steps have been taken; not for ever, so that no thread is left behind.
  func wait(for number: Int) {
    for _ in 0..<30_000 where count.withLock({ $0 }) < number { usleep(1000) }
  }

  /// A moment, so that what was sent arrives by itself.
  static func pause() {
    usleep(2000)
  }
}
