/// A place where content is not as its schema says.
package struct SchemaViolation: Sendable, Hashable, CustomStringConvertible {
  /// A JSON Pointer; empty for the content as a whole.
  package let pointer: String
  /// The keyword of the schema, such as `type`.
  package let keyword: String
  /// What was expected and what was found, without full stop: `must be a number, got "12"`.
  package let message: String
  /// In what order they are told.
  let place: Int

  /// Such as `/items/3/price: must be a number, got "12"`.
  package var description: String {
    "\(pointer.isEmpty ? "the content" : pointer): \(message)"
  }
}
