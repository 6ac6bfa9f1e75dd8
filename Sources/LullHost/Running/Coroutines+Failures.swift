import CLullBridge
import LullLibC
import LullCore

// Handles errors that propagate from one coroutine to another.
extension Coroutines {
  /// Records the error of a coroutine that the script created itself. The error propagates to the
  /// code that resumed the coroutine.
  func innerCoroutineFailed(_ failure: lull_failure) {
    var inner = ScriptFailure(
      message: String(escaping: failure.message, failure.message_length), trace: Traceback(failure))
    guard let context = innermost else { return }
    if let origin = context.reraised { inner.join(origin) }
    context.reraised = Reraised(inner, isOfInnerCoroutine: true)
  }

  /// Returns whether an error that propagates is the last error that was recorded for an inner
  /// coroutine. The traceback of that error is already known.
  func knowsInnerFailure(_ message: UnsafeRawBufferPointer) -> Bool {
    guard let origin = innermost?.reraised, origin.isOfInnerCoroutine,
      origin.failure.requestError == nil, origin.failure.isText
    else { return false }
    let isKnown = origin.failure.message.utf8.withContiguousStorageIfAvailable { known in
      let length = message.count - known.count
      guard length >= 0, let end = message.baseAddress.map({ $0 + length }),
        let start = known.baseAddress
      else { return known.isEmpty }
      return memcmp(end, start, known.count) == 0
    }
    guard isKnown == true else { return false }
    // A prefix has been added to the message while the error propagated. From now on, messages are
    // compared with the longer text.
    if message.count > origin.failure.message.utf8.count {
      origin.failure.message = String(escaping: message)
    }
    return true
  }

  /// Records the origin of an error that an await is about to raise again. In the main chunk of a
  /// stock interpreter, only the message of an error is shown. So there the origin is added to the
  /// message, unless the script will catch the error.
  func raising(_ value: LuaValue, in state: OpaquePointer?) -> LuaValue {
    guard case .reraised(let value, let failure) = value else { return value }
    if let context = innermost {
      context.reraised = Reraised(failure)
    } else if case .string(let text) = value, !failure.traceback.isEmpty,
      lull_is_protected(state) == 0
    {
      return .string("\(text)\n\(failure.traceback)\n(awaited here)")
    }
    return value
  }
}
