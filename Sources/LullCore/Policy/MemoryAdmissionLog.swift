/// Obtains admissions of a rate limit whose count is kept in memory. Home thread only.
final class MemoryAdmissionLog: AdmissionLog {
  let limit: RateLimit
  private let count: MemoryCount

  init(_ limit: RateLimit, _ count: MemoryCount) {
    self.limit = limit
    self.count = count
  }

  deinit { count.stopAsking(self) }

  func ask(_ answer: @escaping (AdmissionAnswer) -> Void) { count.ask(self, answer) }
  func stopAsking() { count.stopAsking(self) }
  /// Does nothing, because a count in memory ends with the process.
  func begin(_ admission: Admission) {}
  func send(_ admission: Admission) -> Admission { count.send(by: limit) }
  func withdraw(_ admission: Admission) { count.withdraw() }

  func learn(_ lesson: LimitLesson, from admission: Admission) {
    count.learn(lesson, from: admission)
  }
}
