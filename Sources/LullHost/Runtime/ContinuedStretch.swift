import CLullBridge
import LullCore

/// The remaining limits of a stretch of Lua code that waits for an asynchronous function of the
/// program.
///
/// Lua code that the function calls belongs to the stretch, and so does the code that follows the
/// wait, unless there is a pause. So recursion through an asynchronous function is one stretch.
// Used on the home thread only; tasks of that thread pass it on.
final class ContinuedStretch: @unchecked Sendable {
  /// The stretch as stored in the task of an asynchronous function.
  struct Origin: Sendable {
    @TaskLocal static var current: Origin?

    let runtime: ObjectIdentifier
    let stretch: ContinuedStretch
    let waitsSince: Int64

    /// Returns the stretch to which a call made now in that runtime belongs.
    static func stretch(in runtime: AnyObject) -> ContinuedStretch? {
      guard let origin = current, origin.runtime == ObjectIdentifier(runtime),
        lull_stretch_time() - origin.waitsSince < ContinuedStretch.pause
      else { return nil }
      return origin.stretch
    }
  }

  /// The length of a pause in nanoseconds. After a pause, the next call begins a new stretch.
  private static let pause: Int64 = 50_000_000
  /// The longest gap that counts as running time. A longer gap counts as waiting.
  private static let wait: Int64 = 2_000_000

  private var left = lull_stretch()
  /// The last time code of the stretch ran.
  private var lastRan: Int64 = 0
  /// The number of Lua calls made by the asynchronous function.
  private(set) var callCount = 0

  var hasPaused: Bool { lull_stretch_time() - lastRan >= ContinuedStretch.pause }

  /// Stores the limits that the running stretch has left; returns the time.
  func note(_ bridge: BridgeRuntime) -> Int64 {
    left = lull_stretch_left(bridge.pointer)
    lastRan = lull_stretch_time()
    return lastRan
  }

  /// Runs a Lua call as part of this stretch.
  func run<Result>(_ bridge: BridgeRuntime, _ body: () -> Result) -> Result {
    callCount += 1
    // A nested call does not begin a stretch.
    guard lull_runtime_depth(bridge.pointer) == 0 else { return body() }
    let gap = lull_stretch_time() - lastRan
    if gap <= ContinuedStretch.wait { left.nanoseconds -= gap }
    // Copied, because the call may change `left`.
    let remaining = left
    return withUnsafePointer(to: remaining) { left in
      lull_stretch_continue(bridge.pointer, left)
      defer {
        lull_stretch_continue(bridge.pointer, nil)
        _ = note(bridge)
      }
      return body()
    }
  }
}

extension Optional<ContinuedStretch> {
  /// Runs a Lua call as part of this stretch, or as a new stretch if this is nil.
  @inline(__always) func run<Result>(_ bridge: BridgeRuntime, _ body: () -> Result) -> Result {
    guard let self else { return body() }
    return self.run(bridge, body)
  }
}
