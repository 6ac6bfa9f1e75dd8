import LullCore
import LullSystem

/// Requests admissions that are counted in a file. Home thread only.
///
/// Operations that need no waiting run immediately, on the home thread. While another process or
/// thread uses the file, they run in the pool.
final class FileAdmissionLog: AdmissionLog {
  private let jobs: FileJobs<LimitFile>
  // Retained until the end, when unsent admissions are given back.
  private let pump: Pump
  private let makeOther: () -> any AdmissionLog
  private var asker: LimitTables.Asker
  /// The IDs of admissions that were granted and are not sent yet.
  private var unsent: Set<Int64> = []
  /// The IDs in `unsent` of admissions for whose requests a byte may have been sent.
  private var begun: Set<Int64> = []
  /// Counts the calls for an admission, to recognise a late answer.
  private var question = 0
  private var isAsking = false
  /// The log in memory, which is used if the file cannot be used; nil if it was never needed.
  private var other: (any AdmissionLog)?
  /// Whether the log in memory is used now, instead of the file.
  private var usesOther = false
  /// When to try the file again, in seconds of uptime.
  private var triesAgainAt = 0.0
  /// Seconds between two attempts to use the file.
  private let pause: Double

  init(
    _ limit: RateLimit, _ key: LimitKey, _ jobs: FileJobs<LimitFile>, _ pump: Pump,
    tryingAgainAfter pause: Double = LimitFile.rest,
    otherwise makeOther: @escaping () -> any AdmissionLog
  ) {
    self.pause = pause
    self.jobs = jobs
    self.pump = pump
    self.makeOther = makeOther
    asker = LimitTables.Asker(key: key, requests: limit.requests, per: limit.per)
  }

  deinit {
    guard asker.ticket != nil || !unsent.isEmpty else { return }
    let (asker, unsent, begun) = (asker, Array(unsent.subtracting(begun)), Array(begun))
    jobs.submit(to: pump.workers) { file in
      FileAdmissionLog.giveBack(file, asker, unsent, sending: begun)
    }
  }

  // MARK: Requesting admissions

  func ask(_ answer: @escaping (AdmissionAnswer) -> Void) {
    if usesOther {
      guard SystemClock.uptime >= triesAgainAt else {
        other?.ask(answer)
        return
      }
      other?.stopAsking()
      usesOther = false
    }
    question += 1
    let now = jobs.doNow(or: pump.workers) { [asker] file in
      FileAdmissionLog.ask(file, asker, waiting: false)
    }
    if let now {
      asker = now.asker
      return take(now, answer)
    }
    isAsking = true
    let number = question
    let report = pump.receiver { [weak self, jobs, pump] (result: Answer?) in
      if let self { return arrived(result, of: number, answer) }
      // This object was released during the request, so a granted admission is given back.
      guard let result else { return }
      var numbers: [Int64] = []
      if case .granted(let admission) = result.result { numbers = [admission.number] }
      jobs.submit(to: pump.workers) { [numbers] file in
        FileAdmissionLog.giveBack(file, result.asker, numbers)
      }
    }
    jobs.submit(to: pump.workers) { [asker] file in
      report(FileAdmissionLog.ask(file, asker, waiting: true))
    }
  }

  private struct Answer: Sendable {
    let asker: LimitTables.Asker
    let result: AdmissionAnswer
  }

  private static func ask(
    _ file: LimitFile, _ asker: LimitTables.Asker, waiting: Bool
  ) -> Answer? {
    file.change(waiting: waiting) { (tables) throws(SQLiteError) in
      var asker = asker
      let result = try tables.ask(&asker, now: BootTime.now)
      return Answer(asker: asker, result: result)
    }
  }

  private func arrived(
    _ result: Answer?, of number: Int, _ answer: @escaping (AdmissionAnswer) -> Void
  ) {
    guard let result else {
      guard number == question else { return }
      isAsking = false
      let other = other ?? makeOther()
      self.other = other
      usesOther = true
      triesAgainAt = SystemClock.uptime + pause
      return other.ask(answer)
    }
    guard number == question else {
      // The caller has stopped waiting.
      if case .granted(let admission) = result.result { giveBack([admission.number]) }
      return leave(result.asker)
    }
    asker = result.asker
    isAsking = false
    take(result, answer)
  }

  private func take(_ result: Answer, _ answer: (AdmissionAnswer) -> Void) {
    if case .granted(let admission) = result.result { unsent.insert(admission.number) }
    answer(result.result)
  }

  func stopAsking() {
    if usesOther {
      other?.stopAsking()
      return
    }
    question += 1
    // If a request is running, the queue is left when its result has arrived.
    if !isAsking { leave(asker) }
    asker.ticket = nil
    isAsking = false
  }

  private func leave(_ leaving: LimitTables.Asker) {
    guard leaving.ticket != nil else { return }
    change { (tables) throws(SQLiteError) in
      var leaving = leaving
      try tables.stopAsking(&leaving)
    }
  }

  // MARK: Granted admissions

  func begin(_ admission: Admission) {
    guard unsent.contains(admission.number) else {
      other?.begin(admission)
      return
    }
    guard begun.insert(admission.number).inserted else { return }
    change { (tables) throws(SQLiteError) in try tables.begin(admission) }
  }

  func send(_ admission: Admission) -> Admission {
    guard unsent.remove(admission.number) != nil else {
      return other?.send(admission) ?? admission
    }
    begun.remove(admission.number)
    let (asker, now) = (asker, BootTime.now)
    change { (tables) throws(SQLiteError) in try tables.send(admission, by: asker, now: now) }
    return admission
  }

  func withdraw(_ admission: Admission) {
    guard unsent.remove(admission.number) != nil else {
      other?.withdraw(admission)
      return
    }
    begun.remove(admission.number)
    giveBack([admission.number])
  }

  func learn(_ lesson: LimitLesson, from admission: Admission) {
    if usesOther, let other {
      // An admission that the file has counted cannot be given back to the log in memory.
      let isOurs = admission.number > LimitSchema.firstNumber
      let lesson =
        isOurs ? LimitLesson(budget: lesson.budget, pause: lesson.pause) : lesson
      return other.learn(lesson, from: admission)
    }
    let key = asker.key
    change { (tables) throws(SQLiteError) in
      try tables.learn(lesson, from: admission, of: key, now: BootTime.now)
    }
  }

  private func giveBack(_ numbers: [Int64]) {
    change { (tables) throws(SQLiteError) in
      for number in numbers { try tables.withdraw(Admission(number: number)) }
    }
  }

  private static func giveBack(
    _ file: LimitFile, _ asker: LimitTables.Asker, _ numbers: [Int64], sending begun: [Int64] = []
  ) {
    _ = file.change(waiting: true) { (tables) throws(SQLiteError) in
      for number in begun {
        try tables.send(Admission(number: number), by: asker, now: BootTime.now)
      }
      var asker = asker
      try tables.stopAsking(&asker)
      for number in numbers { try tables.withdraw(Admission(number: number)) }
    }
  }

  /// Changes the tables: immediately if possible, otherwise later, in the order of the calls.
  private func change(
    _ body: @escaping @Sendable (LimitTables) throws(SQLiteError) -> Void
  ) {
    let done: Void? = jobs.doNow(or: pump.workers) { $0.change(waiting: false, body) }
    guard done == nil else { return }
    jobs.submit(to: pump.workers) { file in _ = file.change(waiting: true, body) }
  }
}
