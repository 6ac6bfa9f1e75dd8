/// The multi handles of a provider that have something to do besides their sockets, so that nobody
/// has to ask them all.
final class CurlWork {
  var multis: [CurlMulti] = []

  var isEmpty: Bool { !multis.contains { $0.hasWork } }

  /// Lets go of those that have nothing to do any more.
  func removeIdle() {
    multis.removeAll { multi in
      guard !multi.hasWork else { return false }
      multi.isForgotten()
      return true
    }
  }
}
