import CLullBridge
import LullLibC
import LullCore

// Errors that propagate from one coroutine to another.
extension Coroutines {
  /// Records the error of a coroutine that the script created. The error propagates to where it was
  /// resumed.
  func innerCoroutineFailed(_ failure: lull_failure) {
    var inner = ScriptFailure(
      message: String(escaping: failure.message, failure.message_length), trace: Traceback(failure))
    guard let context = innermost else { return }
    if let origin = context.reraised { inner.join(origin) }
    context.reraised = Reraised(inner, isOfInnerCoroutine: true)
  }

  /// Returns whether a propagating error is the last one recorded from an inner coroutine, whose
  /// traceback is known.
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
    // The message has got a prefix on its way, so compare with the longer text from now on.
    if message.count > origin.failure.message.utf8.count {
      origin.failure.message = String(escaping: message)
    }
    return true
  }

  /// Records the origin of an error that is about to be raised again by an await. In the main chunk
  /// of a stock interpreter, which shows only the message, the origin is added to the message,
  /// unless the script will catch the error.
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
