import CLullBridge
import LullCore

/// Swift's access to the runtime of the C half, and whether that runtime is still open.
///
/// A command that may not need Lua starts it at first use. The objects that own parts of the
/// runtime build on this one. Home thread only.
package final class BridgeRuntime {
  private var attached: OpaquePointer?
  /// Creates the state, which attaches its runtime; nil if something else creates it.
  var start: (() -> Void)?
  /// Called once Lua has started.
  private var afterStart: [() -> Void] = []
  /// The functions of its module.
  let library: LuaLibrary
  package private(set) var isClosed = false

  init(_ library: LuaLibrary) { self.library = library }

  /// Valid only until `close`.
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

  /// Whether there is a state. If not, there is nothing to update in Lua.
  package var isStarted: Bool { attached != nil && !isClosed }

  /// Calls `body` as soon as there is a state: immediately, or when Lua starts.
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

  /// Marks the state as closed, so that nothing in it is called any more. Called when the state is
  /// closed or about to be.
  func close() {
    isClosed = true
    start = nil
    afterStart = []
  }

  /// Returns the result of `tostring` for a value on a stack, or nil if `tostring` raises an error.
  func text(of index: Int32, in state: OpaquePointer?) -> String? {
    withArena {
      var length = 0
      guard let text = lull_text_of(pointer, state, index, &length) else { return nil }
      return String(escaping: text, length)
    }
  }

  /// Runs `body` and frees the arena memory that it allocated.
  func withArena<R>(_ body: () -> R) -> R {
    let mark = lull_arena_mark(pointer)
    defer { lull_arena_release(pointer, mark) }
    return body()
  }
}
