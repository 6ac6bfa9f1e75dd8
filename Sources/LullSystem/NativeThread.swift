import LullLibC

/// Starts threads that may block for any time. Unlike the threads of Swift's concurrency pool, they
/// are not limited in number.
package enum NativeThread {
  /// Sets the name of the calling thread. (Linux only)
  private static func call(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
  }

  /// Runs `body` on a new thread that receives no signals. The program's signal handlers expect to
  /// run on the program's own threads. Returns false if the system can't start another thread.
  ///
  /// - Parameter name: The name of the thread in tools such as `top`, at most 15 bytes.
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

/// Identifies the calling thread.
package enum CurrentThread {
  /// A number that is unique among the threads that exist now.
  package static var number: UInt { UInt(pthread_self()) }
}
