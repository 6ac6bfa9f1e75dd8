/// Declarations whose types differ between C libraries or that one of them lacks. This is the only
/// place that distinguishes the libraries.
///
/// Some are numbers: enumerators of the headers that Swift imports in some builds only.
package enum CLibrary {
  #if canImport(Glibc)
    /// The limit on the number of open descriptors, as a resource of `getrlimit`.
    package static var openFiles: __rlimit_resource_t {
      __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    }
    /// The limit on the size of files, as a resource of `getrlimit`.
    package static var fileSize: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
  #else
    package static var openFiles: Int32 { RLIMIT_NOFILE }
    package static var fileSize: Int32 { RLIMIT_FSIZE }
  #endif

  #if canImport(Darwin)
    /// A clock that continues while the machine sleeps.
    package static var clockSinceBoot: clockid_t { CLOCK_MONOTONIC }
    /// A flag of `send` that prevents SIGPIPE: none here, where a socket option does.
    package static let withoutSignal: Int32 = 0
  #else
    package static var clockSinceBoot: clockid_t { CLOCK_BOOTTIME }
    /// A flag of `send` that prevents SIGPIPE: MSG_NOSIGNAL.
    package static let withoutSignal: Int32 = 0x4000
  #endif

  /// SOCK_STREAM.
  package static let stream: Int32 = 1
  /// SHUT_RDWR.
  package static let bothWays: Int32 = 2

  /// Makes a socket that child processes don't inherit. Returns a negative number and sets `errno`
  /// on failure.
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
      // The socket flags equal the file flags by definition.
      return socket(family, kind | O_CLOEXEC | (isBlocking ? 0 : O_NONBLOCK), protocolNumber)
    #endif
  }

  /// Removes a blocked signal that is pending for this thread, if there is one.
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

  /// Runs `body` on a thread that is not joined. Returns false if the system has no more threads.
  package static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    // Passed to the thread, which releases it first.
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
    // Retained above, once per thread.
    Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
  }
}
