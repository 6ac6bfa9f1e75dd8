/// A place where content violates its schema.
package struct SchemaViolation: Sendable, Hashable, CustomStringConvertible {
  /// The place in the content as a JSON Pointer. Empty for the whole content.
  package let pointer: String
  /// The violated keyword, such as `type`.
  package let keyword: String
  /// The requirement and the value that was found, without a full stop, such as
  /// `must be a number, got "12"`.
  package let message: String
  /// The position of the place in the content. Reports are sorted by it.
  let place: Int

  /// The pointer and the message, such as `/items/3/price: must be a number, got "12"`.
  package var description: String {
    "\(pointer.isEmpty ? "the content" : pointer): \(message)"
  }
}
