import CLullBridge
import LullCore

/// Gives Swift access to the bridge's runtime, and records whether that runtime is still open.
///
/// A command that may not need Lua starts Lua at first use. Objects that manage parts of the
/// bridge's runtime use this object. Home thread only.
package final class BridgeRuntime {
  private var attached: OpaquePointer?
  /// Creates the Lua state, which attaches its runtime to this object. The property is nil if other
  /// code creates the state.
  var start: (() -> Void)?
  /// The functions to call once Lua has started.
  private var afterStart: [() -> Void] = []
  /// The functions of the Lua module `lull`.
  let library: LuaLibrary
  package private(set) var isClosed = false

  init(_ library: LuaLibrary) { self.library = library }

  /// The bridge's runtime, which is valid only until `close()`. If Lua has not started, reading
  /// this property starts Lua.
  package var pointer: OpaquePointer {
    if let attached { return attached }
    return startNow()
  }

  @inline(never) private func startNow() -> OpaquePointer {
    let start = start
    self.start = nil
    start?()
    guard let attached else { preconditionFailure("the host has no Lua state") }
    return attached
  }

  func attach(_ pointer: OpaquePointer) {
    attached = pointer
    start = nil
  }

  /// Whether there is an open Lua state. If this is false, nothing in Lua has to be updated.
  package var isStarted: Bool { attached != nil && !isClosed }

  /// Calls `body` as soon as there is a Lua state: immediately, or when Lua starts.
  package func whenStarted(_ body: @escaping () -> Void) {
    if attached == nil { afterStart.append(body) } else { body() }
  }

  func tellStarted() {
    let bodies = afterStart
    afterStart = []
    for body in bodies { body() }
  }

  /// Whether script code is running now.
  var isRunning: Bool { isStarted && lull_runtime_depth(pointer) > 0 }

  /// Marks the state as closed, so that no code in it is called any more. Called when the state is
  /// closed or about to be closed.
  func close() {
    isClosed = true
    start = nil
    afterStart = []
  }

  /// Returns the text that Lua's `tostring` returns for the value at a stack index, or nil if
  /// `tostring` raises an error.
  func text(of index: Int32, in state: OpaquePointer?) -> String? {
    withArena {
      var length = 0
      guard let text = lull_text_of(pointer, state, index, &length) else { return nil }
      return String(escaping: text, length)
    }
  }

  /// Runs `body`, and then frees the arena memory that `body` allocated.
  func withArena<R>(_ body: () -> R) -> R {
    let mark = lull_arena_mark(pointer)
    defer { lull_arena_release(pointer, mark) }
    return body()
  }
}
