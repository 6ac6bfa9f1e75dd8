import LullLibC
import Synchronization

/// Lets a thread sleep until another thread wakes it.
// A condition variable and its mutex of the C library, at fixed addresses. Usable on any thread.
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

  /// Waits until `fire` is called. If `fire` was called since the last wait, returns immediately.
  package func wait() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while !isAwake { pthread_cond_wait(condition, lock) }
    isAwake = false
  }

  /// Waits until `fire` is called, for at most `seconds`. Returns false on timeout.
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

/// Blocks a signal that a system call may raise in the calling thread. Used in processes whose
/// signal handling does not belong to Lull, such as a stock Lua interpreter.
package enum SignalGuard {
  /// Runs `body` with the signal blocked on this thread. If `body` raises the signal, the signal is
  /// discarded.
  ///
  /// If the signal was already pending, it stays pending. Other signals are not affected. Callable
  /// on any thread.
  package static func without<Result>(_ signal: Int32, _ body: () -> Result) -> Result {
    var guarded = sigset_t()
    var previous = sigset_t()
    var pending = sigset_t()
    sigemptyset(&guarded)
    sigaddset(&guarded, signal)
    sigpending(&pending)
    let wasPending = sigismember(&pending, signal) == 1
    pthread_sigmask(SIG_BLOCK, &guarded, &previous)
    defer {
      if !wasPending { CLibrary.takeOff(guarded, signal) }
      pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
    return body()
  }

  /// Runs `body`, which writes to files. If a write exceeds the file size limit, it fails with
  /// EFBIG. Without this function, SIGXFSZ would end the process. Callable on any thread.
  package static func withoutSIGXFSZ<Result>(_ body: () -> Result) -> Result {
    var limit = rlimit()
    // Without a limit, the signal isn't raised.
    guard
      getrlimit(CLibrary.fileSize, &limit) != 0
        || limit.rlim_cur != rlim_t.max
    else { return body() }
    return without(SIGXFSZ, body)
  }
}

/// A C function with its argument, which a signal handler calls to wake an event loop. The function
/// is async-signal-safe.
package struct SignalWakeUp {
  package let function: @convention(c) (UnsafeMutableRawPointer?) -> Void
  package let context: UnsafeMutableRawPointer

  package init(
    function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    context: UnsafeMutableRawPointer
  ) {
    self.function = function
    self.context = context
  }
}

/// A flag that tells work in the thread pool to stop, because its result isn't needed any more. It
/// is set on one thread and read on another.
package final class StopSign: Sendable {
  private let state = Atomic(false)

  package init() {}

  package var isSet: Bool { state.load(ordering: .relaxed) }

  package func set() { state.store(true, ordering: .relaxed) }
}
