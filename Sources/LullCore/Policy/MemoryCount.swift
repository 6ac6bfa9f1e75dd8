/// One count of admissions in memory, and those who wait for it, first come, first served. All rules of
/// those who use it hold together, each for as long as its span after the last who asked by it. Home thread only.
final class MemoryCount {
  private struct Waiting {
    // Whoever lets go of it leaves the line before.
    unowned let log: MemoryAdmissionLog
    let answer: (AdmissionAnswer) -> Void
  }

  /// What counts by one rule.
  private struct Rule {
    var window: RateWindow
    /// When somebody has last asked by it, or waited; by the clock's `uptime`.
    var used: Double

    /// From when on it does not hold any more, unless somebody asks by it.
    var ends: Double { used + max(window.limit.per, MemoryCount.shortestUse) }
  }

  private unowned let pump: Pump
  private var rules: [Rule] = []
  private var line: [Waiting] = []
  private var timer: (any HostTimer)?
  private var isServing = false

  /// A rule holds for so many seconds at least.
  private static let shortestUse = 2.0

  init(_ pump: Pump) {
    self.pump = pump
  }

  /// Notes who asks by that rule, and for as long as somebody waits.
  private func note(_ limit: RateLimit, _ now: Double) {
    if let index = rules.firstIndex(where: { $0.window.limit == limit }) {
      rules[index].used = now
    } else {
      let longest = rules.max { $0.window.limit.per < $1.window.limit.per }
      rules.append(Rule(window: RateWindow(limit, beside: longest?.window), used: now))
    }
  }

  /// Forgets the rules that nobody goes by any more, but for one, which knows what was sent before.
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

  /// - Parameter limit: of the sender, which holds for its span from now on.
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
        // It may be forgotten before.
        case .opens(let after): delay = max(delay, min(after, rules[index].ends - uptime))
        // Somebody gives it back, or sends it.
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
