import LullCore
import LullSystem
import Synchronization

/// How the start of a home went, told by its thread to the one that started it, which waits.
final class HomeStart: Sendable {
  private let outcome = Mutex<Result<Home, TransportError>?>(nil)
  private let isTold = ThreadSignal()

  func report(_ result: Result<Home, TransportError>) {
    outcome.withLock { $0 = result }
    isTold.fire()
  }

  func wait() throws(TransportError) -> Home {
    isTold.wait()
    guard let result = outcome.withLock({ $0 }) else {
      preconditionFailure("a home has started without saying so; this is a bug in Lull")
    }
    return try result.get()
  }
}
