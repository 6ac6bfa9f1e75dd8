/// This process's view of a count that processes share. Stores an admission that was granted but
/// not used, or the time to ask again. Home thread only.
final class LoggedCount {
  let log: any AdmissionLog
  /// Called when an answer of the log has arrived in a later turn.
  var onAnswer: () -> Void = {}

  private let admissions: Admissions
  private var granted: Admission?
  private var isAsking = false
  /// The number of admissions that were taken, but whose requests have not been sent.
  private var unsentCount = 0
  /// Whether the pending answer of the log will be out of date when it arrives.
  private var isOutdated = false
  /// The time at which the limit opens, in `uptime` of the clock; nil if unknown.
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

  /// Asks the log for an admission, unless the last answer of the log is still valid. If the log
  /// answers immediately, the answer is available when this function returns.
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

  /// Starts the span of an admission. When all requests with taken admissions have been sent, the
  /// log can determine when the limit opens, so its earlier answer is then out of date.
  func send(_ admission: Admission) -> Admission {
    let sent = log.send(admission)
    unsentCount -= 1
    if unsentCount == 0 {
      opensAt = nil
      isOutdated = isAsking
    }
    return sent
  }

  /// Gives an admission back. The limit may now open earlier than the last answer of the log
  /// indicated.
  func giveBack(_ admission: Admission) {
    log.withdraw(admission)
    unsentCount -= 1
    opensAt = nil
  }

  /// Records the server's own count. The limit may now open earlier or later than the last answer
  /// of the log indicated.
  func learn(_ lesson: LimitLesson, from admission: Admission) {
    log.learn(lesson, from: admission)
    opensAt = nil
  }

  /// Stops asking the log for admissions, because no request waits.
  func stop() {
    log.stopAsking()
    isAsking = false
    isOutdated = false
    opensAt = nil
    if let admission = granted.take() { log.withdraw(admission) }
  }
}
