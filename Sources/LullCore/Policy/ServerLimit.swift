/// What a server says of its own limit, in the headers that are in use: `RateLimit` in its older and newer
/// form (draft-ietf-httpapi-ratelimit-headers 07 and 10), `RateLimit-Remaining` and `-Reset`,
/// `X-RateLimit-…`, `X-Rate-Limit-…`, and `Retry-After` of answers that refuse.
enum ServerLimit {
  /// Times further ahead are taken for this one, in seconds: what is longer is no limit of requests, or
  /// a mistake that would stop everybody.
  static let longest = 86_400.0
  /// What is above is a time, below a number of seconds.
  private static let firstEpoch = 1e9

  /// How many more the server lets through, if it says so.
  static func budget(in response: HTTPResponse, now: Double) -> LimitLesson.Budget? {
    let headers = response.headers
    let serverNow = headers["date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
    let found =
      (headers["ratelimit"].map(structured) ?? [])
      + families.compactMap { family in
        pair(headers[family + "remaining"], headers[family + "reset"], serverNow: serverNow)
      }
    guard let least = found.min(by: isTighter) else { return nil }
    return LimitLesson.Budget(
      left: least.left, resetsAfter: min(max(0, least.resetsAfter), longest))
  }

  /// For how long the server wants no more; nil if it does not say so. Seconds.
  static func pause(in response: HTTPResponse, now: Double) -> Double? {
    guard [403, 429, 503].contains(response.status),
      let wanted = response.headers["retry-after"].flatMap({ RetryAfter($0, now: now) })
    else { return nil }
    // A date is by the server's clock.
    let serverNow = response.headers["date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
    return min(wanted.delay(now: serverNow), longest)
  }

  private static let families = ["ratelimit-", "x-ratelimit-", "x-rate-limit-"]

  private static func isTighter(_ one: LimitLesson.Budget, _ other: LimitLesson.Budget) -> Bool {
    one.left != other.left ? one.left < other.left : one.resetsAfter > other.resetsAfter
  }

  private static func pair(
    _ remaining: String?, _ reset: String?, serverNow: Double
  ) -> LimitLesson.Budget? {
    guard let left = remaining.flatMap(number), let time = reset.flatMap(number) else { return nil }
    return LimitLesson.Budget(left: count(left), resetsAfter: seconds(time, serverNow: serverNow))
  }

  /// Seconds from now, of a number of seconds, or of a time in seconds or milliseconds since 1970.
  private static func seconds(_ number: Double, serverNow: Double) -> Double {
    if number >= firstEpoch * 1000 { return number / 1000 - serverNow }
    return number >= firstEpoch ? number - serverNow : number
  }

  /// `limit=100, remaining=50, reset=30`, or `"default";r=50;t=30` for each of several limits.
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
  /// What an answer says of the server's limit, as far as this one is to know.
  func lesson(of response: HTTPResponse, now: Double) -> LimitLesson? {
    guard learns || !free.isEmpty else { return nil }
    let lesson = LimitLesson(
      isFree: free.contains(response.status),
      budget: learns ? ServerLimit.budget(in: response, now: now) : nil,
      pause: learns ? ServerLimit.pause(in: response, now: now) : nil)
    return lesson.isEmpty ? nil : lesson
  }
}
