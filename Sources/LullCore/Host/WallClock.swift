import Glibc

/// The time of day, for values that are made without a home thread's clock at hand.
package enum WallClock {
  /// Unix epoch seconds.
  package static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
