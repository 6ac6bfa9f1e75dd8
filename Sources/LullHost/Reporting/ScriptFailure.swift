import CLullBridge
package import LullCore

/// An error raised by the script where Swift called it.
package struct ScriptFailure {
  package var message: String
  package var trace = Traceback()
  /// What was raised, if it was an error object of Lull.
  package var requestError: RequestError?
  /// What was raised, if it was an error that a function of Swift's had thrown.
  var thrown: (any Error)?
  /// What was raised, if it was not an error of Lull; what is more than itself is kept under an id.
  var value: RaisedValue?
  /// What is known of the content that was nil, if that is what went wrong.
  var nilContent: String?
  /// Whether it comes of a `load_if_needed()` that had nothing to load.
  var isOfNeedlessLoad = false
  /// Whether a signal, `os.exit` or a limit raised it, to end the code that ran.
  var isInterruption = false
  /// The function at fault, where no line of it has raised anything.
  var definition: TraceFrame?

  /// As scripts and reports show it; "" for what no line of the script has raised.
  var traceback: String { trace.text }
}

extension ScriptFailure {
  package init(message: String) {
    self.init(message: message, trace: Traceback())
  }

  /// What the bridge knows of one, as long as that is in the arena.
  init(_ failure: lull_failure, _ handles: ObjectHandles) {
    self.init(
      message: String(escaping: failure.message, failure.message_length),
      trace: Traceback(failure))
    isInterruption = failure.is_interruption != 0
    thrown = handles.object(failure.value, .swiftError, as: SwiftErrorBox.self)?.error
  }

  /// A mistake found in what a function of the script did: it is shown where that is defined.
  init(_ message: String, definedAt frame: TraceFrame? = nil) {
    self.init(message: message)
    definition = frame
  }

  /// Whether this is `other`, raised again; a coroutine's may have got the position before it where
  /// that was resumed.
  func isSame(as other: ScriptFailure) -> Bool {
    message.hasSuffix(other.message) && (requestError == nil) == (other.requestError == nil)
      && isText == other.isText
  }

  /// Whether nothing but text was raised.
  package var isText: Bool { value?.isString ?? true }

  /// Adds where this comes from to where it has got.
  mutating func join(_ origin: Reraised) {
    guard isSame(as: origin.failure) else { return }
    nilContent = nilContent ?? origin.failure.nilContent
    isOfNeedlessLoad = isOfNeedlessLoad || origin.failure.isOfNeedlessLoad
    if origin.isOfInnerCoroutine {
      // That has seen who resumed the coroutine, too.
      trace = origin.failure.trace
    } else {
      trace.stacks.insert(contentsOf: origin.failure.trace.stacks, at: 0)
    }
  }
}

/// A failure a coroutine has been given by what it awaited.
final class Reraised {
  var failure: ScriptFailure
  /// Of a coroutine of its own, as opposed to a task.
  let isOfInnerCoroutine: Bool

  init(_ failure: ScriptFailure, isOfInnerCoroutine: Bool = false) {
    self.failure = failure
    self.isOfInnerCoroutine = isOfInnerCoroutine
  }
}
