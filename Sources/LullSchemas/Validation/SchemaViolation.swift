/// A violation of a schema at one position of the content.
package struct SchemaViolation: Sendable, Hashable, CustomStringConvertible {
  /// The position in the content as a JSON Pointer; empty for the whole content.
  package let pointer: String
  /// The violated keyword, such as `type`.
  package let keyword: String
  /// The requirement and the value that was found, without a full stop, such as
  /// `must be a number, got "12"`.
  package let message: String
  /// The tape position of the value. Violations are sorted by it in reports.
  let place: Int

  /// The pointer and the message, such as `/items/3/price: must be a number, got "12"`.
  package var description: String {
    "\(pointer.isEmpty ? "the content" : pointer): \(message)"
  }
}
