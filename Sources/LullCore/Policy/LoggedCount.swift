/// What one limit of this process knows of a count that processes share: an admission that was granted and
/// that nobody has taken yet, or when to ask again. Home thread only.
final class LoggedCount {
  let log: any AdmissionLog
  /// Called when an answer has come on a later turn.
  var onAnswer: () -> Void = {}

  private let admissions: Admissions
  private var granted: Admission?
  private var isAsking = false
  /// Admitted here and not sent.
  private var unsentCount = 0
  /// Whether the answer under way is out of date when it arrives.
  private var isOutdated = false
  /// By the clock's `uptime`; nil: nothing is known.
  private var opensAt: Double?

  init(_ log: any AdmissionLog, _ admissions: Admissions) {
    self.log = log
    self.admissions = admissions
  }

  var isIdle: Bool { granted == nil && !isAsking }

  var opening: LimitOpening {
    if granted != nil { return .open }
    // Without a time, the answer that is under way opens it.
    return opensAt.map { .opens(after: max(0, $0 - admissions.uptime)) } ?? .closed
  }

  /// Asks unless there is an answer that still holds; one that comes at once is there afterwards.
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

  /// The span of one that was taken begins now. Once none is left, the log can say when it opens.
  func send(_ admission: Admission) -> Admission {
    let sent = log.send(admission)
    unsentCount -= 1
    if unsentCount == 0 {
      opensAt = nil
      isOutdated = isAsking
    }
    return sent
  }

  /// The next question may be answered earlier than was said.
  func giveBack(_ admission: Admission) {
    log.withdraw(admission)
    unsentCount -= 1
    opensAt = nil
  }

  /// The same, or later.
  func learn(_ lesson: LimitLesson, from admission: Admission) {
    log.learn(lesson, from: admission)
    opensAt = nil
  }

  /// Nobody waits any more.
  func stop() {
    log.stopAsking()
    isAsking = false
    isOutdated = false
    opensAt = nil
    if let admission = granted.take() { log.withdraw(admission) }
  }
}
