/// This process's view of a count that processes share: a granted admission that has not been
/// taken, or the time to ask again. Home thread only.
final class LoggedCount {
  let log: any AdmissionLog
  /// Called when an answer has arrived on a later turn.
  var onAnswer: () -> Void = {}

  private let admissions: Admissions
  private var granted: Admission?
  private var isAsking = false
  /// Admissions that were taken and not sent.
  private var unsentCount = 0
  /// Whether the pending answer will be out of date when it arrives.
  private var isOutdated = false
  /// In `uptime` of the clock; nil: unknown.
  private var opensAt: Double?

  init(_ log: any AdmissionLog, _ admissions: Admissions) {
    self.log = log
    self.admissions = admissions
  }

  var isIdle: Bool { granted == nil && !isAsking }

  var opening: LimitOpening {
    if granted != nil { return .open }
    // Without a time, the pending answer opens the limit.
    return opensAt.map { .opens(after: max(0, $0 - admissions.uptime)) } ?? .closed
  }

  /// Asks for an admission, unless there is a valid answer. An immediate answer is available when
  /// this returns.
  func ask() {
    guard granted == nil, !isAsking, opensAt.map({ $0 <= admissions.uptime }) ?? true else {
      return
    }
    opensAt = nil
    isAsking = true
    var isInside = true
    log.ask { [weak self] answer in
      guard let self else { return }
      isAsking = false
      switch answer {
      case .granted(let admission): granted = admission
      case .opens(let delay): opensAt = admissions.uptime + (isOutdated ? 0 : delay)
      }
      isOutdated = false
      if !isInside { onAnswer() }
    }
    isInside = false
  }

  func take() -> Admission? {
    guard let admission = granted.take() else { return nil }
    unsentCount += 1
    return admission
  }

  /// Starts the span of an admission. When none is left unsent, the log can tell when the limit
  /// opens.
  func send(_ admission: Admission) -> Admission {
    let sent = log.send(admission)
    unsentCount -= 1
    if unsentCount == 0 {
      opensAt = nil
      isOutdated = isAsking
    }
    return sent
  }

  /// Gives an admission back. The limit may now open earlier than the last answer said.
  func giveBack(_ admission: Admission) {
    log.withdraw(admission)
    unsentCount -= 1
    opensAt = nil
  }

  /// Reports the server's own count. The limit may now open earlier or later than the last answer
  /// said.
  func learn(_ lesson: LimitLesson, from admission: Admission) {
    log.learn(lesson, from: admission)
    opensAt = nil
  }

  /// Stops asking, because no request waits.
  func stop() {
    log.stopAsking()
    isAsking = false
    isOutdated = false
    opensAt = nil
    if let admission = granted.take() { log.withdraw(admission) }
  }
}
