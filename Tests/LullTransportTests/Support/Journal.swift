import Synchronization

/// Lines in the order they came, from whatever thread.
final class Journal: Sendable {
  private let state = Mutex<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func callAsFunction(_ line: String) {
    state.withLock { $0.append(line) }
  }

  /// The lines so far, which are then forgotten.
  func take() -> [String] {
    state.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}
