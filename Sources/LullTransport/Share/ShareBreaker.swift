/// When a server that could not be used is tried again: a value, told the time and what is left to chance.
///
/// Each failure that follows another doubles the pause; between half of it and all of it, so that those
/// who have lost the same server do not come back together.
struct ShareBreaker: Equatable {
  /// Seconds.
  static let shortest = 0.25
  static let longest = 30.0

  /// Since something was answered.
  private(set) var failureCount = 0
  /// Until then nothing is asked; nil: nothing stands in the way.
  private(set) var opensAt: Double?

  /// The server could not be used; the seconds until it is tried again.
  ///
  /// - Parameter chance: at least 0, below 1.
  mutating func fail(now: Double, chance: Double) -> Double {
    var pause = ShareBreaker.shortest
    for _ in 0..<min(failureCount, 20) { pause = min(pause * 2, ShareBreaker.longest) }
    failureCount += 1
    let delay = pause * (0.5 + chance / 2)
    opensAt = now + delay
    return delay
  }

  /// It has done what it was asked for.
  mutating func succeed() {
    failureCount = 0
    opensAt = nil
  }

  func allows(now: Double) -> Bool { opensAt.map { $0 <= now } ?? true }
}
