import CLullBridge
package import LullCore

/// An error raised by script code that Swift called.
package struct ScriptFailure {
  package var message: String
  package var trace = Traceback()
  /// The raised value, if it was a request error.
  package var requestError: RequestError?
  /// The error that a Swift function threw, if the raised value was such an error.
  var thrown: (any Error)?
  /// The raised value, if it was not a request error. A table, function or object is stored under
  /// an ID.
  var value: RaisedValue?
  /// The explanation of the nil content that led to the error.
  var nilContent: String?
  /// A hint about what the script should do instead, if the source and the stack show the mistake.
  var hint: String?
  /// Whether a signal, `os.exit` or a limit raised this failure in order to end the running code.
  var isInterruption = false
  /// The function that made the mistake, if none of its lines raised the error.
  var definition: TraceFrame?

  /// The traceback that scripts and reports show; empty if no script line raised the error.
  var traceback: String { trace.text }
}

extension ScriptFailure {
  package init(message: String) {
    self.init(message: message, trace: Traceback())
  }

  /// Copies a failure from the bridge's format. The failure must still be in the arena.
  init(_ failure: lull_failure, _ handles: ObjectHandles) {
    self.init(
      message: String(escaping: failure.message, failure.message_length),
      trace: Traceback(failure))
    isInterruption = failure.is_interruption != 0
    thrown = handles.object(failure.value, .swiftError, as: SwiftErrorBox.self)?.error
  }

  /// Creates a failure for a mistake of a script function, such as a result of the wrong type. The
  /// report shows where the function is defined.
  init(_ message: String, definedAt frame: TraceFrame? = nil) {
    self.init(message: message)
    definition = frame
  }

  /// Returns whether this failure is `other`, raised again. If the failure passed through a
  /// coroutine, the position of the `resume` may have been added in front of the message.
  func isSame(as other: ScriptFailure) -> Bool {
    message.hasSuffix(other.message) && (requestError == nil) == (other.requestError == nil)
      && isText == other.isText
  }

  /// The message, followed by a hint about what to do instead if the mistake is known.
  package var messageWithHint: String {
    (hint ?? commonMistake).map { "\(message); \($0)" } ?? message
  }

  /// A hint for a common mistake, recognized by the message and the traceback; nil if no such
  /// mistake is recognized. (LUA-182, UNH-07)
  private var commonMistake: String? {
    if message.hasSuffix("attempt to call a nil value (global 'await')") {
      return "await is a method: request:await()"
    }
    if message.hasSuffix(" a nil value (global 'lull')") {
      return "add this line at the top: local lull = require \"lull\""
    }
    if message.hasSuffix("attempt to index a null value"), traceback.contains("in for iterator") {
      return "ipairs got lull.null: the JSON has null there, not a list"
    }
    return nil
  }

  /// Whether the raised value was a string.
  package var isText: Bool { value?.isString ?? true }

  /// If this failure is another failure that was raised again, adds the explanation and the
  /// traceback of the other failure.
  mutating func join(_ origin: Reraised) {
    guard isSame(as: origin.failure) else { return }
    nilContent = nilContent ?? origin.failure.nilContent
    hint = hint ?? origin.failure.hint
    if origin.isOfInnerCoroutine {
      // The trace of the inner coroutine already includes the stack that resumed it.
      trace = origin.failure.trace
    } else {
      trace.stacks.insert(contentsOf: origin.failure.trace.stacks, at: 0)
    }
  }
}

/// A failure that was raised again in a coroutine, because the coroutine awaited or resumed the
/// code that failed.
final class Reraised {
  var failure: ScriptFailure
  /// Whether the failure comes from a coroutine that the script created itself, and not from a
  /// task.
  let isOfInnerCoroutine: Bool

  init(_ failure: ScriptFailure, isOfInnerCoroutine: Bool = false) {
    self.failure = failure
    self.isOfInnerCoroutine = isOfInnerCoroutine
  }
}
