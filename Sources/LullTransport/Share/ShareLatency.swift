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
