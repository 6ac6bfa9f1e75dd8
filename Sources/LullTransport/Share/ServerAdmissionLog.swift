import LullCore
import LullSystem

/// Somebody who asks for admissions that a server counts, and of this machine alone while the server cannot be
/// asked. Home thread only.
final class ServerAdmissionLog: AdmissionLog {
  private let client: ShareClient
  private let pump: Pump
  private let asker: LimitAsker
  private let makeLocal: () -> any AdmissionLog
  private lazy var local = makeLocal()
  private var isInLocalLine = false
  /// Those let through and not sent, by number: since when they count, nil of those that count until they are
  /// sent.
  private var unsent: [Int64: Double?] = [:]
  /// Counts questions, so that a late answer is known.
  private var question = 0
  /// What the question under way may be granted.
  private var asked: Int64?
  /// Whether it stands in the line of the server.
  private var isInLine = false
  private var renewal: (any HostTimer)?

  /// How much later something may be sent than it was let through, in seconds, without being noted.
  private static let tolerance = 0.005
  /// What is let through and not sent is given back when its process has said nothing for so long. Seconds.
  private static let lease = 30.0

  init(
    _ limit: RateLimit, tag: String, _ client: ShareClient, _ pump: Pump,
    locally makeLocal: @escaping () -> any AdmissionLog
  ) {
    self.client = client
    self.pump = pump
    self.makeLocal = makeLocal
    asker = LimitAsker(limit, tag: tag)
  }

  deinit {
    renewal?.cancel()
    let numbers = Array(unsent.keys) + (asked.map { [$0] } ?? [])
    guard isInLine || !numbers.isEmpty else { return }
    client.post(asker.leave(numbers))
  }

  // MARK: Asking

  func ask(_ answer: @escaping (AdmissionAnswer) -> Void) {
    question += 1
    guard client.isUsable else { return askLocally(answer) }
    let (number, admission) = (question, client.makeNumber())
    asked = admission
    client.run(asker.ask(admission)) { [weak self, client, asker] outcome in
      guard let self, number == question else {
        // It may have been let through.
        return client.post(asker.withdraw([admission]))
      }
      asked = nil
      arrived(outcome, of: admission, answer)
    }
  }

  private func arrived(
    _ outcome: ShareLink.Outcome, of number: Int64,
    _ answer: @escaping (AdmissionAnswer) -> Void
  ) {
    guard case .reply(let value) = outcome else {
      // The question may be answered yet.
      client.post(asker.leave([number]))
      isInLine = false
      return askLocally(answer)
    }
    guard let result = asker.answer(value, to: number) else {
      client.refuse("what it says about a limit makes no sense")
      return askLocally(answer)
    }
    leaveLocal()
    if case .granted = result {
      isInLine = false
      unsent[number] = .some(pump.clock.uptime)
      // What waits for credentials now is sent later.
      pump.enqueue { [weak self] in self?.keep(number) }
    } else {
      isInLine = true
    }
    answer(result)
  }

  private func askLocally(_ answer: @escaping (AdmissionAnswer) -> Void) {
    isInLocalLine = true
    local.ask { [weak self] result in
      if case .granted = result { self?.isInLocalLine = false }
      answer(result)
    }
  }

  private func leaveLocal() {
    guard isInLocalLine else { return }
    isInLocalLine = false
    local.stopAsking()
  }

  func stopAsking() {
    question += 1
    leaveLocal()
    // Behind the question that is under way.
    if isInLine || asked != nil { client.post(asker.leave(asked.map { [$0] } ?? [])) }
    isInLine = false
    asked = nil
  }

  // MARK: What was let through

  /// Those of the server have numbers below zero.
  private func isOfServer(_ admission: Admission) -> Bool { admission.number < 0 }

  private func keep(_ number: Int64) {
    guard let since = unsent[number], since != nil else { return }
    unsent[number] = .some(nil)
    hold(number)
    renewLater()
  }

  private func hold(_ number: Int64) {
    client.post(asker.hold(number, for: ServerAdmissionLog.lease))
  }

  /// As long as this process lives.
  private func renewLater() {
    guard renewal == nil else { return }
    renewal = pump.clock.schedule(after: ServerAdmissionLog.lease / 3) { [weak self] in
      guard let self else { return }
      renewal = nil
      let kept = unsent.filter { $0.value == nil }.keys
      for number in kept { hold(number) }
      if !kept.isEmpty { renewLater() }
    }
  }

  func send(_ admission: Admission) -> Admission {
    guard isOfServer(admission) else { return local.send(admission) }
    guard let since = unsent.removeValue(forKey: admission.number) else { return admission }
    if let since, pump.clock.uptime - since < ServerAdmissionLog.tolerance { return admission }
    client.post(asker.send(admission.number))
    return admission
  }

  func withdraw(_ admission: Admission) {
    guard isOfServer(admission) else { return local.withdraw(admission) }
    unsent[admission.number] = nil
    client.post(asker.withdraw([admission.number]))
  }

  func learn(_ lesson: LimitLesson, from admission: Admission) {
    guard isOfServer(admission) else { return local.learn(lesson, from: admission) }
    client.post(asker.learn(lesson, from: admission.number))
  }
}
