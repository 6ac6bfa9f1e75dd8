import CLullBridge
import LullCore

/// The limits that remain for a stretch of Lua code which waits for an asynchronous Swift function
/// of the program.
///
/// Lua code that the asynchronous function calls belongs to the same stretch. The Lua code after
/// the wait belongs to it too, unless there is a pause. Therefore recursion through an asynchronous
/// function is a single stretch.
// The object is used on the home thread only. Tasks on that thread pass it on, which requires
// `Sendable`.
final class ContinuedStretch: @unchecked Sendable {
  /// A reference to the stretch of Lua code, stored in the Swift task of the asynchronous function.
  struct Origin: Sendable {
    @TaskLocal static var current: Origin?

    let runtime: ObjectIdentifier
    let stretch: ContinuedStretch
    let waitsSince: Int64

    /// Returns the stretch to which a call into that runtime would belong if it were made now.
    /// Returns nil if the call would begin a new stretch.
    static func stretch(in runtime: AnyObject) -> ContinuedStretch? {
      guard let origin = current, origin.runtime == ObjectIdentifier(runtime),
        lull_stretch_time() - origin.waitsSince < ContinuedStretch.pause
      else { return nil }
      return origin.stretch
    }
  }

  /// The minimum length of a pause, in nanoseconds. After a pause, the next call begins a new
  /// stretch.
  private static let pause: Int64 = 50_000_000
  /// The longest gap between two calls, in nanoseconds, that counts as running time. A longer gap
  /// counts as waiting.
  private static let wait: Int64 = 2_000_000

  private var left = lull_stretch()
  /// The time in nanoseconds when code of the stretch last ran.
  private var lastRan: Int64 = 0
  /// The number of Lua calls made by the asynchronous function.
  private(set) var callCount = 0

  var hasPaused: Bool { lull_stretch_time() - lastRan >= ContinuedStretch.pause }

  /// Stores the limits that remain for the running stretch, and returns the current time.
  func note(_ bridge: BridgeRuntime) -> Int64 {
    left = lull_stretch_left(bridge.pointer)
    lastRan = lull_stretch_time()
    return lastRan
  }

  /// Runs a call into Lua as part of this stretch.
  func run<Result>(_ bridge: BridgeRuntime, _ body: () -> Result) -> Result {
    callCount += 1
    // A nested call does not begin a stretch, so it needs no limits of a stretch.
    guard lull_runtime_depth(bridge.pointer) == 0 else { return body() }
    let gap = lull_stretch_time() - lastRan
    if gap <= ContinuedStretch.wait { left.nanoseconds -= gap }
    // The limits are copied, because the call may change `left`.
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
  /// Runs a call into Lua as part of this stretch. If this value is nil, the call is a new stretch.
  @inline(__always) func run<Result>(_ bridge: BridgeRuntime, _ body: () -> Result) -> Result {
    guard let self else { return body() }
    return self.run(bridge, body)
  }
}
