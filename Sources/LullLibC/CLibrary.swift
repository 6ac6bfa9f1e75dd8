/// Declarations whose types differ between C libraries, or that one of the libraries lacks. Only
/// this type distinguishes the libraries.
///
/// Some constants are numbers, because Swift imports the enumerators of the headers only in some
/// builds.
package enum CLibrary {
  #if canImport(Glibc)
    /// The resource of `getrlimit` that limits the number of open descriptors.
    package static var openFiles: __rlimit_resource_t {
      __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    }
    /// The resource of `getrlimit` that limits the size of files.
    package static var fileSize: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
  #else
    package static var openFiles: Int32 { RLIMIT_NOFILE }
    package static var fileSize: Int32 { RLIMIT_FSIZE }
  #endif

  #if canImport(Darwin)
    /// A clock that continues to run while the machine sleeps.
    package static var clockSinceBoot: clockid_t { CLOCK_MONOTONIC }
    /// The flag of `send` that prevents SIGPIPE. This system has no such flag, and uses a socket
    /// option instead.
    package static let withoutSignal: Int32 = 0
  #else
    package static var clockSinceBoot: clockid_t { CLOCK_BOOTTIME }
    /// The flag of `send` that prevents SIGPIPE: the value of MSG_NOSIGNAL.
    package static let withoutSignal: Int32 = 0x4000
  #endif

  /// The value of SOCK_STREAM.
  package static let stream: Int32 = 1
  /// The value of SHUT_RDWR.
  package static let bothWays: Int32 = 2

  /// Creates a socket that child processes do not inherit. On failure, returns a negative number
  /// and sets `errno`.
  package static func makeSocket(
    _ family: Int32, _ kind: Int32, _ protocolNumber: Int32, isBlocking: Bool = true
  ) -> Int32 {
    #if canImport(Darwin)
      let descriptor = socket(family, kind, protocolNumber)
      guard descriptor >= 0 else { return descriptor }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      if !isBlocking { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
      return descriptor
    #else
      // By definition, the flags for sockets have the same values as those for files.
      return socket(family, kind | O_CLOEXEC | (isBlocking ? 0 : O_NONBLOCK), protocolNumber)
    #endif
  }

  /// Removes a blocked signal that is pending for this thread. Does nothing if none is pending.
  package static func takeOff(_ signals: sigset_t, _ signal: Int32) {
    var signals = signals
    #if canImport(Darwin)
      var pending = sigset_t()
      sigpending(&pending)
      var taken: Int32 = 0
      if sigismember(&pending, signal) == 1 { sigwait(&signals, &taken) }
    #else
      var noTime = timespec()
      while sigtimedwait(&signals, nil, &noTime) < 0 && errno == EINTR {}
    #endif
  }

  // MARK: Threads

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread that is not joined. Returns false if the system can't create
  /// another thread.
  package static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    // The reference is passed to the thread, which releases it first.
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let status = pthread_create(
      &thread, nil,
      { work in
        CLibrary.run(work)
        return nil
      }, work.toOpaque())
    guard status == 0 else {
      work.release()
      return false
    }
    #if canImport(Glibc)
      pthread_detach(thread)
    #else
      if let thread { pthread_detach(thread) }
    #endif
    return true
  }

  private static func run(_ work: UnsafeMutableRawPointer?) {
    guard let work else { return }
    // This balances the retain in `startThread`, which is done once for each thread.
    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
  }
}
