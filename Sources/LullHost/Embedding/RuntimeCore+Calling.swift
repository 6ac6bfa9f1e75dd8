import CLullBridge
import LullCore

extension RuntimeCore {
  /// Calls a Lua function and waits until it has ended.
  func call(
    _ callable: Callable, _ arguments: [Lua.Value], isolation: isolated (any Actor)? = #isolation
  ) async throws(LuaError) -> [Lua.Value] {
    try requireOpen()
    let pending = PendingCall()
    let pump = pump
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    // A task may be cancelled on any thread. So the cancellation handler only uses the pump's
    // signal, which works on any thread.
    let cancellation = pump.signal { pending.cancel() }
    defer { pump.discard(cancellation) }
    await withTaskCancellationHandler {
      // The isolation is captured explicitly. Otherwise the closure would leave the caller's actor,
      // which need not be the home itself.
      _ = isolation
      await withCheckedContinuation { continuation in
        pending.cancel = start(callable, arguments) { outcome in
          pending.outcome = outcome
          continuation.resume()
        }
      }
    } onCancel: {
      cancellation()
    }
    // This breaks a reference cycle, because the cancel closure holds the waiting caller.
    pending.cancel = {}
    return try pending.outcome.get()
  }

  func runNow(_ source: String, name: String, _ arguments: [Lua.Value]) throws(LuaError)
    -> [Lua.Value]
  {
    let text = SourceText.withoutFirstLineMarks(Array(source.utf8))
    let chunk = try compile(text, name: "=" + name)
    defer { release(chunk) }
    return try callNow(chunk.callable, arguments)
  }

  func text(ofFile path: String) throws(LuaError) -> [UInt8] {
    try requireOpen()
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw LuaError(.misuse, "the path of a file must not be empty or contain a zero byte")
    }
    switch TextFile.read(Array(path.utf8)) {
    case .success(let bytes): return bytes
    case .failure(let problem):
      throw LuaError(.unreadable, problem.message.withUnsafeBytes { String(escaping: $0) })
    }
  }

  func release(_ chunk: Chunk) {
    if !host.bridge.isClosed { chunk.release() }
  }
}

/// The outcome of a call for which a Swift caller waits, and a closure that cancels the call.
private final class PendingCall {
  var outcome: RuntimeCore.Outcome = .failure(.closed)
  var cancel: () -> Void = {}
}
