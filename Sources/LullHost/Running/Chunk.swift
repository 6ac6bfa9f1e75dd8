import CLullBridge

/// A text of Lua that was compiled for Swift to call, and is held until released.
package struct Chunk {
  /// The message of the compiler.
  package struct Problem: Error {
    package let message: String
  }

  private let id: Int64
  private let bridge: BridgeRuntime

  init(_ id: Int64, _ bridge: BridgeRuntime) {
    self.id = id
    self.bridge = bridge
  }

  package var callable: Callable { Callable(id: id) }

  /// Itself, to be given to another function.
  package var value: LuaValue { .ref(id) }

  /// Lets the collector have it.
  package func release() { lull_value_unpin(bridge.pointer, id) }
}
