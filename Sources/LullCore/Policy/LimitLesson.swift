/// The information that a response contains about the server's own limit.
package struct LimitLesson: Sendable, Equatable {
  /// The number of requests that the server accepts until it resets its count.
  package struct Budget: Sendable, Equatable {
    package let left: Int
    /// The seconds from now until the server resets its count.
    package let resetsAfter: Double

    package init(left: Int, resetsAfter: Double) {
      self.left = left
      self.resetsAfter = resetsAfter
    }
  }

  /// Whether the server has not counted the request against its limit.
  package let isFree: Bool
  package let budget: Budget?
  /// The seconds during which the server accepts no requests.
  package let pause: Double?

  package init(isFree: Bool = false, budget: Budget? = nil, pause: Double? = nil) {
    self.isFree = isFree
    self.budget = budget
    self.pause = pause
  }

  var isEmpty: Bool { !isFree && budget == nil && pause == nil }
}
