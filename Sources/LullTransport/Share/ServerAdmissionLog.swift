import LullCore
import LullSystem

/// Requests admissions from a server, or from this machine's own log while the server is
/// unavailable. Home thread only.
final class ServerAdmissionLog: AdmissionLog {
  private let client: ShareClient
  private let pump: Pump
  private let asker: LimitAsker
  private let machine: MachineLimits
  private let limit: RateLimit
  /// The limit's key on this machine.
  private let key: LimitKey
  /// This machine's own log, with the part of the limit that it counts while the server is
  /// unavailable; nil while the server is used.
  private var local: (part: RateLimit, log: any AdmissionLog)?
  private var isInLocalLine = false
  /// An admission that this machine's log has granted and that is not sent yet. Contains the log,
  /// and the ID of an admission that the server may have granted too late; nil for none.
  private struct LocalGrant {
    let log: any AdmissionLog
    let number: Int64?
  }

  private var localUnsent: [Int64: LocalGrant] = [:]
  /// The ID of the last requested admission to which the server did not reply in time. The server
  /// may have granted the admission. nil if there is none.
  private var outstanding: Int64?
  /// The admissions that were sent recently, granted by the server or by this machine.
  private var recent: RecentAdmissions
  /// The client's `readyCount` when `recent` was last reported to the server, and whether `recent`
  /// has entries that were not reported since.
  private var toldAt = 0
  private var hasUntold = false
  /// The state of the limit as learned from responses, which is passed to the next log. Its times
  /// are in the clock's uptime.
  private var learned = LearnedLimit()
  /// The IDs of admissions that must still be given back to the server.
  private var free: [Int64] = []
  /// The time until which the server is not asked about this limit, in the clock's uptime.
  private var restsUntil = -Double.infinity
  /// The IDs of admissions that the server has granted and that are not sent yet.
  private var unsent: Set<Int64> = []
  /// The IDs in `unsent` of admissions for whose requests a byte may have been sent.
  private var begun: Set<Int64> = []
  /// Counts the requests for admissions, to recognise a late reply.
  private var question = 0
  /// The IDs of the admissions that are being requested now.
  private var asked: [Int64] = []
  /// The IDs of admissions that the server has granted in addition to a requested admission. They
  /// serve the next calls of `ask` without another round trip.
  private var spare: [Int64] = []
  private var spareTimer: (any HostTimer)?
  /// How many admissions the next request asks for. This grows while the server is far away and all
  /// granted admissions are used.
  private var batch = 1
  /// Whether the caller is in the server's queue.
  private var isInLine = false
  private var renewal: (any HostTimer)?

  /// Seconds after which the server takes back a granted, unsent admission if its process has not
  /// renewed the lease. The script contains the same number.
  private static let lease = 30.0
  /// Seconds for which the server is not asked after its data for this limit proved unusable.
  private static let rest = 5.0
  /// A reply time in seconds. A server that replies in less time is asked for only one admission at
  /// a time.
  private static let nearby = 0.01
  /// The time in seconds after which spare admissions are given back, so that other processes can
  /// use them.
  private static let mostSpareTime = 1.0

  init(
    _ limit: RateLimit, _ key: LimitKey, _ client: ShareClient, _ pump: Pump,
    machine: MachineLimits
  ) {
    self.client = client
    self.pump = pump
    self.machine = machine
    self.limit = limit
    self.key = key
    recent = RecentAdmissions(per: limit.per)
    asker = LimitAsker(limit, key, tag: client.tag(of: key), host: client.host)
  }

  deinit {
    renewal?.cancel()
    spareTimer?.cancel()
    for number in begun { client.post(asker.send(number)) }
    let numbers =
      Array(unsent.subtracting(begun)) + asked + [outstanding].compactMap { $0 }
      + localUnsent.values.compactMap(\.number)
    guard isInLine || !numbers.isEmpty else { return }
    client.post(asker.leave(numbers))
  }

  // MARK: Requesting admissions

  func ask(_ answer: @escaping (AdmissionAnswer) -> Void) {
    question += 1
    if let number = spare.popLast() { return answer(.granted(Admission(number: number))) }
    guard client.isUsable(asker.tag), pump.clock.uptime >= restsUntil else {
      return askLocally(answer)
    }
    leaveLocal()
    local = nil
    tellOfRecent()
    let (number, numbers) = (question, (0..<batch).map { _ in client.makeNumber() })
    asked = numbers
    let askedAt = pump.clock.uptime
    client.run(asker.ask(numbers[0], more: Array(numbers.dropFirst()))) {
      [weak self, client, asker] outcome in
      guard let self, number == question else {
        // The numbers may have been granted, so they are given back.
        client.post(asker.withdraw(numbers))
        return
      }
      asked = []
      arrived(outcome, of: numbers, after: pump.clock.uptime - askedAt, answer)
    }
  }

  private func arrived(
    _ outcome: ShareLink.Outcome, of numbers: [Int64], after time: Double,
    _ answer: @escaping (AdmissionAnswer) -> Void
  ) {
    let number = numbers[0]
    let more = Array(numbers.dropFirst())
    guard case .reply(let value) = outcome else {
      batch = 1
      if case .damaged = outcome {
        restsUntil = pump.clock.uptime + ServerAdmissionLog.rest
      } else {
        // The server may still grant the first number. That grant then counts for the admission
        // that this machine's log grants.
        if !client.post(asker.leave(more)) { free += more }
        outstanding = number
      }
      isInLine = false
      return askLocally(answer)
    }
    guard let result = asker.answer(value, to: number, more: more.count) else {
      client.refuse(asker.tag, "its response about a limit is invalid")
      return askLocally(answer)
    }
    if let hosts = asker.hosts(value) { client.heard(hosts: hosts) }
    leaveLocal()
    var isGranted = false
    if case .granted = result { isGranted = true }
    if let lesson = asker.lesson(value) {
      // The server has already subtracted the granted admissions. Sending them will subtract them
      // again, so they are added here.
      let granted = asker.grantedCount(value)
      learned.learn(lesson, now: pump.clock.uptime, sentSince: -granted)
    }
    if isGranted {
      isInLine = false
      let granted = numbers.prefix(asker.grantedCount(value))
      unsent.formUnion(granted)
      keep(spare: Array(granted.dropFirst()))
      batch = time > ServerAdmissionLog.nearby ? min(2 * batch, max(1, limit.requests / 2), 64) : 1
      renewLater()
    } else {
      isInLine = true
    }
    answer(result)
  }

  private func keep(spare numbers: [Int64]) {
    spare = numbers.reversed()
    spareTimer?.cancel()
    spareTimer = nil
    guard !spare.isEmpty else { return }
    spareTimer = pump.clock.schedule(after: ServerAdmissionLog.mostSpareTime) { [weak self] in
      self?.giveBackSpare()
    }
  }

  private func giveBackSpare() {
    spareTimer?.cancel()
    spareTimer = nil
    guard !spare.isEmpty else { return }
    batch = 1
    let numbers = spare
    spare = []
    unsent.subtract(numbers)
    if !client.post(asker.withdraw(numbers)) { free += numbers }
  }

  private func askLocally(_ answer: @escaping (AdmissionAnswer) -> Void) {
    isInLocalLine = true
    let log = localLog()
    log.ask { [weak self] result in
      if let self {
        if case .granted(let admission) = result {
          isInLocalLine = false
          localUnsent[admission.number] = LocalGrant(log: log, number: outstanding)
          outstanding = nil
        } else {
          giveBackOutstanding()
        }
      }
      answer(result)
    }
  }

  /// Reports to the server that an admission from this machine's log is sent now. Returns the ID of
  /// the admission on the server, even if the server learns that ID only later.
  ///
  /// - Parameter known: The ID of an admission that the server may have granted too late, to be
  ///   used for this admission; nil if there is none.
  private func tell(_ known: Int64?) -> Int64 {
    let number = known ?? client.makeNumber()
    // If the server is only slow, it counts the admission before it handles the next request.
    if client.post(asker.send(number)) { return number }
    hasUntold = true
    guard let known else { return number }
    // The admission must count from the time it is sent, which cannot be reported while the server
    // is unavailable. So `known` is given back later, and the admission is recorded under a new
    // number.
    free.append(known)
    return client.makeNumber()
  }

  /// Gives back the admission with the ID `outstanding`, which the server may have granted too
  /// late.
  private func giveBackOutstanding() {
    if let number = outstanding.take() { giveBack(number) }
  }

  private func giveBack(_ number: Int64) {
    if !client.post(asker.withdraw([number])) { free.append(number) }
  }

  /// Returns the log for this machine's current part of the limit.
  private func localLog() -> any AdmissionLog {
    let part = client.part(of: limit)
    if let local, local.part == part { return local.log }
    leaveLocal()
    // Admissions that the server has granted count in this log too.
    let (now, boot) = (pump.clock.uptime, BootTime.now)
    let sent = recent.current(now: now).filter { $0.local == nil }
      .map { (number: $0.number, time: boot - (now - $0.time)) }
    machine.note(sent, of: key)
    let log = machine.makeLog(of: part, key)
    if let lesson = learned.lesson(now: now) {
      // The highest number means that the lesson came after all sent admissions.
      log.learn(lesson, from: Admission(number: .max))
    }
    local = (part, log)
    return log
  }

  /// Reports admissions that the server may not know because it was unavailable or has lost its
  /// data.
  private func tellOfRecent() {
    guard client.readyCount != toldAt || hasUntold else { return }
    toldAt = client.readyCount
    hasUntold = false
    let now = pump.clock.uptime
    for call in asker.enter(recent.current(now: now), now: now) { client.post(call) }
    holdUnsent()
    if !free.isEmpty { client.post(asker.withdraw(free)) }
    free = []
    if let lesson = learned.lesson(now: now) { client.post(asker.learn(lesson, from: nil)) }
  }

  private func leaveLocal() {
    guard isInLocalLine else { return }
    isInLocalLine = false
    local?.log.stopAsking()
  }

  func stopAsking() {
    question += 1
    leaveLocal()
    giveBackOutstanding()
    giveBackSpare()
    batch = 1
    // The server handles this call after the current request.
    if isInLine || !asked.isEmpty { client.post(asker.leave(asked)) }
    isInLine = false
    asked = []
  }

  // MARK: Granted admissions

  /// Whether the server has granted the admission. The server's admissions have negative IDs.
  private func isOfServer(_ admission: Admission) -> Bool { admission.number < 0 }

  /// Schedules the next renewal of the leases, as long as there are unsent admissions.
  private func renewLater() {
    guard renewal == nil else { return }
    renewal = pump.clock.schedule(after: ServerAdmissionLog.lease / 3) { [weak self] in
      guard let self else { return }
      renewal = nil
      holdUnsent()
      if !unsent.isEmpty { renewLater() }
    }
  }

  private func holdUnsent() {
    for number in unsent {
      let lease = ServerAdmissionLog.lease
      client.post(
        begun.contains(number) ? asker.begin(number, for: lease) : asker.hold(number, for: lease))
    }
  }

  func begin(_ admission: Admission) {
    guard isOfServer(admission) else {
      localUnsent[admission.number]?.log.begin(admission)
      return
    }
    guard unsent.contains(admission.number), begun.insert(admission.number).inserted else { return }
    client.post(asker.begin(admission.number, for: ServerAdmissionLog.lease))
  }

  func send(_ admission: Admission) -> Admission {
    let now = pump.clock.uptime
    learned.send()
    guard isOfServer(admission) else {
      let grant = localUnsent.removeValue(forKey: admission.number)
      let sent = grant?.log.send(admission) ?? admission
      // The admission's number on the server, even if the server learns that number only later.
      let number = tell(grant?.number)
      recent.append(number, now: now, local: sent.number)
      return Admission(number: number)
    }
    recent.append(admission.number, now: now)
    unsent.remove(admission.number)
    begun.remove(admission.number)
    if !client.post(asker.send(admission.number)) {
      hasUntold = true
      // This machine's log, which counts while the server is unavailable, must count the admission
      // too.
      if local != nil { machine.note([(admission.number, BootTime.now)], of: key) }
    }
    return admission
  }

  func withdraw(_ admission: Admission) {
    guard isOfServer(admission) else {
      guard let grant = localUnsent.removeValue(forKey: admission.number) else { return }
      grant.log.withdraw(admission)
      if let number = grant.number { giveBack(number) }
      return
    }
    unsent.remove(admission.number)
    begun.remove(admission.number)
    client.post(asker.withdraw([admission.number]))
  }

  func learn(_ lesson: LimitLesson, from admission: Admission) {
    let found = recent.find(admission.number)
    learned.learn(lesson, now: pump.clock.uptime, sentSince: found?.sentSince ?? 0)
    if lesson.isFree { recent.remove(admission.number) }
    if let local {
      let number = found?.entry.local ?? admission.number
      local.log.learn(lesson, from: Admission(number: number))
    }
    // The server may not know this admission yet.
    if client.isUsable(asker.tag) { tellOfRecent() }
    if !client.post(asker.learn(lesson, from: admission.number)), lesson.isFree {
      free.append(admission.number)
    }
  }
}
