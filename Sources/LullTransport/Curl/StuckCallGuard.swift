import LullLibC
import LullSystem
import Synchronization

/// Closes the connection of a call into curl that does not return.
///
/// While a server sends endless HTTP/2 frames that do not affect a transfer, such as GOAWAY or
/// empty DATA, libcurl 7.88 continues to read inside one call. It makes no callbacks and ignores
/// timeouts, including its own. A separate thread therefore checks every second how long the
/// current call has taken, and shuts down the socket of that call after `patience`. curl then sees
/// the end of the connection and returns.
///
/// The receiver of a body is called from within such a call and may be slow, so its time does not
/// count; see `pausing`. The guard ends only calls that wait for a socket. It does not know
/// transfers: curl reports their results. For a call without its own socket, all sockets are shut
/// down. The guard is created, started, entered and left on the home thread; its own thread only
/// reads data under the lock.
final class StuckCallGuard: Sendable {
  private struct State {
    var isOver = false
    /// When the current call began, in nanoseconds; nil outside a call.
    var since: UInt64?
    /// The socket of the current call; negative for none.
    var descriptor: Int32 = -1
    var descriptors: Set<Int32> = []
  }

  /// How long a call may take, in nanoseconds.
  private let patience: UInt64
  /// The time between two checks, in microseconds.
  private let interval: UInt32

  private let state = Mutex(State())
  private let isStarted = Atomic(false)

  /// - Parameters:
  ///   - patience: Seconds that a call may take.
  ///   - interval: Seconds between two checks.
  init(patience: Double = 10, interval: Double = 1) {
    self.patience = UInt64(patience * 1e9)
    self.interval = UInt32(interval * 1e6)
  }

  /// Whether calls are watched.
  var isWatching: Bool { isStarted.load(ordering: .relaxed) }

  /// Starts to watch; calling it again has no effect. If no thread can be started, nothing is
  /// watched.
  func start() {
    guard !isStarted.exchange(true, ordering: .relaxed) else { return }
    // The thread retains this object until `stop`.
    _ = NativeThread.start("lull-guard") { [self] in watch() }
  }

  /// Ends the thread at its next check.
  func stop() {
    state.withLock { $0.isOver = true }
  }

  func opened(_ descriptor: Int32) {
    state.withLock { _ = $0.descriptors.insert(descriptor) }
  }

  /// Must be called before the descriptor is closed: its number may be reused immediately.
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

  /// Runs `body`, which curl calls within a call. The time of `body` does not count as time of that
  /// call.
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
        // The sockets are shut down at every check, in case curl has opened another one meanwhile.
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
