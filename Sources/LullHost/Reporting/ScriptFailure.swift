import CLullBridge
import Glibc
import LullCore

/// An error raised by the script where Swift called it.
struct ScriptFailure {
  var message: String
  var trace = Traceback()
  /// What was raised, if it was an error object of Lull.
  var requestError: RequestError?
  /// What was raised, if it was not an error of Lull; what is more than itself is kept under an id.
  var value: RaisedValue?
  /// The function at fault, where no line of it has raised anything.
  var definition: TraceFrame?

  /// As scripts and reports show it; "" for what no line of the script has raised.
  var traceback: String { trace.text }
}

extension ScriptFailure {
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
  var isText: Bool { value?.isString ?? true }

  /// Adds where this comes from to where it has got.
  mutating func join(_ origin: Reraised) {
    guard isSame(as: origin.failure) else { return }
    if origin.isOfInnerCoroutine {
      // That has seen who resumed the coroutine, too.
      trace = origin.failure.trace
    } else {
      trace.stacks.insert(contentsOf: origin.failure.trace.stacks, at: 0)
    }
  }
}

extension LuaHost {
  /// Where a kept function is defined, or a function in a kept table.
  func definition(of id: Int64, method: StaticString? = nil) -> TraceFrame? {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var frame = lull_trace_frame()
    guard !bridge.isClosed, lull_value_frame(bridge.pointer, id, method?.cString, &frame) == 0
    else {
      return nil
    }
    return TraceFrame(frame)
  }

  /// What was raised that is no text and does not say what it is, as `lull.inspect` shows it.
  func inspection(of failure: ScriptFailure) -> String? {
    guard !bridge.isClosed, let id = failure.value?.foreign?.id,
      failure.message.hasPrefix("(error object is a ")
    else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      buffer.initialize(repeating: 0)
      guard lull_value_inspect(bridge.pointer, id, buffer.baseAddress, buffer.count) == 0,
        let text = buffer.baseAddress
      else { return nil }
      return LogText.part(String(escapingCString: text), limit: 200)
    }
  }

  /// The error of a coroutine of the script's own goes on where it was resumed.
  func innerCoroutineFailed(_ failure: lull_failure) {
    var inner = ScriptFailure(
      message: String(escaping: failure.message, failure.message_length), trace: Traceback(failure))
    guard let context = coroutines.innermost else { return }
    if let origin = context.reraised { inner.join(origin) }
    context.reraised = Reraised(inner, isOfInnerCoroutine: true)
  }

  /// Whether that is the error of a coroutine noted last, as it goes on: its traceback is known.
  func knowsInnerFailure(_ message: UnsafeRawBufferPointer) -> Bool {
    guard let origin = coroutines.innermost?.reraised, origin.isOfInnerCoroutine,
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
    if let context = coroutines.innermost {
      context.reraised = Reraised(failure)
    } else if case .string(let text) = value, !failure.traceback.isEmpty,
      lull_is_protected(state) == 0
    {
      return .string("\(text)\n\(failure.traceback)\n(awaited here)")
    }
    return value
  }
}

/// A failure a coroutine has been given by what it awaited.
final class Reraised {
  fileprivate(set) var failure: ScriptFailure
  /// Of a coroutine of its own, as opposed to a task.
  let isOfInnerCoroutine: Bool

  init(_ failure: ScriptFailure, isOfInnerCoroutine: Bool = false) {
    self.failure = failure
    self.isOfInnerCoroutine = isOfInnerCoroutine
  }
}
