import Synchronization

/// What went wrong with a file that one looks at, in words. Any thread.
final class Troubles: Sendable {
  private let list = Mutex<[String]>([])

  func add(_ trouble: String) { list.withLock { $0.append(trouble) } }

  var first: String? { list.withLock { $0.first } }
}
