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

  /// Waits for `fire`. Returns immediately if `fire` was called since the last wait.
  package func wait() {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while !isAwake { pthread_cond_wait(condition, lock) }
    isAwake = false
  }

  /// Waits for `fire` for at most `seconds`. Returns false on timeout.
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

/// Blocks a signal that a system call raises in the calling thread. Used in processes whose signal
/// handling isn't ours, such as a stock Lua interpreter.
package enum SignalGuard {
  /// Runs `body` with the signal blocked on this thread. If the signal was raised meanwhile, it is
  /// discarded.
  ///
  /// A signal that was pending before stays pending. Other signals are not affected. Callable on
  /// any thread.
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

  /// Runs `body`, which writes to files. If it exceeds the file size limit, the write fails with
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

/// A function that a signal handler in C calls to wake an event loop, and the argument of the
/// function. The function is async-signal-safe.
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

/// A flag that tells work in the thread pool that its result isn't needed any more. Set on one
/// thread, read on another.
package final class StopSign: Sendable {
  private let state = Atomic(false)

  package init() {}

  package var isSet: Bool { state.load(ordering: .relaxed) }

  package func set() { state.store(true, ordering: .relaxed) }
}
