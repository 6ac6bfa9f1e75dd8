/// One count of admissions in memory, and those who wait for it, first come, first served. All rules of
/// those who use it hold together. Home thread only.
final class MemoryCount {
  private struct Waiting {
    // Whoever lets go of it leaves the line before.
    unowned let log: MemoryAdmissionLog
    let answer: (AdmissionAnswer) -> Void
  }

  private unowned let pump: Pump
  private var windows: [RateWindow] = []
  private var line: [Waiting] = []
  private var timer: (any HostTimer)?
  private var isServing = false

  init(_ pump: Pump) {
    self.pump = pump
  }

  func add(_ limit: RateLimit) {
    guard !windows.contains(where: { $0.limit == limit }) else { return }
    windows.append(RateWindow(limit, beside: windows.max { $0.limit.per < $1.limit.per }))
  }

  func ask(_ log: MemoryAdmissionLog, _ answer: @escaping (AdmissionAnswer) -> Void) {
    line.append(Waiting(log: log, answer: answer))
    serve()
  }

  func stopAsking(_ log: MemoryAdmissionLog) {
    line.removeAll { $0.log === log }
  }

  func send() -> Admission {
    var admission = Admission.local
    for index in windows.indices { admission = windows[index].send(now: pump.clock.now) }
    serve()
    return admission
  }

  func withdraw() {
    for index in windows.indices { windows[index].withdraw() }
    serve()
  }

  func learn(_ lesson: LimitLesson, from admission: Admission) {
    for index in windows.indices {
      windows[index].learn(lesson, from: admission, now: pump.clock.now)
    }
    serve()
  }

  private func serve() {
    guard !isServing else { return }
    isServing = true
    defer { isServing = false }
    timer?.cancel()
    timer = nil
    while let first = line.first {
      var delay = 0.0
      for index in windows.indices {
        switch windows[index].opening(now: pump.clock.now) {
        case .open: break
        case .opens(let after): delay = max(delay, after)
        // Somebody gives it back, or sends it.
        case .closed: return
        }
      }
      guard delay <= 0 else {
        timer = pump.clock.schedule(after: delay) { [weak self] in self?.serve() }
        return
      }
      for index in windows.indices { windows[index].reserve() }
      line.removeFirst()
      first.answer(.granted(.local))
    }
  }
}
