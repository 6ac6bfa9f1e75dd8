import LullCore
import LullTransport
import Testing

extension EventLoop {
  /// Turns until `condition` holds, at most half a minute. It looks every few milliseconds: some
  /// conditions are facts of other threads.
  func turn(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    var isLate = false
    let watchdog = schedule(after: 30) { isLate = true }
    while !condition() && !isLate {
      let tick = schedule(after: 0.005) {}
      turn()
      tick.cancel()
    }
    watchdog.cancel()
    #expect(!isLate, "nothing came for half a minute", sourceLocation: sourceLocation)
  }

  /// As `run(until:)`, but half a minute at most; nothing of its own wakes the loop before.
  func runBounded(
    until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var isLate = false
    let watchdog = schedule(after: 30) { isLate = true }
    run { condition() || isLate }
    watchdog.cancel()
    #expect(!isLate, "nothing came for half a minute", sourceLocation: sourceLocation)
  }
}
