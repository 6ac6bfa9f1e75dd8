import LullLibC

/// Signals that end a program, kept waiting while there is something that would be left behind.
enum SignalHold {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Runs `body`; a signal that has come meanwhile does what it does when that is over.
  static func during<Value>(_ body: () -> Value) -> Value {
    var held = sigset_t()
    var previous = sigset_t()
    sigemptyset(&held)
    for signal in signals { sigaddset(&held, signal) }
    pthread_sigmask(SIG_BLOCK, &held, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return body()
  }

  /// Whether one has come that is kept waiting.
  static var isInterrupted: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return signals.contains { sigismember(&pending, $0) == 1 }
  }
}
