/// Time and timers of a home thread; the event loop in programs, a manual clock in tests.
public protocol HostClock: AnyObject {
  /// Unix epoch seconds.
  var now: Double { get }
  /// Seconds since some time in the past, which go on evenly when somebody sets the system's time.
  var uptime: Double { get }
  /// Whether `now` is the system's time, which others can read for themselves.
  var isSystemTime: Bool { get }
  /// Runs `action` once on the home thread, after `seconds`; never inside this call.
  func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer
}

extension HostClock {
  public var uptime: Double { now }
  public var isSystemTime: Bool { false }
}

/// A timer that has not fired yet; cancelling twice, or after firing, does nothing.
public protocol HostTimer: AnyObject {
  /// Its action will not run. Home thread only.
  func cancel()
}
