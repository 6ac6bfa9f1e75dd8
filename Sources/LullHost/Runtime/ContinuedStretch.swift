import CLullBridge
import LullCore

/// What is left of a stretch of Lua code that waits for an asynchronous function of the program.
///
/// Calls of Lua code that the function makes belong to the stretch, and so does what follows in the code that waits,
/// unless there is a pause: recursion through an asynchronous function is one stretch.
// Used on the home thread only, whose tasks hand it on.
final class ContinuedStretch: @unchecked Sendable {
  /// As the task of an asynchronous function has it.
  struct Origin: Sendable {
    @TaskLocal static var current: Origin?

    let runtime: ObjectIdentifier
    let stretch: ContinuedStretch
    let waitsSince: Int64

    /// The stretch that a call made now in that runtime belongs to.
    static func stretch(in runtime: AnyObject) -> ContinuedStretch? {
      guard let origin = current, origin.runtime == ObjectIdentifier(runtime),
        lull_stretch_time() - origin.waitsSince < ContinuedStretch.pause
      else { return nil }
      return origin.stretch
    }
  }

  /// What takes that long, in nanoseconds, is a pause: the next call begins a stretch.
  private static let pause: Int64 = 50_000_000
  /// What takes longer counts as waiting, not as running.
  private static let wait: Int64 = 2_000_000

  private var left = lull_stretch()
  /// When code of it ran last.
  private var lastRan: Int64 = 0
  /// How many calls of Lua code have been made on its behalf.
  private(set) var callCount = 0

  var hasPaused: Bool { lull_stretch_time() - lastRan >= ContinuedStretch.pause }

  /// Notes what the stretch that runs has left; when that was.
  func note(_ bridge: BridgeRuntime) -> Int64 {
    left = lull_stretch_left(bridge.pointer)
    lastRan = lull_stretch_time()
    return lastRan
  }

  /// Makes a call of Lua code, which belongs to it.
  func run<Result>(_ bridge: BridgeRuntime, _ body: () -> Result) -> Result {
    callCount += 1
    // Inside of another call nothing begins.
    guard lull_runtime_depth(bridge.pointer) == 0 else { return body() }
    let gap = lull_stretch_time() - lastRan
    if gap <= ContinuedStretch.wait { left.nanoseconds -= gap }
    // The call may note what is left as well.
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
  /// The same, or a call that begins a stretch.
  @inline(__always) func run<Result>(_ bridge: BridgeRuntime, _ body: () -> Result) -> Result {
    guard let self else { return body() }
    return self.run(bridge, body)
  }
}
