/// A place where content violates its schema.
package struct SchemaViolation: Sendable, Hashable, CustomStringConvertible {
  /// A JSON Pointer; empty for the whole content.
  package let pointer: String
  /// The violated keyword, such as `type`.
  package let keyword: String
  /// What was expected and found, without a full stop: `must be a number, got "12"`.
  package let message: String
  /// The position in the order of reports.
  let place: Int

  /// Pointer and message, such as `/items/3/price: must be a number, got "12"`.
  package var description: String {
    "\(pointer.isEmpty ? "the content" : pointer): \(message)"
  }
}
