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

/// How long a server takes to answer, and so how long it is waited for: a value, told the time.
struct ShareLatency {
  private var samples: [Double] = []
  /// Whether each of the last answers came after nobody waited for it any more.
  private var lateness: [Bool] = []
  private var lastAnswer = -Double.infinity

  /// Few, so that a server that becomes slow is known to be after some of its answers.
  private static let mostSamples = 9
  /// Of the usual time of an answer: most of those that take longer are not worth waiting for.
  private static let factor = 3.0
  /// A server that has not answered for so long is known for nothing. Seconds.
  private static let span = 60.0
  private static let mostAnswers = 16
  private static let fewestLate = 5

  /// - Parameters:
  ///   - seconds: from when it was asked until it has answered.
  ///   - isLate: whether that was longer than it was waited for.
  mutating func note(_ seconds: Double, isLate: Bool, now: Double) {
    if now - lastAnswer > ShareLatency.span { samples = [] }
    lastAnswer = now
    samples.append(seconds)
    if samples.count > ShareLatency.mostSamples { samples.removeFirst() }
    lateness.append(isLate)
    if lateness.count > ShareLatency.mostAnswers { lateness.removeFirst() }
  }

  /// The median of the last answers; nil if there was none within the last minute.
  ///
  /// A loop that was busy once does not make the server slow, and neither does a server that was.
  func typical(now: Double) -> Double? {
    guard now - lastAnswer <= ShareLatency.span, !samples.isEmpty else { return nil }
    return samples.sorted()[samples.count / 2]
  }

  /// How long an answer is waited for. Seconds.
  func patience(from shortest: Double, to longest: Double, now: Double) -> Double {
    guard let typical = typical(now: now) else { return shortest }
    return max(shortest, min(typical * ShareLatency.factor, longest))
  }

  /// More than half of the last answers, and more than a pause of the server explains.
  var areMostLate: Bool {
    let late = lateness.count { $0 }
    return late >= ShareLatency.fewestLate && late * 2 > lateness.count
  }
}
