import LullLibC

/// The clocks of the system, for code that can't use the clock of a home thread. Callable on any
/// thread.
package enum SystemClock {
  /// The current time in seconds since 1970.
  package static var now: Double { seconds(of: CLOCK_REALTIME) }

  /// The seconds since a fixed time in the past. Setting the system time doesn't affect this clock.
  package static var uptime: Double { seconds(of: CLOCK_MONOTONIC) }

  /// The seconds of `uptime`, as nanoseconds.
  package static var uptimeNanoseconds: UInt64 {
    let time = read(CLOCK_MONOTONIC)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func seconds(of clock: clockid_t) -> Double {
    let time = read(clock)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
