/// Parses the headers in which servers report their limits:
///
/// - `RateLimit`, in its older and newer form (draft-ietf-httpapi-ratelimit-headers 07 and 10)
/// - `RateLimit-Remaining` and `RateLimit-Reset`
/// - `X-RateLimit-…`, also with the suffix `-Requests`, and `X-Rate-Limit-…`
/// - `Retry-After` of refused requests
package enum ServerLimit {
  /// The longest time that is used, in seconds. If a server reports a longer time, this one is used
  /// instead: longer times don't describe a rate limit, or are mistakes that would block all
  /// requests.
  package static let longest = 86_400.0
  /// The smallest number that is read as a time since 1970. Smaller numbers are durations in
  /// seconds.
  private static let firstEpoch = 1e9

  /// The number of requests that the server still accepts; nil if the server doesn't report it.
  static func budget(in response: HTTPResponse, now: Double) -> LimitLesson.Budget? {
    let headers = response.headers
    let serverNow = headers["date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
    let found =
      (headers["ratelimit"].map(structured) ?? [])
      + fields.compactMap { remaining, reset in
        pair(headers[remaining], headers[reset], serverNow: serverNow)
      }
    guard let least = found.min(by: isTighter) else { return nil }
    return LimitLesson.Budget(
      left: least.left, resetsAfter: min(max(0, least.resetsAfter), longest))
  }

  /// The number of seconds for which the server accepts no requests; nil if the server doesn't
  /// report a pause.
  static func pause(in response: HTTPResponse, now: Double) -> Double? {
    guard [403, 429, 503].contains(response.status) else { return nil }
    return RetryAfter.delay(in: response.headers, now: now).map { min($0, longest) }
  }

  private static let fields = [
    ("ratelimit-remaining", "ratelimit-reset"), ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("x-rate-limit-remaining", "x-rate-limit-reset"),
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
  ]

  private static func isTighter(_ one: LimitLesson.Budget, _ other: LimitLesson.Budget) -> Bool {
    one.left != other.left ? one.left < other.left : one.resetsAfter > other.resetsAfter
  }

  private static func pair(
    _ remaining: String?, _ reset: String?, serverNow: Double
  ) -> LimitLesson.Budget? {
    guard let left = remaining.flatMap(number),
      let time = reset.flatMap({ seconds($0, serverNow: serverNow) })
    else { return nil }
    return LimitLesson.Budget(left: count(left), resetsAfter: time)
  }

  /// Parses a time and returns the seconds from now. The text is a number, a duration such as
  /// `1m2.5s` or `1500ms`, or an ISO 8601 time.
  private static func seconds(_ text: String, serverNow: Double) -> Double? {
    if let number = number(text) { return seconds(number, serverNow: serverNow) }
    let text = text.trimmingBlanks
    if let duration = duration(text) { return duration }
    return Timestamp(String(text)).map { $0.secondsSince1970 - serverNow }
  }

  private static let units = ["h": 3600.0, "m": 60, "s": 1, "ms": 0.001, "us": 1e-6, "µs": 1e-6]

  /// Parses a duration in the format of Go: numbers, each followed by a unit.
  private static func duration(_ text: some StringProtocol) -> Double? {
    var rest = Substring(text)
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let unit = rest[digits.endIndex...].prefix { $0.isLetter }
      guard let number = Double(digits), let factor = units[String(unit)] else { return nil }
      total += number * factor
      rest = rest[unit.endIndex...]
    }
    return text.isEmpty ? nil : total
  }

  /// Converts a number to seconds from now. The number is either a duration in seconds, or a time
  /// in seconds or milliseconds since 1970.
  private static func seconds(_ number: Double, serverNow: Double) -> Double {
    if number >= firstEpoch * 1000 { return number / 1000 - serverNow }
    return number >= firstEpoch ? number - serverNow : number
  }

  /// Parses a `RateLimit` header: `limit=100, remaining=50, reset=30`, or a list with an element
  /// such as `"default";r=50;t=30` for each of several limits.
  private static func structured(_ text: String) -> [LimitLesson.Budget] {
    var found: [LimitLesson.Budget] = []
    var older: [Substring: Double] = [:]
    for item in text.split(separator: ",") {
      var fields: [Substring: Double] = [:]
      for field in item.split(separator: ";") {
        guard let equals = field.firstIndex(of: "=") else { continue }
        let name = field[..<equals].drop { $0 == " " || $0 == "\t" }
        fields[name] = number(String(field[field.index(after: equals)...]))
      }
      if let left = fields["r"], let time = fields["t"] {
        found.append(LimitLesson.Budget(left: count(left), resetsAfter: time))
      }
      older.merge(fields) { first, _ in first }
    }
    if let left = older["remaining"], let time = older["reset"] {
      found.append(LimitLesson.Budget(left: count(left), resetsAfter: time))
    }
    return found
  }

  private static func count(_ number: Double) -> Int { Int(min(max(0, number), 1e9)) }

  private static func number(_ text: String) -> Double? {
    guard let value = Double(text.trimmingBlanks), value.isFinite else { return nil }
    return value
  }
}

extension RateLimit {
  /// Returns the information in a response that changes the state of this limit; nil if there is
  /// none.
  func lesson(of response: HTTPResponse, now: Double) -> LimitLesson? {
    guard learns || !free.isEmpty else { return nil }
    let lesson = LimitLesson(
      isFree: free.contains(response.status),
      budget: learns ? ServerLimit.budget(in: response, now: now) : nil,
      pause: learns ? ServerLimit.pause(in: response, now: now) : nil)
    return lesson.isEmpty ? nil : lesson
  }
}
