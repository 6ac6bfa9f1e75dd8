/// One limit and the lanes that wait for it; shared by all requests one block of configuration
/// applies to. Home thread only.
///
/// It never calls anybody but lanes: who is let through hears of it from `Admissions`, when every
/// limit and lane is in order again.
final class SharedLimit {
  /// Of a rate limit; changed in place, since it may be large.
  private var window: RateWindow?
  /// Of a limit of requests at once.
  private var places = PlaceCount(limit: 0)
  private let admissions: Admissions
  /// Lanes whose first one waits for this limit; few, since lanes are pairs of limits.
  private var lanes: [LimitLane] = []
  private var timer: (any HostTimer)?

  init(_ limit: RateLimit, _ admissions: Admissions) {
    window = RateWindow(limit)
    self.admissions = admissions
  }

  init(concurrency: Int, _ admissions: Admissions) {
    places = PlaceCount(limit: concurrency)
    self.admissions = admissions
  }

  /// As logs say it.
  var description: String {
    guard let limit = window?.limit else { return "\(places.limit) requests at once" }
    return "\(limit.requests) requests in \(LogText.seconds(limit.per))"
  }

  /// Whether nobody would notice if it began anew.
  var isIdle: Bool {
    // Asked for what it does: what is too old to count is forgotten.
    _ = opening
    return lanes.isEmpty && window?.isEmpty ?? (places.taken == 0)
  }

  /// Lets the first one of `lane` through; if that cannot be now, the lane is served later, in order
  /// of how long their first ones have waited.
  func take(for lane: LimitLane) -> Bool {
    guard isOpen, !lanes.contains(where: { $0.order < lane.order }) else {
      if !lanes.contains(where: { $0 === lane }) { lanes.append(lane) }
      setTimer()
      return false
    }
    if window == nil { places.taken += 1 } else { window?.reserve() }
    return true
  }

  /// Nobody in the lane waits any more.
  func leave(_ lane: LimitLane) {
    lanes.removeAll { $0 === lane }
    setTimer()
  }

  /// One of those let through is sent.
  func send() {
    window?.send(now: admissions.now)
    setTimer()
  }

  /// One of those let through will not be sent.
  func withdraw() {
    if window == nil { places.taken -= 1 } else { window?.withdraw() }
    serve()
  }

  /// One that was sent has its answer, or is given up.
  func end() {
    guard window == nil else { return }
    places.taken -= 1
    serve()
  }

  private func serve() {
    while isOpen, let lane = lanes.min(by: { $0.order < $1.order }) {
      lanes.removeAll { $0 === lane }
      lane.advance()
    }
    setTimer()
  }

  private var isOpen: Bool { opening == .open }

  private var opening: LimitOpening {
    window?.opening(now: admissions.now) ?? (places.taken < places.limit ? .open : .closed)
  }

  /// A timer that is due too early is let be: it finds that out and sets another. One that is due
  /// when the limit has opened must not be lost, since timers come late.
  private func setTimer() {
    let delay: Double
    switch opening {
    case .opens(let time) where !lanes.isEmpty: delay = time
    case .open where !lanes.isEmpty: delay = 0
    case .open, .opens, .closed:
      timer?.cancel()
      timer = nil
      return
    }
    guard timer == nil else { return }
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
