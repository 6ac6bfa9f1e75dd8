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

  /// Seconds from `now`; 0 for a date in the past.
  package func delay(now: Double) -> Double {
    switch self {
    case .seconds(let seconds): seconds
    case .date(let date): max(0, date - now)
    }
  }
}
