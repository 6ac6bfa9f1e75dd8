public import LullCore

/// A clock that stands still until told otherwise; timers fire inside `advance`.
///
/// Seconds. In a test of `Lull.test` mostly moved by `test.advance(by:)`, which also waits for what timers
/// set off.
public final class ManualClock: HostClock {
  /// How far it has gone, whatever the time was set to.
  public private(set) var uptime: Double
  /// What somebody has set the time to, as a difference to `uptime`.
  private var shift = 0.0
  private var timers: [Timer] = []

  /// - Parameter now: the time at first.
  public init(now: Double = 1000) {
    uptime = now
  }

  /// The time; seconds since 1970 to whatever reads it so.
  public var now: Double { uptime + shift }

  /// Sets the time, as an administrator would: timers know nothing of it.
  public func set(_ now: Double) {
    shift = now - uptime
  }

  /// A timer that fires inside `advance`.
  public func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer {
    let timer = Timer(due: uptime + max(0, seconds), action: action)
    timers.append(timer)
    return timer
  }

  /// Timers that have neither fired nor been cancelled.
  public var activeTimerCount: Int { timers.filter { $0.action != nil }.count }

  /// The uptime at which the next timer is due, nil if there is none.
  public var nextDue: Double? { timers.filter { $0.action != nil }.map(\.due).min() }

  /// The same of those that are due at a time or later.
  func nextDue(from start: Double) -> Double? {
    timers.filter { $0.action != nil && $0.due >= start }.map(\.due).min()
  }

  /// Moves time on to `end`, unless that is over, firing what is due by then; not what that sets in its turn.
  func fire(until end: Double) {
    timers.removeAll { $0.action == nil }
    let due = timers.enumerated().filter { $0.element.due <= end }
      .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
    timers.removeAll { $0.due <= end }
    for timer in due {
      // One that fires may cancel another.
      guard let action = timer.action else { continue }
      uptime = max(uptime, timer.due)
      timer.action = nil
      action()
    }
    uptime = max(uptime, end)
  }

  /// Moves time on, firing what becomes due in order of time, then of scheduling.
  public func advance(by seconds: Double) {
    let end = uptime + seconds
    // One that is due again at once, for ever, must not hold up a test.
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
  /// The same with a duration. (SWF-162)
  @_disfavoredOverload
  public func advance(by duration: Duration) {
    advance(by: Double(seconds: duration))
  }
}
