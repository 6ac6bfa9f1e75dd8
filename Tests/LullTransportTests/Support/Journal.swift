import Synchronization

/// Lines in the order they came, from whatever thread.
final class Journal: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func callAsFunction(_ line: String) {
    state.withLock { $0.append(line) }
  }
}
