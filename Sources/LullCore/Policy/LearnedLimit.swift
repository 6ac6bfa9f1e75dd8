/// What a server has said of its own limit, as whoever counts requests keeps it: a value, told the time.
///
/// Answers overtake each other, and say nothing of requests that were under way: those sent since the one
/// that was answered count as if the server had not seen them.
package struct LearnedLimit: Equatable, Sendable {
  /// How many more until `resets`; nil: any number.
  package private(set) var left: Int?
  package private(set) var resets = -Double.infinity
  /// Until then there are none.
  package private(set) var pausedUntil = -Double.infinity

  package init() {}

  package init(left: Int?, resets: Double, pausedUntil: Double) {
    self.left = left
    self.resets = resets
    self.pausedUntil = pausedUntil
  }

  /// Two times that a server gives for one end differ by this much at most, in seconds.
  private static let slack = 2.0

  package mutating func learn(_ lesson: LimitLesson, now: Double, sentSince: Int) {
    if let pause = lesson.pause { pausedUntil = max(pausedUntil, now + pause) }
    guard let budget = lesson.budget else { return }
    let end = now + budget.resetsAfter
    let left = max(0, budget.left - sentSince)
    let known = now < resets ? self.left : nil
    guard let known else {
      self.left = left
      resets = end
      return
    }
    if end > resets + LearnedLimit.slack {
      // The server has begun anew, or counts by a sliding window.
      self.left = left
      resets = end
    } else if end >= resets - LearnedLimit.slack {
      self.left = min(known, left)
    }
  }

  /// The same for whoever counts next; nil if nothing holds any more.
  package func lesson(now: Double) -> LimitLesson? {
    let budget = now < resets ? left : nil
    guard budget != nil || now < pausedUntil else { return nil }
    return LimitLesson(
      budget: budget.map { LimitLesson.Budget(left: $0, resetsAfter: resets - now) },
      pause: now < pausedUntil ? pausedUntil - now : nil)
  }

  package mutating func send() {
    if let left { self.left = max(0, left - 1) }
  }

  /// From when on there is one more; nil: now.
  package func opens(now: Double, reserved: Int) -> Double? {
    if now < pausedUntil { return pausedUntil }
    guard let left, now < resets, left - reserved <= 0 else { return nil }
    return resets
  }
}
