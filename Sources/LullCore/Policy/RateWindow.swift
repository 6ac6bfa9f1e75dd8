/// The requests that currently count against a rate limit. This is a value type, and callers pass
/// the time.
///
/// Each request counts from its admission until `per` seconds after `send`. Every operation takes
/// constant time.
struct RateWindow {
  private(set) var limit: RateLimit
  /// The times at which requests that still count were sent, as a ring buffer. The oldest is at
  /// index `first`.
  private var sent: [Double] = []
  private var first = 0
  private var count = 0
  /// The number of admissions whose requests have not been sent.
  private(set) var reserved = 0
  /// The ID of the oldest request that still counts. Later requests have consecutive IDs.
  private var firstNumber: Int64 = 1
  private var learned = LearnedLimit()
  /// The number of seconds added to the clock's time, to keep time monotonic if the clock is set
  /// back.
  private var offset = 0.0
  private var latest = -Double.infinity

  /// The precision of timers and clocks, in seconds.
  private static let tolerance = 1e-6

  init(_ limit: RateLimit) {
    self.limit = limit
  }

  /// Makes a window for a limit that applies in addition to the limit of another window. All
  /// requests that the other window counts, including those sent before now, also count in the new
  /// window.
  init(_ limit: RateLimit, beside other: RateWindow?) {
    if let other { self = other } else { self.init(limit) }
    self.limit = limit
  }

  /// Whether no request counts against the limit at the last known time.
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
    // If nothing has been sent, only admissions that were not sent block the limit.
    guard count > 0 else { return .closed }
    return .opens(after: sent[first] + limit.per - time)
  }

  mutating func reserve() { reserved += 1 }

  /// Counts an admitted request as sent.
  @discardableResult
  mutating func send(now: Double) -> Admission {
    reserved -= 1
    if count == sent.count { grow() }
    sent[(first + count) % sent.count] = time(now)
    count += 1
    learned.send()
    return Admission(number: firstNumber + Int64(count - 1))
  }

  /// Updates the window with the server's own count, as reported in the response to a sent request.
  mutating func learn(_ lesson: LimitLesson, from admission: Admission, now: Double) {
    let sentSince = Int(firstNumber + Int64(count) - 1 - admission.number)
    learned.learn(lesson, now: time(now), sentSince: max(0, sentSince))
    // Removes the oldest request instead of the one that the server has not counted. So the limit
    // holds, whichever request that was.
    if lesson.isFree, admission.number >= firstNumber, count > 0 { forgetOldest() }
  }

  private mutating func forgetOldest() {
    first = (first + 1) % sent.count
    count -= 1
    firstNumber += 1
  }

  /// Gives back an admission that will not be used.
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
