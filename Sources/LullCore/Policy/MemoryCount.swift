/// A count of requests in memory, and the queue of logs that wait for admissions, first come, first
/// served. If the logs have different limits, all of these limits apply, each as a rule. A rule
/// stops applying when its span has passed since its last use. Home thread only.
final class MemoryCount {
  private struct Waiting {
    // A log leaves the queue before it is released.
    unowned let log: MemoryAdmissionLog
    let answer: (AdmissionAnswer) -> Void
  }

  /// A limit, and the requests that count against it.
  private struct Rule {
    var window: RateWindow
    /// The time at which the rule was last used or waited for, in `uptime` of the clock.
    var used: Double

    /// The time at which the rule stops applying unless it is used again.
    var ends: Double { used + max(window.limit.per, MemoryCount.shortestUse) }
  }

  private unowned let pump: Pump
  private var rules: [Rule] = []
  private var line: [Waiting] = []
  private var timer: (any HostTimer)?
  private var isServing = false

  /// The shortest time for which a rule applies after its last use, in seconds.
  private static let shortestUse = 2.0

  init(_ pump: Pump) {
    self.pump = pump
  }

  /// Records that the rule for a limit is used now. If there is no such rule, adds it.
  private func note(_ limit: RateLimit, _ now: Double) {
    if let index = rules.firstIndex(where: { $0.window.limit == limit }) {
      rules[index].used = now
    } else {
      let longest = rules.max { $0.window.limit.per < $1.window.limit.per }
      rules.append(Rule(window: RateWindow(limit, beside: longest?.window), used: now))
    }
  }

  /// Removes rules that aren't used any more. At least one rule stays, because it stores the
  /// requests that were sent before. A rule is in use while a log with its limit waits.
  private func forgetUnused(_ now: Double) {
    for waiting in line { note(waiting.log.limit, now) }
    while rules.count > 1, let index = rules.firstIndex(where: { $0.ends <= now }) {
      rules.remove(at: index)
    }
  }

  func ask(_ log: MemoryAdmissionLog, _ answer: @escaping (AdmissionAnswer) -> Void) {
    note(log.limit, pump.clock.uptime)
    line.append(Waiting(log: log, answer: answer))
    serve()
  }

  func stopAsking(_ log: MemoryAdmissionLog) {
    line.removeAll { $0.log === log }
  }

  /// Counts a sent request against all rules.
  ///
  /// - Parameter limit: The limit of the log that sent the request. The rule of this limit applies
  ///   for its span from now on.
  func send(by limit: RateLimit) -> Admission {
    note(limit, pump.clock.uptime)
    var admission = Admission.local
    for index in rules.indices { admission = rules[index].window.send(now: pump.clock.uptime) }
    serve()
    return admission
  }

  func withdraw() {
    for index in rules.indices { rules[index].window.withdraw() }
    serve()
  }

  func learn(_ lesson: LimitLesson, from admission: Admission) {
    for index in rules.indices {
      rules[index].window.learn(lesson, from: admission, now: pump.clock.uptime)
    }
    serve()
  }

  private func serve() {
    guard !isServing else { return }
    isServing = true
    defer { isServing = false }
    timer?.cancel()
    timer = nil
    let uptime = pump.clock.uptime
    forgetUnused(uptime)
    while let first = line.first {
      var delay = 0.0
      for index in rules.indices {
        switch rules[index].window.opening(now: uptime) {
        case .open: break
        // The rule may end before its limit opens.
        case .opens(let after): delay = max(delay, min(after, rules[index].ends - uptime))
        // An earlier admission must first be given back or sent.
        case .closed: return
        }
      }
      guard delay <= 0 else {
        timer = pump.clock.schedule(after: delay) { [weak self] in self?.serve() }
        return
      }
      for index in rules.indices { rules[index].window.reserve() }
      line.removeFirst()
      first.answer(.granted(.local))
    }
  }
}
