/// What counts against a rate limit: a value, told the time.
///
/// Each request counts from when it is let through until `per` seconds after `send`. Every operation takes the same time, however many there are.
struct RateWindow {
  private(set) var limit: RateLimit
  /// When those were sent that still count: a ring, the oldest at `first`.
  private var sent: [Double] = []
  private var first = 0
  private var count = 0
  /// Let through and not sent.
  private(set) var reserved = 0
  /// What the oldest that counts is known by; the next ones follow.
  private var firstNumber: Int64 = 1
  private var learned = LearnedLimit()
  /// The system's clock may be set back; time as it is counted here goes on.
  private var offset = 0.0
  private var latest = -Double.infinity

  /// Timers and clocks agree as far as this.
  private static let tolerance = 1e-6

  init(_ limit: RateLimit) {
    self.limit = limit
  }

  /// One beside another, which counts what that one does, and what it still has of before.
  init(_ limit: RateLimit, beside other: RateWindow?) {
    if let other { self = other } else { self.init(limit) }
    self.limit = limit
  }

  /// Whether nothing counts against the limit, as far as it was last told the time.
  var isEmpty: Bool {
    count == 0 && reserved == 0 && learned.opens(now: latest, reserved: 0) == nil
  }

  mutating func opening(now: Double) -> LimitOpening {
    let time = time(now)
    while count > 0, sent[first] + limit.per <= time + RateWindow.tolerance {
      forgetOldest()
    }
    if let opens = learned.opens(now: time, reserved: reserved) {
      return .opens(after: opens - time)
    }
    if count + reserved < limit.requests { return .open }
    // With nothing sent, only those let through stand in the way.
    guard count > 0 else { return .closed }
    return .opens(after: sent[first] + limit.per - time)
  }

  mutating func reserve() { reserved += 1 }

  /// One of those let through is sent.
  @discardableResult
  mutating func send(now: Double) -> Admission {
    reserved -= 1
    if count == sent.count { grow() }
    sent[(first + count) % sent.count] = time(now)
    count += 1
    learned.send()
    return Admission(number: firstNumber + Int64(count - 1))
  }

  /// What the answer to one that was sent says of the server's limit.
  mutating func learn(_ lesson: LimitLesson, from admission: Admission, now: Double) {
    let sentSince = Int(firstNumber + Int64(count) - 1 - admission.number)
    learned.learn(lesson, now: time(now), sentSince: max(0, sentSince))
    // The oldest goes in its place: so there are never more than so many, whichever was free.
    if lesson.isFree, admission.number >= firstNumber, count > 0 { forgetOldest() }
  }

  private mutating func forgetOldest() {
    first = (first + 1) % sent.count
    count -= 1
    firstNumber += 1
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
