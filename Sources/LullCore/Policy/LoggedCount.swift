/// The state of this process for a count that processes share: a granted admission that has not
/// been taken, or the time to ask again. Home thread only.
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
  /// The time at which the limit opens, in `uptime` of the clock; nil: unknown.
  private var opensAt: Double?

  init(_ log: any AdmissionLog, _ admissions: Admissions) {
    self.log = log
    self.admissions = admissions
  }

  var isIdle: Bool { granted == nil && !isAsking }

  var opening: LimitOpening {
    if granted != nil { return .open }
    // If the time is unknown, the limit is closed until the pending answer arrives.
    return opensAt.map { .opens(after: max(0, $0 - admissions.uptime)) } ?? .closed
  }

  /// Asks the log for an admission, unless its last answer is still valid. If the log answers
  /// immediately, the answer is available when this function returns.
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

  /// Starts the span of an admission. When no taken admission is left unsent, the log can determine
  /// when the limit opens, so its earlier answer is out of date.
  func send(_ admission: Admission) -> Admission {
    let sent = log.send(admission)
    unsentCount -= 1
    if unsentCount == 0 {
      opensAt = nil
      isOutdated = isAsking
    }
    return sent
  }

  /// Gives an admission back. The limit may now open earlier than the last answer indicated.
  func giveBack(_ admission: Admission) {
    log.withdraw(admission)
    unsentCount -= 1
    opensAt = nil
  }

  /// Reports the server's own count. The limit may now open earlier or later than the last answer
  /// indicated.
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
