import LullCore

/// Makes the script calls with which one caller requests admissions of one limit from the shared
/// server, and parses the replies.
struct LimitAsker {
  /// The prefix of the limit's keys.
  let tag: String
  /// A random text that identifies the caller in the queue.
  let name = Hexadecimal.random(byteCount: 8)
  private let rule: [String]
  /// Identifies this machine on the server.
  private let host: String
  /// The limit's name and a digest, which are shown to users who inspect the server's limits.
  private let label: [String]

  /// The maximum number of entries in one call.
  private static let mostEntries = 500

  init(_ limit: RateLimit, _ key: LimitKey, tag: String, host: String) {
    self.tag = tag
    self.host = host
    // The digest is a part of the tag, so it reveals nothing new to the server.
    let digest = tag.filter(\.isHexDigit).suffix(8)
    label = [key.name, key.identity.isEmpty ? "" : String(digest)]
    rule = ["\(limit.requests)", LimitAsker.microseconds(limit.per)]
  }

  /// Converts seconds to microseconds, at most ten years.
  private static func microseconds(_ seconds: Double) -> String {
    "\(Int(min(max(0, seconds), 3.15e8) * 1e6))"
  }

  private func call(_ arguments: [String]) -> ScriptCall {
    LimitScript.call(arguments, tag: tag)
  }

  /// Requests an admission with the ID `number`.
  ///
  /// - Parameter more: The IDs of further admissions, which are granted only if no other process
  ///   waits.
  func ask(_ number: Int64, more: [Int64] = []) -> ScriptCall {
    call(["ask", name] + rule + ["\(number)"] + label + [host] + more.map { "\($0)" })
  }

  /// Leaves the server's queue, and gives back admissions that the server has granted or may have
  /// granted.
  func leave(_ numbers: [Int64] = []) -> ScriptCall {
    call(["leave", name] + numbers.map { "\($0)" })
  }

  /// Gives back admissions that the server has granted or may have granted.
  func withdraw(_ numbers: [Int64]) -> ScriptCall { call(["withdraw"] + numbers.map { "\($0)" }) }

  /// Keeps an unsent admission counted until it is sent, or until `lease` seconds have passed.
  func hold(_ number: Int64, for lease: Double) -> ScriptCall {
    call(["hold", LimitAsker.microseconds(lease), "\(number)"])
  }

  /// Like `hold`, but for an admission of whose request a byte may have been sent. When the lease,
  /// which is in seconds, ends, the admission counts for a full period.
  func begin(_ number: Int64, for lease: Double) -> ScriptCall {
    call(["begin", LimitAsker.microseconds(lease), "\(number)"])
  }

  /// Reports that the request of an admission is sent, which starts the period of the admission.
  /// Also registers the sender's rule again.
  func send(_ number: Int64) -> ScriptCall { call(["send", "\(number)"] + rule) }

  /// Records admissions that the server may not know. They were sent while the server was
  /// unavailable, or before the server lost its data.
  func enter(_ entries: [RecentAdmissions.Entry], now: Double) -> [ScriptCall] {
    stride(from: 0, to: entries.count, by: LimitAsker.mostEntries).map { start in
      let some = entries[start..<min(start + LimitAsker.mostEntries, entries.count)]
      return call(
        ["enter"] + rule
          + some.flatMap { ["\($0.number)", LimitAsker.microseconds(now - $0.time)] })
    }
  }

  /// Reports to the server what a response has revealed about the limit.
  ///
  /// - Parameter number: The ID of the admission whose response contained the lesson. If the ID is
  ///   nil, the lesson already accounts for all sent admissions.
  func learn(_ lesson: LimitLesson, from number: Int64?) -> ScriptCall {
    call([
      "learn", number.map { "\($0)" } ?? "", lesson.isFree ? "1" : "0",
      lesson.budget.map { "\($0.left)" } ?? "",
      lesson.budget.map { LimitAsker.microseconds($0.resetsAfter) } ?? "",
      lesson.pause.map { LimitAsker.microseconds($0) } ?? "",
    ])
  }

  /// Parses the reply of `ask`. Returns nil for an invalid reply.
  ///
  /// - Parameter more: The number of further admissions that were requested.
  func answer(_ value: RESPValue, to number: Int64, more: Int = 0) -> AdmissionAnswer? {
    guard let parts = value.array, let granted = parts.first?.integer else { return nil }
    if granted > 0, granted <= more + 1, [2, 5].contains(parts.count) {
      return .granted(Admission(number: number))
    }
    guard granted == 0, [3, 6].contains(parts.count), let microseconds = parts[1].integer,
      (0...60_000_000).contains(microseconds)
    else { return nil }
    return .opens(after: Double(microseconds) / 1e6)
  }

  /// The number of granted admissions in a valid reply.
  func grantedCount(_ value: RESPValue) -> Int { Int(clamping: value.array?.first?.integer ?? 0) }

  /// Returns the lesson in a valid reply: the state of the limit, which all hosts share. Returns
  /// nil if the reply contains no lesson.
  func lesson(_ value: RESPValue) -> LimitLesson? {
    guard let parts = value.array, parts.count > 4 else { return nil }
    let numbers = parts.suffix(4).map { $0.integer ?? -1 }
    let (left, resets, pause) = (numbers[0], numbers[1], numbers[2])
    guard left >= 0 || pause > 0 else { return nil }
    return LimitLesson(
      budget: left >= 0
        ? .init(left: Int(clamping: left), resetsAfter: Double(max(0, resets)) / 1e6) : nil,
      pause: pause > 0 ? Double(pause) / 1e6 : nil)
  }

  /// Returns the number of hosts that requested admissions of this limit recently; nil for an
  /// invalid reply.
  func hosts(_ value: RESPValue) -> Int? {
    value.array?.last?.integer.map { Int(clamping: $0) }
  }
}
