/// What these C libraries declare with different types, or what one of them has not: the one place that tells
/// them apart.
///
/// Some are numbers: enumerators of the headers that Swift sees in some builds only.
package enum CLibrary {
  #if canImport(Glibc)
    /// How many descriptors a process may have, as a resource of `getrlimit`.
    package static var openFiles: __rlimit_resource_t {
      __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    }
    /// How large a file may become, as a resource of `getrlimit`.
    package static var fileSize: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
  #else
    package static var openFiles: Int32 { RLIMIT_NOFILE }
    package static var fileSize: Int32 { RLIMIT_FSIZE }
  #endif

  #if canImport(Darwin)
    /// Goes on while the machine sleeps.
    package static var clockSinceBoot: clockid_t { CLOCK_MONOTONIC }
    /// A flag of `send`: here a socket's own option says it.
    package static let withoutSignal: Int32 = 0
  #else
    package static var clockSinceBoot: clockid_t { CLOCK_BOOTTIME }
    /// A flag of `send`: MSG_NOSIGNAL.
    package static let withoutSignal: Int32 = 0x4000
  #endif

  /// SOCK_STREAM.
  package static let stream: Int32 = 1
  /// SHUT_RDWR.
  package static let bothWays: Int32 = 2

  /// A socket that no child inherits; negative if there is none, as `errno` says.
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
      // The flags are those of files by definition.
      return socket(family, kind | O_CLOEXEC | (isBlocking ? 0 : O_NONBLOCK), protocolNumber)
    #endif
  }

  /// Takes off a signal that is blocked and that this thread has waiting, if it has.
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

  /// Runs `body` on a thread that nobody waits for. False if the system has no more threads.
  package static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    // Given to the thread, which takes it back as its first act.
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
