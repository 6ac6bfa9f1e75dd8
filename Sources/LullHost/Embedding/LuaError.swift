public import LullCore

/// What went wrong in a Lua runtime, or on the way to it.
///
/// Any thread. What Lua code raised keeps its text, its place and the functions that were running; what
/// it raised that is more than a text is in `value`, as far as JSON can say it, an error of a request
/// in `requestError`, and what a function of Swift's had thrown in `thrown`.
public struct LuaError: Error, Sendable {
  /// What kind of failure it is.
  public enum Kind: String, Sendable, CaseIterable {
    /// The text is no Lua.
    case syntax
    /// Lua code raised an error.
    case runtime
    /// A value is of another type than the one asked for, or has no form on the other side.
    case mismatch
    /// A file cannot be read.
    case unreadable
    /// A stretch of Lua code ran longer than `Lua.Limits.seconds`.
    case timeLimit
    /// A stretch of Lua code ran more than `Lua.Limits.instructions`.
    case instructionLimit
    /// The runtime holds more than `Lua.Limits.memory`, or there is no memory at all.
    case memoryLimit
    /// The waiting task was cancelled, or Lua code cancelled the call.
    case cancelled
    /// The runtime was closed, or its home has ended.
    case closed
    /// Something was asked for that cannot be: the message says what to do instead.
    case misuse
  }

  /// A line of Lua code.
  public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The file, or the name that the text was given.
    public let file: String
    /// Counted from 1.
    public let line: Int

    public var description: String { "\(file):\(line)" }
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// What Lua would print: for an error of Lua code with its place in front, as Lua puts it there.
  public let message: String
  /// The line that raised it, or at which the text is no Lua; nil where no line is to blame.
  public let place: Place?
  /// The functions that were running, the innermost first, as `debug.traceback` writes them, and behind
  /// them those that awaited a task which failed; "" where none were.
  public let traceback: String
  /// The error of a request that Lua code raised, or let through.
  public let requestError: RequestError?
  /// The error that a function of Swift's has thrown, and Lua code has let through or raised again: the
  /// same value, of the same type. Errors of requests are in `requestError`.
  ///
  ///     if error.thrown is OutOfStock { … }
  public let thrown: (any Error)?
  /// What Lua code raised where that is a number, a boolean or a table, as JSON; nil for texts and for
  /// what JSON cannot say.
  public let value: JSONValue?

  init(
    _ kind: Kind, _ message: String, place: Place? = nil, traceback: String = "",
    requestError: RequestError? = nil, thrown: (any Error)? = nil, value: JSONValue? = nil
  ) {
    self.kind = kind
    self.message = message
    self.place = place
    self.traceback = traceback
    self.requestError = requestError
    self.thrown = thrown
    self.value = value
  }

  /// A mismatch that a conversion of yours has found: `message` says what was expected and what came.
  public static func mismatch(_ message: String) -> LuaError { LuaError(.mismatch, message) }
}

extension LuaError: CustomStringConvertible {
  /// The message; the traceback stands apart.
  public var description: String { message }
}

// MARK: Made of what the host knows

extension LuaError {
  static let closed = LuaError(.closed, "the Lua runtime is closed")
  static let lacksMemory = LuaError(.memoryLimit, "not enough memory")

  init(_ failure: ScriptFailure, kind: Kind, value: JSONValue?) {
    let frame = failure.trace.stacks.first?.first { $0.kind == .lua && $0.line > 0 }
    self.init(
      kind, failure.message,
      place: frame.map { Place(file: $0.shortSource, line: $0.line) }
        ?? Place(beginning: failure.message),
      traceback: failure.traceback, requestError: failure.requestError, thrown: failure.thrown,
      value: value)
  }

  /// One that has passed through Lua code, which was running then: kind, message and place stay. (EMB-161)
  init(passing error: LuaError, _ failure: ScriptFailure) {
    self.init(
      error.kind, error.message, place: error.place,
      traceback: [error.traceback, failure.traceback].filter { !$0.isEmpty }
        .joined(separator: "\n"),
      requestError: error.requestError, thrown: error.thrown, value: error.value)
  }

  init(_ problem: Chunk.Problem) {
    self.init(.syntax, problem.message, place: Place(beginning: problem.message))
  }

  init(_ misuse: Misuse) { self.init(.misuse, misuse.text) }
}

extension LuaError.Place {
  /// The place that a message of Lua's begins with: `file:line: text`.
  fileprivate init?(beginning message: String) {
    let parts = message.split(separator: ":", omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      guard index + 1 < parts.endIndex, let line = Int(parts[index]),
        parts[index + 1].first == " "
      else { continue }
      self.init(file: parts[..<index].joined(separator: ":"), line: line)
      return
    }
    return nil
  }
}
