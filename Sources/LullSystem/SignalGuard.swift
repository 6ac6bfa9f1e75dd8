import LullLibC

/// Keeps a signal away from a process whose signals are not ours to set, such as a stock interpreter:
/// one that a system call raises in the thread that makes it.
package enum SignalGuard {
  /// Runs `body` with the signal blocked on this thread, and takes off one that was raised meanwhile.
  ///
  /// One that was pending before stays pending. Other signals are not touched. Any thread.
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

  /// Runs `body`, which writes to files: what goes beyond the size that a file may have fails with
  /// EFBIG, where the system would end the process by SIGXFSZ. Any thread.
  package static func withoutSIGXFSZ<Result>(_ body: () -> Result) -> Result {
    var limit = rlimit()
    // Without a limit nothing raises it.
    guard
      getrlimit(CLibrary.fileSize, &limit) != 0
        || limit.rlim_cur != rlim_t.max
    else { return body() }
    return without(SIGXFSZ, body)
  }
}
