package import CLullBridge
import LullCore

/// A table on the Lua stack of a call. It can be read during that call. Metamethods are ignored. If
/// Lull created the table as read-only, its fields are the fields that scripts see.
package struct LuaTable {
  let index: Int32
  let state: OpaquePointer?

  package init(_ index: Int32, in state: OpaquePointer?) {
    self.index = index
    self.state = state
  }

  /// Calls `body` for each field. `body` may use the Lua stack, but must restore the height of the
  /// stack.
  package func forEachField(_ body: (lull_value, lull_value) throws(Misuse) -> Void) throws(Misuse)
  {
    if lull_push_read_only(state, index) != 0 {
      defer { lull_pop(state, 1) }
      return try LuaTable(lull_stack_top(state), in: state).forEachField(body)
    }
    let keys = lull_table_begin(state)
    guard keys != 0 else { throw .message("the Lua stack is full") }
    var key = lull_value()
    var value = lull_value()
    while true {
      let found = lull_table_next(state, index, &key, &value)
      guard found >= 0 else { throw .message("not enough memory") }
      guard found > 0 else { return }
      do throws(Misuse) {
        try body(key, value)
        // If memory was refused, a value may have been read only in part. This must raise an error.
        if MemoryLedger.hasRefused { throw .message("not enough memory") }
      } catch {
        lull_table_leave(state, keys)
        throw error
      }
      lull_table_pop_value(state, keys)
    }
  }

  /// The stack index of the value that `forEachField` is visiting.
  package static func visitedIndex(in state: OpaquePointer?) -> Int32 { lull_stack_top(state) }

  /// Returns whether a field of the table is a function. A field that the metatable provides counts
  /// too.
  func hasFunction(_ name: StaticString) throws(Misuse) -> Bool {
    let found = lull_has_function(state, index, name.cString)
    guard found >= 0 else { throw .message("not enough memory") }
    return found > 0
  }
}
