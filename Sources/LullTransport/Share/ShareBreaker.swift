/// Decides when an unavailable server is tried again. A value type: callers pass the time and a
/// random number.
///
/// Each failure in a row doubles the pause. The actual delay is between half of the pause and all
/// of it, so that hosts that have lost the same server do not reconnect simultaneously.
struct ShareBreaker: Equatable {
  /// The shortest and the longest pause, in seconds.
  static let shortest = 0.25
  static let longest = 30.0

  /// Failures since the last success.
  private(set) var failureCount = 0
  /// The time before which the server is not tried again; nil if it may be used.
  private(set) var opensAt: Double?

  /// Records a failure. Returns the seconds until the next attempt.
  ///
  /// - Parameter chance: A random number that is at least 0 and below 1.
  mutating func fail(now: Double, chance: Double) -> Double {
    var pause = ShareBreaker.shortest
    for _ in 0..<min(failureCount, 20) { pause = min(pause * 2, ShareBreaker.longest) }
    failureCount += 1
    let delay = pause * (0.5 + chance / 2)
    opensAt = now + delay
    return delay
  }

  /// Records a success.
  mutating func succeed() {
    failureCount = 0
    opensAt = nil
  }

  func allows(now: Double) -> Bool { opensAt.map { $0 <= now } ?? true }
}

/// Measures how long a server takes to reply, to derive the timeout. A value type: callers pass the
/// time.
struct ShareLatency {
  private var samples: [Double] = []
  /// Whether each of the last replies came after its timeout.
  private var lateness: [Bool] = []
  private var lastAnswer = -Double.infinity

  /// The number of stored measurements. It is small, so that a few replies reveal that a server has
  /// become slow.
  private static let mostSamples = 9
  /// The timeout is the typical reply time multiplied by this factor. It is usually not worth
  /// waiting longer for a reply.
  private static let factor = 3.0
  /// Seconds after which the measurements of a silent server expire.
  private static let span = 60.0
  private static let mostAnswers = 16
  private static let fewestLate = 5

  /// Records the time of a reply.
  ///
  /// - Parameters:
  ///   - seconds: The time from the request to the reply.
  ///   - isLate: Whether the reply came after its timeout.
  mutating func note(_ seconds: Double, isLate: Bool, now: Double) {
    if now - lastAnswer > ShareLatency.span { samples = [] }
    lastAnswer = now
    samples.append(seconds)
    if samples.count > ShareLatency.mostSamples { samples.removeFirst() }
    lateness.append(isLate)
    if lateness.count > ShareLatency.mostAnswers { lateness.removeFirst() }
  }

  /// The median time of the last replies; nil without a reply in the last minute.
  ///
  /// A single busy moment of the loop or the server does not change the median.
  func typical(now: Double) -> Double? {
    guard now - lastAnswer <= ShareLatency.span, !samples.isEmpty else { return nil }
    return samples.sorted()[samples.count / 2]
  }

  /// Returns the timeout for a reply, in seconds.
  func patience(from shortest: Double, to longest: Double, now: Double) -> Double {
    guard let typical = typical(now: now) else { return shortest }
    return max(shortest, min(typical * ShareLatency.factor, longest))
  }

  /// Whether more than half of the last replies were late, and whether there are too many late
  /// replies to result from a single pause of the server.
  var areMostLate: Bool {
    let late = lateness.count { $0 }
    return late >= ShareLatency.fewestLate && late * 2 > lateness.count
  }
}
