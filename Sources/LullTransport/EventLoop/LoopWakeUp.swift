import CUV
import LullLibC
import Synchronization

/// Wakes a waiting loop from other threads, safely also while that loop is being closed.
///
/// On the home thread `fire` does nothing: whoever posts there runs between two waits, and the loop
/// looks at its inbox before it waits again.
final class LoopWakeUp: Sendable {
  /// The address of the loop's uv_async_t, nil once it is closed.
  private let address: Mutex<UInt?>
  private let homeThread = pthread_self()

  init(_ handle: UnsafeMutablePointer<uv_async_t>) {
    address = Mutex(UInt(bitPattern: handle))
  }

  func fire() {
    guard pthread_equal(pthread_self(), homeThread) == 0 else { return }
    address.withLock { address in
      guard let address else { return }
      // The lock keeps the loop from freeing the handle meanwhile: it calls `disarm` first.
      uv_async_send(UnsafeMutablePointer(bitPattern: address))
    }
  }

  /// After this no other thread touches the handle any more.
  func disarm() {
    address.withLock { $0 = nil }
  }
}
