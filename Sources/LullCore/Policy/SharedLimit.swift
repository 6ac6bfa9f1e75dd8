/// One limit and the queues that wait for it; shared by all requests one block of configuration
/// applies to, or by all whose count processes share. Home thread only.
///
/// It never calls anybody but queues: who is let through hears of it from `Admissions`, when every
/// limit and queue is in order again.
final class SharedLimit {
  /// Of a rate limit that this process keeps itself; changed in place, since it may be large.
  private var window: RateWindow?
  /// Of one that other processes count against as well.
  private let logged: LoggedCount?
  /// Of a limit of requests at once.
  private var places = PlaceCount(limit: 0)
  /// nil of a limit of requests at once.
  private let rate: RateLimit?
  private let admissions: Admissions
  /// Queues whose first one waits for this limit; few, since queues are pairs of limits.
  private var queues: [LimitQueue] = []
  private var timer: (any HostTimer)?
  /// When the timer is due, in the time of `admissions`.
  private var timerDue = 0.0

  init(_ limit: RateLimit, _ admissions: Admissions) {
    window = RateWindow(limit)
    logged = nil
    rate = limit
    self.admissions = admissions
  }

  /// - Parameter log: what all processes count together.
  init(_ limit: RateLimit, log: any AdmissionLog, _ admissions: Admissions) {
    let logged = LoggedCount(log, admissions)
    self.logged = logged
    rate = limit
    self.admissions = admissions
    logged.onAnswer = { [unowned self] in
      serve()
      admissions.deliver()
    }
  }

  init(concurrency: Int, _ admissions: Admissions) {
    places = PlaceCount(limit: concurrency)
    logged = nil
    rate = nil
    self.admissions = admissions
  }

  /// As logs say it.
  var description: String {
    guard let rate else { return "\(places.limit) requests at once" }
    let shared = logged == nil ? "" : ", counted with other processes"
    return "\(rate.requests) requests in \(LogText.seconds(rate.per))\(shared)"
  }

  /// Whether nobody would notice if it began anew.
  var isIdle: Bool {
    // Asked for what it does: what is too old to count is forgotten.
    _ = opening
    return queues.isEmpty && logged?.isIdle ?? window?.isEmpty ?? (places.taken == 0)
  }

  /// Whether the first one of `queue` would be let through; takes nothing. If that cannot be now, the queue is
  /// served later, in order of how long their first ones have waited.
  func isFree(for queue: LimitQueue) -> Bool {
    if !queues.contains(where: { $0.order < queue.order }) {
      logged?.ask()
      if isOpen { return true }
    }
    if !queues.contains(where: { $0 === queue }) { queues.append(queue) }
    setTimer()
    return false
  }

  /// Lets the first one of `queue` through, if the limit is free for it.
  func take(for queue: LimitQueue) -> Admission? {
    guard isFree(for: queue) else { return nil }
    if let logged { return logged.take() }
    if window == nil { places.taken += 1 } else { window?.reserve() }
    return .local
  }

  /// Nobody in the queue waits any more.
  func leave(_ queue: LimitQueue) {
    queues.removeAll { $0 === queue }
    if queues.isEmpty { logged?.stop() }
    setTimer()
  }

  /// Whether a place is released one span after the answer's head.
  var isStrict: Bool { rate?.strict ?? false }

  /// A byte of one of those let through may go out from now on.
  func begin(_ admission: Admission) { logged?.log.begin(admission) }

  /// The span of one of those let through begins now.
  func send(_ admission: Admission) -> Admission {
    let sent = logged?.send(admission) ?? window?.send(now: admissions.uptime)
    if !queues.isEmpty { logged?.ask() }
    setTimer()
    return sent ?? admission
  }

  /// One of those let through will not be sent.
  func withdraw(_ admission: Admission) {
    if rate == nil { places.taken -= 1 }
    logged?.giveBack(admission)
    window?.withdraw()
    serve()
  }

  /// One that was sent has its answer, or is given up.
  func end(_ admission: Admission, _ result: NetworkResult?) {
    if let rate {
      guard let lesson = result?.response.flatMap({ rate.lesson(of: $0, now: admissions.now) })
      else { return }
      logged?.learn(lesson, from: admission)
      window?.learn(lesson, from: admission, now: admissions.uptime)
    } else {
      places.taken -= 1
    }
    serve()
  }

  private func serve() {
    while let queue = queues.min(by: { $0.order < $1.order }) {
      logged?.ask()
      guard isOpen else { break }
      queues.removeAll { $0 === queue }
      queue.advance()
    }
    setTimer()
  }

  private var isOpen: Bool { opening == .open }

  private var opening: LimitOpening {
    logged?.opening ?? window?.opening(now: admissions.uptime)
      ?? (places.taken < places.limit ? .open : .closed)
  }

  /// A timer that is due too early stays: it finds that out and sets another. One that is due when the
  /// limit has opened must not be lost, since timers come late. One that is due later is replaced.
  private func setTimer() {
    let delay: Double
    switch opening {
    case .opens(let time) where !queues.isEmpty: delay = time
    case .open where !queues.isEmpty: delay = 0
    case .open, .opens, .closed:
      timer?.cancel()
      timer = nil
      return
    }
    let due = admissions.uptime + delay
    if let timer {
      // What differs by less is the same moment.
      guard due < timerDue - 0.001 else { return }
      timer.cancel()
    }
    timerDue = due
    timer = admissions.schedule(after: delay) { [weak self] in
      guard let self else { return }
      timer = nil
      serve()
    }
  }
}

/// How many of so many places are taken.
private struct PlaceCount {
  let limit: Int
  var taken = 0
}
