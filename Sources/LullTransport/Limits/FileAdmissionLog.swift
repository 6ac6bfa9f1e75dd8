import LullCore
import LullSystem

/// Somebody who asks for admissions that are counted in a file. Home thread only.
///
/// What takes no waiting is done at once, on the home thread; while another process is at the file, or a
/// thread of this one, in the pool.
final class FileAdmissionLog: AdmissionLog {
  private let jobs: FileJobs<LimitFile>
  // Needed to the end, when what is left is given back.
  private let pump: Pump
  private let makeOther: () -> any AdmissionLog
  private var asker: LimitTables.Asker
  /// Those let through and not sent, by number: since when they count, nil of those that count until they
  /// are sent.
  private var unsent: [Int64: Double?] = [:]
  /// Counts questions, so that a late answer is known.
  private var question = 0
  private var isAsking = false
  /// In memory, once the file cannot be used.
  private var other: (any AdmissionLog)?

  /// How much later something may be sent than it was let through, in seconds, without being noted.
  private static let tolerance = 0.002

  init(
    _ limit: RateLimit, _ key: LimitKey, _ jobs: FileJobs<LimitFile>, _ pump: Pump,
    otherwise makeOther: @escaping () -> any AdmissionLog
  ) {
    self.jobs = jobs
    self.pump = pump
    self.makeOther = makeOther
    asker = LimitTables.Asker(key: key, requests: limit.requests, per: limit.per)
  }

  deinit {
    guard asker.ticket != nil || !unsent.isEmpty else { return }
    let (asker, unsent) = (asker, Array(unsent.keys))
    jobs.submit(to: pump.workers) { file in
      FileAdmissionLog.giveBack(file, asker, unsent)
    }
  }

  // MARK: Asking

  func ask(_ answer: @escaping (AdmissionAnswer) -> Void) {
    if let other { return other.ask(answer) }
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
      // It went while it asked.
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
    /// Since when what it grants counts.
    let time: Double
  }

  private static func ask(
    _ file: LimitFile, _ asker: LimitTables.Asker, waiting: Bool
  ) -> Answer? {
    file.change(waiting: waiting) { (tables) throws(SQLiteError) in
      var asker = asker
      let now = BootTime.now
      let result = try tables.ask(&asker, now: now)
      return Answer(asker: asker, result: result, time: now)
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
      return other.ask(answer)
    }
    guard number == question else {
      // Nobody waits for it any more.
      if case .granted(let admission) = result.result { giveBack([admission.number]) }
      return leave(result.asker)
    }
    asker = result.asker
    isAsking = false
    take(result, answer)
  }

  private func take(_ result: Answer, _ answer: (AdmissionAnswer) -> Void) {
    if case .granted(let admission) = result.result {
      unsent[admission.number] = .some(result.time)
      // What waits for credentials now is sent later.
      pump.enqueue { [weak self] in self?.keep(admission) }
    }
    answer(result.result)
  }

  func stopAsking() {
    if let other { return other.stopAsking() }
    question += 1
    // While it asks, the answer says what there is to leave.
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

  // MARK: What was let through

  private func keep(_ admission: Admission) {
    guard let since = unsent[admission.number], since != nil else { return }
    unsent[admission.number] = .some(nil)
    let key = asker.key
    change { (tables) throws(SQLiteError) in try tables.keep(admission, of: key) }
  }

  func send(_ admission: Admission) -> Admission {
    guard let since = unsent.removeValue(forKey: admission.number) else {
      return other?.send(admission) ?? admission
    }
    let now = BootTime.now
    if let since, now - since < FileAdmissionLog.tolerance { return admission }
    let key = asker.key
    change { (tables) throws(SQLiteError) in try tables.send(admission, of: key, now: now) }
    return admission
  }

  func withdraw(_ admission: Admission) {
    guard unsent.removeValue(forKey: admission.number) != nil else {
      other?.withdraw(admission)
      return
    }
    giveBack([admission.number])
  }

  func learn(_ lesson: LimitLesson, from admission: Admission) {
    if let other {
      // What the file has counted is none of memory's to give back.
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

  private static func giveBack(_ file: LimitFile, _ asker: LimitTables.Asker, _ numbers: [Int64]) {
    _ = file.change(waiting: true) { (tables) throws(SQLiteError) in
      var asker = asker
      try tables.stopAsking(&asker)
      for number in numbers { try tables.withdraw(Admission(number: number)) }
    }
  }

  /// At once, or else soon and in order.
  private func change(
    _ body: @escaping @Sendable (LimitTables) throws(SQLiteError) -> Void
  ) {
    let done: Void? = jobs.doNow(or: pump.workers) { $0.change(waiting: false, body) }
    guard done == nil else { return }
    jobs.submit(to: pump.workers) { file in _ = file.change(waiting: true, body) }
  }
}
