import LullLibC
import LullSystem
import Synchronization

/// Cuts off the connection of a call into curl that does not come back.
///
/// While frames of HTTP/2 arrive without end that change nothing for a transfer, such as GOAWAY or empty
/// DATA, libcurl 7.88 reads on inside one call: it calls nobody and heeds no time-out, its own included.
/// A thread therefore looks every second how long the present call has taken, and shuts its socket
/// down after `patience`; curl then sees the connection's end and returns.
///
/// What takes a body is called from within, and may be slow: its time does not count, see `pausing`.
/// It ends no call that waits for something else than a socket, and knows nothing of transfers: what
/// becomes of them is for curl to tell. A call without a socket of its own has all of them shut down.
/// Made, started, entered and left on the home thread; the thread of its own only reads what the lock
/// guards.
final class StuckCallGuard: Sendable {
  private struct State {
    var isOver = false
    /// When the present call began, in nanoseconds; nil outside.
    var since: UInt64?
    /// Whose events it is about; negative for none's.
    var descriptor: Int32 = -1
    var descriptors: Set<Int32> = []
  }

  /// How long a call may take, in nanoseconds.
  private let patience: UInt64
  /// How often that is looked at, in microseconds.
  private let interval: UInt32

  private let state = Mutex(State())
  private let isStarted = Atomic(false)

  /// - Parameters:
  ///   - patience: seconds that a call may take.
  ///   - interval: seconds between two looks.
  init(patience: Double = 10, interval: Double = 1) {
    self.patience = UInt64(patience * 1e9)
    self.interval = UInt32(interval * 1e6)
  }

  /// Whether calls are watched.
  var isWatching: Bool { isStarted.load(ordering: .relaxed) }

  /// Begins to watch; a second time does nothing. Without a thread nothing is watched.
  func start() {
    guard !isStarted.exchange(true, ordering: .relaxed) else { return }
    // The thread keeps this until `stop`.
    _ = NativeThread.start("lull-guard") { [self] in watch() }
  }

  /// Ends the thread, at its next look.
  func stop() {
    state.withLock { $0.isOver = true }
  }

  func opened(_ descriptor: Int32) {
    state.withLock { _ = $0.descriptors.insert(descriptor) }
  }

  /// Before it is closed: the number may be another's at once.
  func willClose(_ descriptor: Int32) {
    state.withLock { _ = $0.descriptors.remove(descriptor) }
  }

  func enter(_ descriptor: Int32) {
    let now = StuckCallGuard.now
    state.withLock {
      $0.since = now
      $0.descriptor = descriptor
    }
  }

  func leave() {
    state.withLock { $0.since = nil }
  }

  /// Runs `body` within a call; what it takes does not count as the call's.
  func pausing<Result>(_ body: () -> Result) -> Result {
    let since = state.withLock { state in
      defer { state.since = nil }
      return state.since
    }
    guard let since else { return body() }
    let start = StuckCallGuard.now
    defer {
      let duration = StuckCallGuard.now - start
      state.withLock { $0.since = since + duration }
    }
    return body()
  }

  private func watch() {
    while true {
      usleep(interval)
      let isOver = state.withLock { state in
        guard !state.isOver else { return true }
        // Again and again, should curl have opened another one meanwhile.
        guard let since = state.since, StuckCallGuard.now - since > patience else { return false }
        let isOfOne = state.descriptors.contains(state.descriptor)
        for descriptor in isOfOne ? [state.descriptor] : state.descriptors {
          _ = shutdown(descriptor, CLibrary.bothWays)
        }
        return false
      }
      if isOver { return }
    }
  }

  private static var now: UInt64 {
    SystemClock.uptimeNanoseconds
  }
}
