import LullCore

/// One operation on a limit that a server keeps, as the script of limits is called for it.
struct LimitCall {
  /// What one limit's keys begin with; the part in braces decides where a cluster keeps them.
  let tag: String
  let arguments: [String]

  /// Microseconds, of which a server counts no more than ten years.
  static func microseconds(_ seconds: Double) -> String {
    "\(Int(min(max(0, seconds), 3.15e8) * 1e6))"
  }

  func command(byDigest: Bool) -> RESPCommand {
    let digest = byDigest ? LimitScript.digest : nil
    var words = digest.map { ["EVALSHA", $0] } ?? ["EVAL", LimitScript.text]
    words.append("\(LimitScript.keyNames.count)")
    words += LimitScript.keyNames.map { "\(tag):\($0)" }
    words += arguments
    return RESPCommand(words.map { Array($0.utf8) })
  }
}

/// Who asks for admissions of one limit on a server.
struct LimitAsker {
  let tag: String
  /// What its place in the line is known by.
  let name = Hexadecimal.random(byteCount: 8)
  private let rule: [String]

  init(_ limit: RateLimit, tag: String) {
    self.tag = tag
    rule = ["\(limit.requests)", LimitCall.microseconds(limit.per)]
  }

  func ask(_ number: Int64) -> LimitCall {
    LimitCall(tag: tag, arguments: ["ask", name] + rule + ["\(number)"])
  }

  /// Leaves the line, and gives back what was or may have been let through.
  func leave(_ numbers: [Int64] = []) -> LimitCall {
    LimitCall(tag: tag, arguments: ["leave", name] + numbers.map { "\($0)" })
  }

  /// Gives back what was or may have been let through.
  func withdraw(_ numbers: [Int64]) -> LimitCall {
    LimitCall(tag: tag, arguments: ["withdraw"] + numbers.map { "\($0)" })
  }

  /// It counts until it is sent, or the lease ends. Seconds.
  func hold(_ number: Int64, for lease: Double) -> LimitCall {
    LimitCall(tag: tag, arguments: ["hold", LimitCall.microseconds(lease), "\(number)"])
  }

  func send(_ number: Int64) -> LimitCall {
    LimitCall(tag: tag, arguments: ["send", "\(number)"])
  }

  func learn(_ lesson: LimitLesson, from number: Int64) -> LimitCall {
    LimitCall(
      tag: tag,
      arguments: [
        "learn", "\(number)", lesson.isFree ? "1" : "0",
        lesson.budget.map { "\($0.left)" } ?? "",
        lesson.budget.map { LimitCall.microseconds($0.resetsAfter) } ?? "",
        lesson.pause.map { LimitCall.microseconds($0) } ?? "",
      ])
  }

  /// nil if the answer makes no sense.
  func answer(_ value: RESPValue, to number: Int64) -> AdmissionAnswer? {
    guard let parts = value.array, let kind = parts.first?.integer else { return nil }
    if kind == 1, parts.count == 1 { return .granted(Admission(number: number)) }
    guard kind == 0, parts.count == 2, let microseconds = parts[1].integer,
      (0...60_000_000).contains(microseconds)
    else { return nil }
    return .opens(after: Double(microseconds) / 1e6)
  }
}
