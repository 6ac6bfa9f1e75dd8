/// The value of a `Retry-After` header: a number of seconds, or a date. (RFC 9110, 10.2.3)
package enum RetryAfter: Equatable {
  case seconds(Double)
  /// A date, in seconds since 1970.
  case date(Double)

  /// Parses the value of a `Retry-After` header. Returns nil if it is neither a number nor a date.
  /// `now` is used as in `HTTPDate`.
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

  /// The number of seconds that the server asks the client to wait. If the header contains a date,
  /// the delay is counted from the response's `Date`, if there is one.
  ///
  /// - Returns: nil if there is no valid header. Also nil if the header means 0 seconds or a time
  ///   in the past, because many servers send these values and mean "later".
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
