import CLullBridge
package import LullCore

/// An error raised by script code that Swift called.
package struct ScriptFailure {
  package var message: String
  package var trace = Traceback()
  /// The raised value, if it was a request error.
  package var requestError: RequestError?
  /// The raised error, if a Swift function threw it.
  var thrown: (any Error)?
  /// The raised value, if it was not a request error. A table, function or object is stored under
  /// an ID.
  var value: RaisedValue?
  /// The explanation of the nil content that caused the error.
  var nilContent: String?
  /// The code to write instead, if the source and the stack show the mistake.
  var hint: String?
  /// Whether it was raised by a signal, `os.exit` or a limit to end the running code.
  var isInterruption = false
  /// The function at fault, if none of its lines raised the error.
  var definition: TraceFrame?

  /// The traceback shown by scripts and reports; empty if no script line raised the error.
  var traceback: String { trace.text }
}

extension ScriptFailure {
  package init(message: String) {
    self.init(message: message, trace: Traceback())
  }

  /// Copies a failure of the bridge, which must still be in the arena.
  init(_ failure: lull_failure, _ handles: ObjectHandles) {
    self.init(
      message: String(escaping: failure.message, failure.message_length),
      trace: Traceback(failure))
    isInterruption = failure.is_interruption != 0
    thrown = handles.object(failure.value, .swiftError, as: SwiftErrorBox.self)?.error
  }

  /// Creates a failure for a mistake in the behaviour of a script function, shown at the function's
  /// definition.
  init(_ message: String, definedAt frame: TraceFrame? = nil) {
    self.init(message: message)
    definition = frame
  }

  /// Returns whether this is `other`, raised again. An error of a coroutine may have got the
  /// position of its `resume` in front.
  func isSame(as other: ScriptFailure) -> Bool {
    message.hasSuffix(other.message) && (requestError == nil) == (other.requestError == nil)
      && isText == other.isText
  }

  /// The message, with the code to write instead if the mistake is known.
  package var messageWithHint: String {
    (hint ?? commonMistake).map { "\(message); \($0)" } ?? message
  }

  /// Mistakes that the message and the traceback show. (LUA-182, UNH-07)
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

  /// Whether the raised value was text.
  package var isText: Bool { value?.isString ?? true }

  /// Adds the origin of an error that was raised again.
  mutating func join(_ origin: Reraised) {
    guard isSame(as: origin.failure) else { return }
    nilContent = nilContent ?? origin.failure.nilContent
    hint = hint ?? origin.failure.hint
    if origin.isOfInnerCoroutine {
      // It already includes the stack that resumed the coroutine.
      trace = origin.failure.trace
    } else {
      trace.stacks.insert(contentsOf: origin.failure.trace.stacks, at: 0)
    }
  }
}

/// A failure that an awaited object passed to a coroutine.
final class Reraised {
  var failure: ScriptFailure
  /// Whether it comes from a coroutine that the script created, as opposed to a task.
  let isOfInnerCoroutine: Bool

  init(_ failure: ScriptFailure, isOfInnerCoroutine: Bool = false) {
    self.failure = failure
    self.isOfInnerCoroutine = isOfInnerCoroutine
  }
}
