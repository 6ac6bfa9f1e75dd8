import LullCore

/// Who asks for admissions of one limit on a server: the calls of the script of limits, and what is answered.
struct LimitAsker {
  /// What the keys of the limit begin with.
  let tag: String
  /// What its place in the line is known by.
  let name = Hexadecimal.random(byteCount: 8)
  private let rule: [String]
  /// What the server counts this machine by.
  private let host: String
  /// What people are shown who look at the server's limits.
  private let label: [String]

  /// Entries in one call.
  private static let mostEntries = 500

  init(_ limit: RateLimit, _ key: LimitKey, tag: String, host: String) {
    self.tag = tag
    self.host = host
    // Nothing that the server could not find out by the tag.
    let digest = tag.filter(\.isHexDigit).suffix(8)
    label = [key.name, key.identity.isEmpty ? "" : String(digest)]
    rule = ["\(limit.requests)", LimitAsker.microseconds(limit.per)]
  }

  /// Of which a server counts no more than ten years.
  private static func microseconds(_ seconds: Double) -> String {
    "\(Int(min(max(0, seconds), 3.15e8) * 1e6))"
  }

  private func call(_ arguments: [String]) -> ScriptCall {
    LimitScript.call(arguments, tag: tag)
  }

  /// - Parameter more: the numbers of further admissions that are wanted, if no other process waits.
  func ask(_ number: Int64, more: [Int64] = []) -> ScriptCall {
    call(["ask", name] + rule + ["\(number)"] + label + [host] + more.map { "\($0)" })
  }

  /// Leaves the line, and gives back what was or may have been let through.
  func leave(_ numbers: [Int64] = []) -> ScriptCall {
    call(["leave", name] + numbers.map { "\($0)" })
  }

  /// Gives back what was or may have been let through.
  func withdraw(_ numbers: [Int64]) -> ScriptCall { call(["withdraw"] + numbers.map { "\($0)" }) }

  /// It goes on counting until it is sent, or the lease ends. Seconds.
  func hold(_ number: Int64, for lease: Double) -> ScriptCall {
    call(["hold", LimitAsker.microseconds(lease), "\(number)"])
  }

  /// The same, but when the lease ends it counts for a span: a byte of it may have gone out. Seconds.
  func begin(_ number: Int64, for lease: Double) -> ScriptCall {
    call(["begin", LimitAsker.microseconds(lease), "\(number)"])
  }

  /// Its span begins now, and so does that of the sender's rule.
  func send(_ number: Int64) -> ScriptCall { call(["send", "\(number)"] + rule) }

  /// What the server may not know: sent while it was away, or before it lost its memory.
  func enter(_ entries: [RecentAdmissions.Entry], now: Double) -> [ScriptCall] {
    stride(from: 0, to: entries.count, by: LimitAsker.mostEntries).map { start in
      let some = entries[start..<min(start + LimitAsker.mostEntries, entries.count)]
      return call(
        ["enter"] + rule
          + some.flatMap { ["\($0.number)", LimitAsker.microseconds(now - $0.time)] })
    }
  }

  /// - Parameter number: of the one whose answer says so; nil: of none, and it is as of now.
  func learn(_ lesson: LimitLesson, from number: Int64?) -> ScriptCall {
    call([
      "learn", number.map { "\($0)" } ?? "", lesson.isFree ? "1" : "0",
      lesson.budget.map { "\($0.left)" } ?? "",
      lesson.budget.map { LimitAsker.microseconds($0.resetsAfter) } ?? "",
      lesson.pause.map { LimitAsker.microseconds($0) } ?? "",
    ])
  }

  /// nil if the answer makes no sense.
  ///
  /// - Parameter more: how many more were asked for.
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

  /// How many were granted, as an answer says that makes sense.
  func grantedCount(_ value: RESPValue) -> Int { Int(clamping: value.array?.first?.integer ?? 0) }

  /// What all who share have learned, as such an answer says it; nil if that is nothing.
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

  /// How many hosts have asked for the limit lately, as such an answer says it; nil if it makes no sense.
  func hosts(_ value: RESPValue) -> Int? {
    value.array?.last?.integer.map { Int(clamping: $0) }
  }
}
