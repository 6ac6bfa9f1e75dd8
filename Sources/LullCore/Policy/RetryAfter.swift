/// A `Retry-After` header: a number of seconds, or a date. (RFC 9110, 10.2.3)
package enum RetryAfter: Equatable {
  case seconds(Double)
  /// Unix epoch seconds.
  case date(Double)

  /// nil if the text is neither; `now` as in `HTTPDate`.
  package init?(_ text: String, now: Double) {
    let text = text.trimmingBlanks
    if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
      // Digits alone always are a number, be it infinity.
      self = .seconds(Double(String(text)) ?? .infinity)
    } else if let date = HTTPDate.parse(text, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// How many seconds a server asks to wait. A date is measured by the answer's own `Date`, if it has one.
  ///
  /// - Returns: nil if the server does not ask, or asks to wait for 0 seconds or until a time in the past:
  ///   many servers write that and mean "later".
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
