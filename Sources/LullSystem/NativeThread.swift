import LullLibC

/// Threads that may block as long as they like: unlike those of the concurrency pool there is always
/// one more.
package enum NativeThread {
  /// Gives the calling thread a name. (Linux; elsewhere it stays nameless.)
  private static func call(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
  }

  /// Runs `body` on a thread of its own, which gets no signals: those are the program's, whose handlers
  /// run where it expects them. False if the system has no more threads.
  ///
  /// - Parameter name: what tools such as `top` show; 15 bytes.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // The thread begins with the mask of whoever makes it.
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return CLibrary.startThread {
      call(name)
      body()
    }
  }
}

/// The thread that asks.
package enum CurrentThread {
  /// Tells it from every other thread that exists meanwhile.
  package static var number: UInt { UInt(pthread_self()) }
}
