/// At most `requests` in any span of `per` seconds. Lua: `rate_limit`.
///
/// They may go out all at once; evenly spaced ones are had with `requests: 1`.
public struct RateLimit: Sendable, Hashable {
  /// At least 1.
  public var requests: Int
  /// Seconds.
  public var per: Double

  /// Fewer than one request count as one, a span below 0 as 0.
  public init(requests: Int, per: Double) {
    self.requests = max(1, requests)
    self.per = max(0, per)
  }
}

/// What counts against a rate limit: a value, told the time.
///
/// Each request counts from when it was sent until `per` seconds later; one that was let through and
/// is not sent yet counts as well. Every operation takes the same time, however many there are.
struct RateWindow {
  let limit: RateLimit
  /// When those were sent that still count: a ring, the oldest at `first`.
  private var sent: [Double] = []
  private var first = 0
  private var count = 0
  /// Let through and not sent.
  private(set) var reserved = 0
  /// The system's clock may be set back; time as it is counted here goes on.
  private var offset = 0.0
  private var latest = -Double.infinity

  /// Timers and clocks agree as far as this.
  private static let tolerance = 1e-6

  init(_ limit: RateLimit) {
    self.limit = limit
  }

  /// Whether nothing counts against the limit, as far as it was last told the time.
  var isEmpty: Bool { count == 0 && reserved == 0 }

  mutating func opening(now: Double) -> LimitOpening {
    let time = time(now)
    while count > 0, sent[first] + limit.per <= time + RateWindow.tolerance {
      first = (first + 1) % sent.count
      count -= 1
    }
    if count + reserved < limit.requests { return .open }
    // With nothing sent, only those let through stand in the way.
    guard count > 0 else { return .closed }
    return .opens(after: sent[first] + limit.per - time)
  }

  mutating func reserve() { reserved += 1 }

  /// One of those let through is sent.
  mutating func send(now: Double) {
    reserved -= 1
    if count == sent.count { grow() }
    sent[(first + count) % sent.count] = time(now)
    count += 1
  }

  /// One of those let through will not be sent.
  mutating func withdraw() { reserved -= 1 }

  private mutating func time(_ now: Double) -> Double {
    if now + offset < latest { offset = latest - now }
    latest = now + offset
    return latest
  }

  private mutating func grow() {
    var larger = [Double](repeating: 0, count: max(8, sent.count * 2))
    for index in 0..<count { larger[index] = sent[(first + index) % sent.count] }
    sent = larger
    first = 0
  }
}

/// Whether a limit lets one more through.
enum LimitOpening: Equatable {
  case open
  /// Seconds from now.
  case opens(after: Double)
  /// When one of those let through gives its place back.
  case closed
}
