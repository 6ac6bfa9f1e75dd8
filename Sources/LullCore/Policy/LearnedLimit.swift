/// The state of a limit that the server itself counts, as known from its responses. This is a value
/// type, and callers pass the time.
///
/// Responses may arrive out of order, and requests in flight are not counted in them. If one
/// request was sent after another, the response to the earlier request is assumed not to count the
/// later one.
package struct LearnedLimit: Equatable, Sendable {
  /// The number of requests left until `resets`; nil if there is no limit.
  package private(set) var left: Int?
  package private(set) var resets = -Double.infinity
  /// The time until which no requests are allowed.
  package private(set) var pausedUntil = -Double.infinity

  package init() {}

  package init(left: Int?, resets: Double, pausedUntil: Double) {
    self.left = left
    self.resets = resets
    self.pausedUntil = pausedUntil
  }

  /// The largest difference, in seconds, between two times that the server reports for the same
  /// reset of its count.
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
      // The server has started a new window, or uses a sliding one.
      self.left = left
      resets = end
    } else if end >= resets - LearnedLimit.slack {
      self.left = min(known, left)
    }
  }

  /// The current state, in the form in which another counter can learn it; nil if no limit applies
  /// any more.
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

  /// The time from which another request is allowed; nil if one is allowed now.
  package func opens(now: Double, reserved: Int) -> Double? {
    if now < pausedUntil { return pausedUntil }
    guard let left, now < resets, left - reserved <= 0 else { return nil }
    return resets
  }
}
