public import LullCore

/// A clock that stands still until it is advanced or set. Timers fire inside `advance`.
///
/// Times are in seconds. In a test of `Lull.test`, the clock is usually advanced with
/// `test.advance(by:)`, which also waits for the effects of timers.
public final class ManualClock: HostClock {
  /// The monotonic time of the clock. `advance` changes it, but `set` does not.
  public private(set) var uptime: Double
  /// The difference between `now` and `uptime`.
  private var shift = 0.0
  private var timers: [Timer] = []

  /// Makes a clock.
  ///
  /// - Parameter now: The initial time.
  public init(now: Double = 1000) {
    uptime = now
  }

  /// The time of the clock, usually interpreted as seconds since 1970.
  public var now: Double { uptime + shift }

  /// Sets `now`, like an administrator who sets the time of a system. Timers are not affected.
  public func set(_ now: Double) {
    shift = now - uptime
  }

  /// Schedules a timer, which fires inside `advance`.
  public func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer {
    let timer = Timer(due: uptime + max(0, seconds), action: action)
    timers.append(timer)
    return timer
  }

  /// The number of timers that have neither fired nor been cancelled.
  public var activeTimerCount: Int { timers.filter { $0.action != nil }.count }

  /// The uptime at which the next timer fires; nil without timers.
  public var nextDue: Double? { timers.filter { $0.action != nil }.map(\.due).min() }

  /// The uptime at which the next timer fires that is not due before `start`; nil if there is no
  /// such timer.
  func nextDue(from start: Double) -> Double? {
    timers.filter { $0.action != nil && $0.due >= start }.map(\.due).min()
  }

  /// Advances the clock to `end`, unless that time has passed, and fires the timers due by then.
  /// Timers that are set during this call don't fire during this call.
  func fire(until end: Double) {
    timers.removeAll { $0.action == nil }
    let due = timers.enumerated().filter { $0.element.due <= end }
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
    timers.removeAll { $0.due <= end }
    for timer in due {
      // A timer that fires may cancel another.
      guard let action = timer.action else { continue }
      uptime = max(uptime, timer.due)
      timer.action = nil
      action()
    }
    uptime = max(uptime, end)
  }

  /// Advances the clock and fires the timers that become due, in order of their times. Timers for
  /// the same time fire in the order in which they were scheduled.
  public func advance(by seconds: Double) {
    let end = uptime + seconds
    // A timer that is set again for the same moment without end must not block a test.
    var firedCount = 0
    while firedCount < 10_000, let timer = nextTimer(until: end) {
      firedCount += 1
      uptime = max(uptime, timer.due)
      let action = timer.action
      timer.action = nil
      timers.removeAll { $0 === timer }
      action?()
    }
    uptime = end
  }

  private func nextTimer(until end: Double) -> Timer? {
    timers.removeAll { $0.action == nil }
    return timers.filter { $0.due <= end }.min { $0.due < $1.due }
  }

  private final class Timer: HostTimer {
    let due: Double
    var action: (() -> Void)?

    init(due: Double, action: @escaping () -> Void) {
      self.due = due
      self.action = action
    }

    func cancel() { action = nil }
  }
}

extension ManualClock {
  /// Advances the clock by a duration. (SWF-162)
  @_disfavoredOverload
  public func advance(by duration: Duration) {
    advance(by: Double(seconds: duration))
  }
}
