import CLullBridge
import LullLibC
import LullCore

// Errors that go on from one coroutine to another.
extension Coroutines {
  /// The error of a coroutine of the script's own goes on where it was resumed.
  func innerCoroutineFailed(_ failure: lull_failure) {
    var inner = ScriptFailure(
      message: String(escaping: failure.message, failure.message_length), trace: Traceback(failure))
    guard let context = innermost else { return }
    if let origin = context.reraised { inner.join(origin) }
    context.reraised = Reraised(inner, isOfInnerCoroutine: true)
  }

  /// Whether that is the error of a coroutine noted last, as it goes on: its traceback is known.
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
    // From now on it begins with where it has got.
    if message.count > origin.failure.message.utf8.count {
      origin.failure.message = String(escaping: message)
    }
    return true
  }

  /// An error is about to be raised again where it was awaited: remembers where it comes from.
  /// In the main chunk of a stock interpreter, which shows no more than the text, the text says it
  /// too, unless the script is going to catch it.
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
