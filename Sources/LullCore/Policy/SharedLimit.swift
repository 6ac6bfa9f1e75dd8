/// A limit and the queues that wait for it. The limit is shared by all requests to which one
/// configuration block applies, or by all requests that share a count with other processes. Home
/// thread only.
///
/// A limit calls only queues. Admitted requests are notified by `Admissions`, when all limits and
/// queues are consistent again.
final class SharedLimit {
  /// The window of a rate limit that is counted only in this process. The window is changed in
  /// place, since it may be large.
  private var window: RateWindow?
  /// The count of a rate limit shared with other processes.
  private let logged: LoggedCount?
  /// The number of slots of a concurrency limit, and of the taken ones.
  private var places = PlaceCount(limit: 0)
  /// The rate limit, or nil if this is a concurrency limit.
  private let rate: RateLimit?
  private let admissions: Admissions
  /// The queues whose first request waits for this limit. There are few of them, since there is one
  /// queue for each pair of limits.
  private var queues: [LimitQueue] = []
  private var timer: (any HostTimer)?
  /// The time at which the timer fires, in `uptime` of `admissions`.
  private var timerDue = 0.0

  init(_ limit: RateLimit, _ admissions: Admissions) {
    window = RateWindow(limit)
    logged = nil
    rate = limit
    self.admissions = admissions
  }

  /// Makes a rate limit that processes share.
  ///
  /// - Parameter log: Obtains admissions from the count that the processes share.
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

  /// A description of the limit, for logs.
  var description: String {
    guard let rate else { return "\(places.limit) requests at once" }
    let shared = logged == nil ? "" : ", counted with other processes"
    return "\(rate.requests) requests in \(LogText.seconds(rate.per))\(shared)"
  }

  /// Whether the limit could be discarded without effect.
  var isIdle: Bool {
    // Called for its side effect: entries too old to count are removed.
    _ = opening
    return queues.isEmpty && logged?.isIdle ?? window?.isEmpty ?? (places.taken == 0)
  }

  /// Whether the limit would admit the first request of `queue` now. No slot is taken. If the
  /// result is false, `queue` is advanced later. Queues are advanced in the order in which their
  /// first requests began to wait.
  func isFree(for queue: LimitQueue) -> Bool {
    if !queues.contains(where: { $0.order < queue.order }) {
      logged?.ask()
      if isOpen { return true }
    }
    if !queues.contains(where: { $0 === queue }) { queues.append(queue) }
    setTimer()
    return false
  }

  /// Admits the first request of `queue` if the limit allows it. Otherwise, returns nil, and
  /// `queue` is advanced later.
  func take(for queue: LimitQueue) -> Admission? {
    guard isFree(for: queue) else { return nil }
    if let logged { return logged.take() }
    if window == nil { places.taken += 1 } else { window?.reserve() }
    return .local
  }

  /// Removes `queue`, in which no request waits any more, from the queues that wait for this limit.
  func leave(_ queue: LimitQueue) {
    queues.removeAll { $0 === queue }
    if queues.isEmpty { logged?.stop() }
    setTimer()
  }

  /// Whether a slot is released one span after the response headers have arrived.
  var isStrict: Bool { rate?.strict ?? false }

  /// Records that bytes of an admitted request may be sent from now on.
  func begin(_ admission: Admission) { logged?.log.begin(admission) }

  /// Starts the span of an admitted request.
  func send(_ admission: Admission) -> Admission {
    let sent = logged?.send(admission) ?? window?.send(now: admissions.uptime)
    if !queues.isEmpty { logged?.ask() }
    setTimer()
    return sent ?? admission
  }

  /// Gives back an admission that will not be used.
  func withdraw(_ admission: Admission) {
    if rate == nil { places.taken -= 1 }
    logged?.giveBack(admission)
    window?.withdraw()
    serve()
  }

  /// Records that a sent request has ended. `result` is nil if the request was cancelled.
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

  /// Sets the timer for the time at which the limit opens. If the current timer fires earlier, it
  /// is kept, and another timer is set when it fires. If the current timer fires later, it is
  /// replaced. If the limit is already open, a timer that is about to fire is kept too, since
  /// timers may be late.
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
      // Differences of up to 1 ms are ignored.
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

/// The total number of slots, and the number of taken slots.
private struct PlaceCount {
  let limit: Int
  var taken = 0
}
