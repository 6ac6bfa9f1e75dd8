/// The information in a response about the limit that the server itself counts.
package struct LimitLesson: Sendable, Equatable {
  /// The number of requests that the server still accepts until it resets its count.
  package struct Budget: Sendable, Equatable {
    package let left: Int
    /// The seconds from now until the server resets its count.
    package let resetsAfter: Double

    package init(left: Int, resetsAfter: Double) {
      self.left = left
      self.resetsAfter = resetsAfter
    }
  }

  /// Whether the request does not count against the server's limit.
  package let isFree: Bool
  package let budget: Budget?
  /// The seconds for which the server accepts no requests; nil if the server didn't ask for a
  /// pause.
  package let pause: Double?

  package init(isFree: Bool = false, budget: Budget? = nil, pause: Double? = nil) {
    self.isFree = isFree
    self.budget = budget
    self.pause = pause
  }

  var isEmpty: Bool { !isFree && budget == nil && pause == nil }
}
