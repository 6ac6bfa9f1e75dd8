import CLullBridge
import LullCore

/// The C half's runtime, as Swift's owners of its parts know it: where it is, and whether it still is.
///
/// The lowest of them. Home thread only.
package final class BridgeRuntime {
  /// To be used between `attach` and `close` only.
  package private(set) var pointer: OpaquePointer
  /// The functions of its module.
  let library: LuaLibrary
  package private(set) var isClosed = false

  init(_ library: LuaLibrary) {
    self.library = library
    // A dummy that nobody follows before `attach`.
    pointer = OpaquePointer(bitPattern: 1).unsafelyUnwrapped
  }

  func attach(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// Whether code of the script runs now.
  var isRunning: Bool { !isClosed && lull_runtime_depth(pointer) > 0 }

  /// The state goes away, or has gone: nothing is called in it any more.
  func close() { isClosed = true }

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
