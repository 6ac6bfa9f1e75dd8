import Testing

@testable import LullCore

/// What servers say of their limits, in the forms that are in use.
@Suite(.timeLimit(.minutes(20)))
struct ServerLimitTests {
  private func budget(_ headers: [(String, String)], now: Double = 1_700_000_000) -> String {
    var response = HTTPResponse(status: 200)
    for (name, value) in headers { response.headers[name] = value }
    guard let budget = ServerLimit.budget(in: response, now: now) else { return "none" }
    return "\(budget.left) \(Int(budget.resetsAfter.rounded()))"
  }

  private func pause(_ status: Int, _ headers: [(String, String)]) -> Double? {
    var response = HTTPResponse(status: status)
    for (name, value) in headers { response.headers[name] = value }
    return ServerLimit.pause(in: response, now: 1_700_000_000)
  }

  @Test func `LIM-20 a budget is read in each form`() {
    #expect(budget([("RateLimit", "\"default\";r=50;t=30")]) == "50 30")
    #expect(budget([("RateLimit", "limit=100, remaining=40, reset=20")]) == "40 20")
    #expect(budget([("RateLimit-Remaining", "7"), ("RateLimit-Reset", "12")]) == "7 12")
    #expect(budget([("X-RateLimit-Remaining", "4999"), ("X-RateLimit-Reset", "60")]) == "4999 60")
    #expect(
      budget([("X-Rate-Limit-Remaining", "3"), ("X-Rate-Limit-Reset", "1700000090")]) == "3 90")
    #expect(
      budget([("X-RateLimit-Remaining", "3"), ("X-RateLimit-Reset", "1700000090000")]) == "3 90")
    for (reset, seconds) in [
      ("2023-11-14T22:14:50Z", 90), ("2023-11-14T23:14:50+01:00", 90), ("2s", 2), ("1500ms", 2),
      ("0m2s", 2), ("1h2m3.4s", 3723),
    ] {
      #expect(
        budget([("X-RateLimit-Remaining", "3"), ("X-RateLimit-Reset", reset)]) == "3 \(seconds)")
    }
    #expect(
      budget([
        ("x-ratelimit-remaining-requests", "59"), ("x-ratelimit-reset-requests", "1m0s"),
        ("x-ratelimit-remaining-tokens", "1"), ("x-ratelimit-reset-tokens", "6m0s"),
      ]) == "59 60")
  }

  @Test func `LIM-21 of several limits the tightest counts`() {
    #expect(budget([("RateLimit", "\"minute\";r=50;t=30, \"day\";r=2;t=3600")]) == "2 3600")
    #expect(
      budget([
        ("RateLimit", "\"minute\";r=0;t=30"), ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", "45"),
      ]) == "0 45")
  }

  @Test func `LIM-22 a time is by the server's clock`() {
    // The server's is 1,000 seconds ahead.
    let date = "Tue, 14 Nov 2023 22:30:00 GMT"
    #expect(
      budget([
        ("Date", date), ("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1700001060"),
      ]) == "1 60")
    #expect(pause(429, [("Date", date), ("Retry-After", "Tue, 14 Nov 2023 22:30:30 GMT")]) == 30)
  }

  @Test func `LIM-23 what makes no sense is not there, and nobody waits for longer than a day`() {
    for value in ["2", "s", "2x", "m2s", "2s3", "tomorrow", "1.2.3s"] {
      let isNumber = value == "2"
      #expect(
        budget([("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", value)])
          == (isNumber ? "5 2" : "none"), "\(value)")
    }
    for value in ["", "many", "1e999", "nan", "-", "r", "\"a\";r=;t=", "\"a\";r=5", ";;;=,"] {
      #expect(budget([("RateLimit", value)]) == "none", "\(value)")
    }
    #expect(budget([("X-RateLimit-Remaining", "5")]) == "none")
    #expect(budget([("X-RateLimit-Remaining", "-5"), ("X-RateLimit-Reset", "9")]) == "0 9")
    #expect(
      budget([("X-RateLimit-Remaining", "1e30"), ("X-RateLimit-Reset", "9")]) == "1000000000 9")
    #expect(
      budget([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "999999999")]) == "0 86400")
    #expect(
      budget([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1600000000")]) == "0 0")
    #expect(pause(429, [("Retry-After", "99999999")]) == 86_400)
  }

  @Test func `LIM-24 only answers that refuse ask for a pause`() {
    for status in [403, 429, 503] { #expect(pause(status, [("Retry-After", "9")]) == 9) }
    for status in [200, 202, 301, 404] { #expect(pause(status, [("Retry-After", "9")]) == nil) }
    #expect(pause(403, []) == nil)
  }

  @Test func `LIM-25 only what a limit asks for is learned`() {
    var response = HTTPResponse(status: 304)
    response.headers["X-RateLimit-Remaining"] = "5"
    response.headers["X-RateLimit-Reset"] = "60"
    var limit = RateLimit(requests: 10, per: 60)
    #expect(limit.lesson(of: response, now: 0) == nil)
    limit.free = [304]
    #expect(limit.lesson(of: response, now: 0) == LimitLesson(isFree: true))
    limit.learns = true
    let budget = LimitLesson.Budget(left: 5, resetsAfter: 60)
    #expect(limit.lesson(of: response, now: 0) == LimitLesson(isFree: true, budget: budget))
  }
}
