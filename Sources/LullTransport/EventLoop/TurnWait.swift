import LullCore

/// A task that waits for something which comes with the turns of a pump, and is looked for after each.
///
/// Ends early with its task or with the home. Home thread only.
final class TurnWait<Value>: PumpGuest {
  private let pump: Pump
  private let look: () -> Value?
  private let stop: () -> Value
  private var continuation: CheckedContinuation<Confined<Value>, Never>?
  /// Whether the task was cancelled before it came here.
  private var isCancelled = false

  /// - Parameters:
  ///   - look: what it has come to; nil as long as it has not.
  ///   - stop: ends it early, and says what it comes to by that.
  init(_ pump: Pump, look: @escaping () -> Value?, stop: @escaping () -> Value) {
    self.pump = pump
    self.look = look
    self.stop = stop
  }

  /// - Parameter begin: called once there is somebody who waits.
  func value(
    isolation: isolated (any Actor)?, _ begin: () -> Void
  ) async -> Value {
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { [self] in cancel() }
    defer { pump.discard(cancellation) }
    let value = await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
      _ = isolation
      return await withCheckedContinuation { continuation in
        self.continuation = continuation
        guard !isCancelled, !pump.ending.hasEnded else { return finish(stop()) }
        pump.add(self)
        begin()
        // Without a pool all of it may have happened inside.
        turnEnded()
      }
    } onCancel: {
      cancellation()
    }
    return value.value
  }

  private func cancel() {
    isCancelled = true
    if continuation != nil { finish(stop()) }
  }

  private func finish(_ value: Value) {
    pump.remove(self)
    continuation?.resume(returning: Confined(value))
    continuation = nil
  }

  func turnBegins() {}

  func turnEnded() {
    guard continuation != nil, let value = look() else { return }
    finish(value)
  }

  func pumpCloses() {
    if continuation != nil { finish(stop()) }
  }
}
