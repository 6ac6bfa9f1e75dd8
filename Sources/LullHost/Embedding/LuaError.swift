public import LullCore

/// An error in a Lua runtime, or in a conversion between Swift values and Lua values.
///
/// An error raised by Lua code keeps its message, its place and its traceback. If the raised value
/// is not a string, `value` is the JSON form of the raised value, or nil if it has no JSON form. A
/// request error is in `requestError`, and an error that a Swift function threw is in `thrown`. Any
/// thread.
public struct LuaError: Error, Sendable {
  /// The kinds of failure.
  public enum Kind: String, Sendable, CaseIterable {
    /// The source is not valid Lua.
    case syntax
    /// Lua code raised an error.
    case runtime
    /// A value has the wrong type, or does not convert from Lua to Swift or from Swift to Lua.
    case mismatch
    /// A file cannot be read.
    case unreadable
    /// A stretch of Lua code exceeded `Lua.Limits.seconds`.
    case timeLimit
    /// A stretch of Lua code exceeded `Lua.Limits.instructions`.
    case instructionLimit
    /// The runtime exceeded `Lua.Limits.memory`, or the process has no memory left.
    case memoryLimit
    /// The calling task was cancelled, or Lua code cancelled the call.
    case cancelled
    /// The runtime was closed, or its home has ended.
    case closed
    /// The program used the API in a way that is not possible; the message says what to do instead.
    case misuse
  }

  /// A line of Lua code, as the place of an error.
  public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file, or the name given for the source code.
    public let file: String
    /// The line number, starting at 1.
    public let line: Int

    public var description: String { "\(file):\(line)" }
  }

  /// The kind of failure.
  public let kind: Kind
  /// The message as Lua would print it. If the error occurred in Lua code, the message begins with
  /// the place of the error.
  public let message: String
  /// The line that raised the error, or that has the syntax error; nil if there is no such line.
  public let place: Place?
  /// The traceback in the format of `debug.traceback`: the functions that were running, innermost
  /// first. If the error comes from a task that failed and was awaited, the functions that awaited
  /// the task follow. Empty if no function was running.
  public let traceback: String
  /// The request error that Lua code raised or did not catch; nil for any other error.
  public let requestError: RequestError?
  /// The error that a Swift function threw, if Lua code did not catch it or raised it again. It is
  /// the value that was thrown, with its own type. A request error is in `requestError` instead.
  ///
  ///     if error.thrown is OutOfStock { … }
  public let thrown: (any Error)?
  /// The raised value as JSON, if it is a number, a boolean or a table; nil for strings and for
  /// values without a JSON form.
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

  /// Creates the `mismatch` error for a conversion that your own type defines. `message` should
  /// name the expected and the actual value.
  public static func mismatch(_ message: String) -> LuaError { LuaError(.mismatch, message) }
}

extension LuaError: CustomStringConvertible {
  /// The message, without the traceback.
  public var description: String { message }
}

// MARK: Created from failures

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

  /// Creates a copy of an error that passed through Lua code. The copy has the traceback of that
  /// code in addition. Kind, message and place stay the same. (EMB-161)
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
  /// Parses the place at the beginning of a message in Lua's format, such as `file:line: text`.
  /// Returns nil if the message does not begin with a place.
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
