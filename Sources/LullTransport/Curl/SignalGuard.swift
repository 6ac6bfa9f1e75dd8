import Glibc

/// Keeps SIGPIPE away from a process whose signals are not ours to set, such as a stock
/// interpreter.
enum SignalGuard {
  /// Runs `body` with SIGPIPE blocked on this thread, and takes off one that was raised meanwhile.
  ///
  /// One that was pending before stays pending. Other signals are not touched.
  static func withoutSIGPIPE<Result>(_ body: () -> Result) -> Result {
    var pipe = sigset_t()
    var previous = sigset_t()
    var pending = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    pthread_sigmask(SIG_BLOCK, &pipe, &previous)
    defer {
      if !wasPending {
        var noTime = timespec()
        while sigtimedwait(&pipe, nil, &noTime) < 0 && errno == EINTR {}
      }
      pthread_sigmask(SIG_SETMASK, &previous, nil)
    }
    return body()
  }
}
