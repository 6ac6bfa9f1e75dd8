import LullLibC

/// What a thread sleeps on until another one has something for it.
// A condition of the C library and its lock, which stay where they are; for any thread.
package final class ThreadSignal: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isAwake = false

  package init() {
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(lock)
    condition.deallocate()
    lock.deallocate()
  }

  package func fire() {
    pthread_mutex_lock(lock)
    isAwake = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(lock)
  }

  /// Waits for `fire`, or for one since the last wait.
  package func wait() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while !isAwake { pthread_cond_wait(condition, lock) }
    isAwake = false
  }

  /// As above; false if none came in that time.
  package func wait(seconds: Double) -> Bool {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let nanoseconds = Double(end.tv_nsec) + min(seconds, 1e6) * 1e9
    end.tv_sec += Int(nanoseconds / 1e9)
    end.tv_nsec = Int(nanoseconds.truncatingRemainder(dividingBy: 1e9))
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while !isAwake {
      if pthread_cond_timedwait(condition, lock, &end) == ETIMEDOUT { break }
    }
    defer { isAwake = false }
    return isAwake
  }
}
