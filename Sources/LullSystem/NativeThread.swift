import LullLibC

/// Threads that may block for any time. Unlike the threads of the concurrency pool, their number
/// isn't limited.
package enum NativeThread {
  /// Names the calling thread. (Linux only)
  private static func call(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
  }

  /// Runs `body` on a new thread that receives no signals. Signals belong to the program, whose
  /// handlers expect to run on its own threads. Returns false if the system has no more threads.
  ///
  /// - Parameter name: The name in tools such as `top`, at most 15 bytes.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // The new thread inherits the signal mask.
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return CLibrary.startThread {
      call(name)
      body()
    }
  }
}

/// The calling thread.
package enum CurrentThread {
  /// A number that is unique among the existing threads.
  package static var number: UInt { UInt(pthread_self()) }
}
