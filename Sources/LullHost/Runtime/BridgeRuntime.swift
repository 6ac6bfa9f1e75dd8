import CLullBridge
import LullCore

/// The C half's runtime, as Swift's owners of its parts know it: where it is, and whether it still is.
///
/// A command that may never need Lua starts it at the first use. The lowest of the owners. Home thread only.
package final class BridgeRuntime {
  private var attached: OpaquePointer?
  /// Makes the state, which attaches its runtime; nil where that is done from outside.
  var start: (() -> Void)?
  /// Called once Lua has started.
  private var afterStart: [() -> Void] = []
  /// The functions of its module.
  let library: LuaLibrary
  package private(set) var isClosed = false

  init(_ library: LuaLibrary) { self.library = library }

  /// To be used until `close` only.
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

  /// Whether there is a state: nothing has to be done in Lua for what has happened before.
  package var isStarted: Bool { attached != nil && !isClosed }

  /// Calls `body` as soon as there is a state.
  package func whenStarted(_ body: @escaping () -> Void) {
    if attached == nil { afterStart.append(body) } else { body() }
  }

  func tellStarted() {
    let bodies = afterStart
    afterStart = []
    for body in bodies { body() }
  }

  /// Whether code of the script runs now.
  var isRunning: Bool { isStarted && lull_runtime_depth(pointer) > 0 }

  /// The state goes away, or has gone: nothing is called in it any more.
  func close() {
    isClosed = true
    start = nil
    afterStart = []
  }

  /// What `tostring` says of a value on a stack; nil if that raises.
  func text(of index: Int32, in state: OpaquePointer?) -> String? {
    withArena {
      var length = 0
      guard let text = lull_text_of(pointer, state, index, &length) else { return nil }
      return String(escaping: text, length)
    }
  }

  /// Gives back what `body` has taken of the arena.
  func withArena<R>(_ body: () -> R) -> R {
    let mark = lull_arena_mark(pointer)
    defer { lull_arena_release(pointer, mark) }
    return body()
  }
}
