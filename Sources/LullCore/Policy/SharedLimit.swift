/// One limit and the lanes that wait for it; shared by all requests one block of configuration
/// applies to. Home thread only.
///
/// It never calls anybody but lanes: who is let through hears of it from `Admissions`, when every
/// limit and lane is in order again.
final class SharedLimit {
  private enum Rule {
    case rate(RateWindow)
    case places(limit: Int, taken: Int)
  }

  private var rule: Rule
  private let admissions: Admissions
  /// Lanes whose first one waits for this limit; few, since lanes are pairs of limits.
  private var lanes: [LimitLane] = []
  private var timer: (any HostTimer)?

  init(_ limit: RateLimit, _ admissions: Admissions) {
    rule = .rate(RateWindow(limit))
    self.admissions = admissions
  }

  init(concurrency: Int, _ admissions: Admissions) {
    rule = .places(limit: concurrency, taken: 0)
    self.admissions = admissions
  }

  /// As logs say it.
  var description: String {
    switch rule {
    case .rate(let window):
      "\(window.limit.requests) requests in \(LogText.seconds(window.limit.per))"
    case .places(let limit, _): "\(limit) requests at once"
    }
  }

  /// Whether nobody would notice if it began anew.
  var isIdle: Bool {
    guard lanes.isEmpty else { return false }
    switch rule {
    case .rate(var window): return window.isEmpty(now: admissions.now)
    case .places(_, let taken): return taken == 0
    }
  }

  /// Lets the first one of `lane` through; if that cannot be now, the lane is served later, in order
  /// of how long their first ones have waited.
  func take(for lane: LimitLane) -> Bool {
    guard isOpen, !lanes.contains(where: { $0.order < lane.order }) else {
      if !lanes.contains(where: { $0 === lane }) { lanes.append(lane) }
      setTimer()
      return false
    }
    switch rule {
    case .rate(var window):
      window.reserve()
      rule = .rate(window)
    case .places(let limit, let taken): rule = .places(limit: limit, taken: taken + 1)
    }
    return true
  }

  /// Nobody in the lane waits any more.
  func leave(_ lane: LimitLane) {
    lanes.removeAll { $0 === lane }
    setTimer()
  }

  /// One of those let through is sent.
  func send() {
    guard case .rate(var window) = rule else { return }
    window.send(now: admissions.now)
    rule = .rate(window)
    setTimer()
  }

  /// One of those let through will not be sent.
  func withdraw() {
    switch rule {
    case .rate(var window):
      window.withdraw()
      rule = .rate(window)
      serve()
    case .places: end()
    }
  }

  /// One that was sent has its answer, or is given up.
  func end() {
    guard case .places(let limit, let taken) = rule else { return }
    rule = .places(limit: limit, taken: taken - 1)
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
    switch rule {
    case .rate(var window):
      let opening = window.opening(now: admissions.now)
      rule = .rate(window)
      return opening
    case .places(let limit, let taken): return taken < limit ? .open : .closed
    }
  }

  /// A timer that is due too early is let be: it finds that out and sets another.
  private func setTimer() {
    guard !lanes.isEmpty, case .opens(let delay) = opening else {
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

extension RateWindow {
  fileprivate mutating func isEmpty(now: Double) -> Bool {
    _ = opening(now: now)
    return isEmpty
  }
}
