import LullSystem
import Synchronization

/// The facts of a failure, for programs that read the error output. Unknown facts are nil and are
/// left out.
package struct FailureFacts: Sendable {
  /// The kind of the failure, one of the words listed in Programs.md. For requests, it is the kind
  /// of the error's cause (`RequestError.Cause.kind`).
  package var kind: String
  package var method: String?
  /// The URL, without credentials.
  package var url: String?
  package var status: Int?
  package var isRetryable: Bool?
  /// The delay in seconds before a retry, as requested by the server.
  package var retryAfter: Double?
  /// Advice on how to avoid the failure.
  package var fix: String?

  package init(_ kind: String, fix: String? = nil) {
    self.kind = kind
    self.fix = fix
  }
}

/// Writes standard error in a form for programs, with `--errors json`. Each message is a JSON
/// object on one line. The last line of a command that fails contains `exit`.
///
/// A message that may be the reason of a failure is held until the exit code is known. Callable on
/// any thread.
///
/// Behaviours: EJS-01 to EJS-09.
package enum ErrorLines {
  private struct Failure {
    let text: String
    let facts: FailureFacts
    /// Whether this failure has already been written. It is written at once if the program
    /// continues after it.
    let isWritten: Bool
  }

  private struct State {
    /// The failure to report as the reason if the command fails.
    var failure: Failure?
    /// The last message of the command that has no facts. It is held until it is known to be the
    /// reason or not.
    var held: String?
    /// Whether the last line of the output has been written.
    var hasEnded = false
  }

  private static let state = Mutex(State())

  package static var areOn: Bool { StandardError.isFormed }

  package static func turn(on isOn: Bool) {
    guard isOn else { return StandardError.setForm(nil) }
    StandardError.setForm { note($0) }
  }

  // MARK: Messages

  /// Writes a message that is not the reason of a failure.
  package static func note(_ text: String) {
    guard areOn else { return StandardError.write(text) }
    write(noteLine(text))
  }

  /// Takes a message of the command. If the command fails, the last of these messages is the
  /// reason. Each message is therefore held until the next one arrives. If another reason is
  /// already known, the message is written immediately.
  package static func hold(_ text: String) {
    let isWarning = ["lull: warning:", "lull: note:"].contains { text.hasPrefix($0) }
    guard areOn, !isWarning else { return note(text) }
    let due = state.withLock { state -> String? in
      guard state.failure?.isWritten ?? true else { return text }
      defer { state.held = text }
      return state.held
    }
    if let due { note(due) }
  }

  /// Records `text` as the reason of the failure. Only the first call sets the reason. The message
  /// of a later call is written immediately.
  package static func fail(_ text: String, _ facts: @autoclosure () -> FailureFacts) {
    guard areOn else { return StandardError.write(text) }
    let facts = facts()
    let due = state.withLock { state -> String? in
      guard state.failure?.isWritten ?? true else { return text }
      defer { state.held = nil }
      state.failure = Failure(text: text, facts: facts, isWritten: false)
      return state.held
    }
    if let due { note(due) }
  }

  /// Writes a failure immediately, because the program continues after it. If no other failure
  /// follows, this failure is the reason of the exit code.
  package static func failLater(_ text: String, _ facts: @autoclosure () -> FailureFacts) {
    note(text)
    guard areOn else { return }
    let facts = facts()
    state.withLock { state in
      if state.failure == nil {
        state.failure = Failure(text: text, facts: facts, isWritten: true)
      }
    }
  }

  // MARK: The end

  /// Writes the last line of the output.
  ///
  /// - Parameters:
  ///   - isFailure: False if the exit code is a result, for example that two files differ.
  ///   - usual: The failure to report if no message has given a reason.
  package static func end(
    _ code: Int32, isFailure: Bool, usual: (kind: String, text: String)
  ) {
    let (failure, held) = state.withLock { state -> (Failure?, String?) in
      defer { state = State(hasEnded: true) }
      return state.hasEnded ? (nil, nil) : (state.failure, state.held)
    }
    guard areOn else { return }
    let isInterrupted = code == 130 || code == 143
    let isReason = isFailure && !isInterrupted
    if let held, !isReason || failure != nil { note(held) }
    if let failure, !isReason, !failure.isWritten { note(failure.text) }
    guard isFailure else { return }
    if isInterrupted {
      write(line("interrupted", FailureFacts("interrupted"), code))
    } else if let failure {
      write(line(failure.text, failure.facts, code))
    } else {
      let kind = held == nil ? nil : ErrorLines.kind(of: code)
      write(line(held ?? usual.text, FailureFacts(kind ?? usual.kind), code))
    }
  }

  private static func kind(of code: Int32) -> String? {
    switch code {
    case 2: "usage"
    case 3: "file"
    case 6: "network"
    default: nil
    }
  }

  // MARK: Lines

  private static func write(_ members: [JSONValue.Member]) {
    // Numbers here are finite.
    guard let bytes = try? JSONValue.object(members).encode() else { return }
    StandardError.put(bytes + [UInt8(ascii: "\n")])
  }

  /// Returns the JSON members for a message that isn't a failure. A message that begins with
  /// `lull: ` becomes a warning. Traces and logs have another form.
  private static func noteLine(_ text: String) -> [JSONValue.Member] {
    guard text.hasPrefix("lull: ") else {
      return [.init("kind", .string("log")), .init("message", .string(trimmed(text)))]
    }
    return [.init("kind", .string("warning"))] + message(text)
  }

  private static func line(
    _ text: String, _ facts: FailureFacts, _ code: Int32
  ) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = [.init("kind", .string(facts.kind))] + message(text)
    func add(_ key: String, _ value: JSONValue?) {
      if let value { members.append(.init(key, value)) }
    }
    add("method", facts.method.map { .string($0) })
    add("url", facts.url.map { .string($0) })
    add("status", facts.status.map { .int($0) })
    add("exit", .int(Int(code)))
    add("retryable", facts.isRetryable.map { .bool($0) })
    add(
      "retry_after",
      facts.retryAfter.flatMap { seconds in
        seconds.isFinite ? Int(exactly: seconds).map { .int($0) } ?? .double(seconds) : nil
      })
    add("fix", facts.fix.map { .string($0) })
    return members
  }

  /// Returns the JSON members for a text. The first line becomes the message, and the other lines
  /// become the details.
  private static func message(_ text: String) -> [JSONValue.Member] {
    var text = trimmed(text)
    for start in ["lull: ", "warning: "] where text.hasPrefix(start) {
      text.removeFirst(start.count)
    }
    let parts = text.split(separator: "\n", maxSplits: 1)
    let members: [JSONValue.Member] = [.init("message", .string(String(parts.first ?? "")))]
    return parts.count < 2 ? members : members + [.init("details", .string(String(parts[1])))]
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last?.isNewline == true { text = text.dropLast() }
    return String(text)
  }
}
