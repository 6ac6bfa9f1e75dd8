import LullLibC
import LullCore
import Synchronization

/// How the start of a home went, told by its thread to the one that started it, which waits.
final class HomeStart: Sendable {
  private let outcome = Mutex<Result<Home, TransportError>?>(nil)
  private let semaphore: UnsafeSemaphore

  init() {
    semaphore = UnsafeSemaphore()
  }

  func report(_ result: Result<Home, TransportError>) {
    outcome.withLock { $0 = result }
    semaphore.signal()
  }

  func wait() throws(TransportError) -> Home {
    semaphore.wait()
    guard let result = outcome.withLock({ $0 }) else {
      preconditionFailure("a home has started without saying so; this is a bug in Lull")
    }
    return try result.get()
  }
}

/// A semaphore of the C library.
// It may be used on any thread, and stays where it is.
private final class UnsafeSemaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func signal() { sem_post(semaphore) }

  func wait() {
    while sem_wait(semaphore) != 0, errno == EINTR {}
  }
}
