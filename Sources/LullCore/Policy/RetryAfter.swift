/// A `Retry-After` header: a number of seconds, or a date. (RFC 9110, 10.2.3)
package enum RetryAfter: Equatable {
  case seconds(Double)
  /// Unix epoch seconds.
  case date(Double)

  /// nil if the text is neither; for `now`, see `HTTPDate`.
  package init?(_ text: String, now: Double) {
    let text = text.trimmingBlanks
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      // A text of digits is always a number, possibly infinity.
      self = .seconds(Double(String(text)) ?? .infinity)
    } else if let date = HTTPDate.parse(text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// The number of seconds that the server asks to wait. A date is compared with the response's
  /// `Date`, if it has one.
  ///
  /// - Returns: nil without a request to wait, and if it is 0 seconds or a time in the past, since
  ///   many servers send that and mean "later".
  package static func delay(in headers: Headers, now: Double) -> Double? {
    guard let wanted = headers["retry-after"].flatMap({ RetryAfter($0, now: now) }) else {
      return nil
    }
    let delay =
      switch wanted {
      case .seconds(let seconds): seconds
      case .date(let date):
        date - (headers["date"].flatMap { HTTPDate.parse($0, now: now) } ?? now)
      }
    return delay > 0 ? delay : nil
  }
}
