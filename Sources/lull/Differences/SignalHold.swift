import LullLibC

/// Delays signals that end the program, while there are files to clean up.
enum SignalHold {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Runs `body`. A signal received meanwhile takes effect afterwards.
  static func during<Value>(_ body: () -> Value) -> Value {
    var held = sigset_t()
    var previous = sigset_t()
    sigemptyset(&held)
    for signal in signals { sigaddset(&held, signal) }
    pthread_sigmask(SIG_BLOCK, &held, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return body()
  }

  /// Whether a delayed signal is pending.
  static var isInterrupted: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return signals.contains { sigismember(&pending, $0) == 1 }
  }
}
