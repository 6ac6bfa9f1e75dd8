/// A place where content is not as its schema says. Lua: an element of `err.cause.errors`.
public struct ContentMisfit: Sendable, Hashable, CustomStringConvertible {
  /// A JSON Pointer, such as `/items/3/price`; empty for the content as a whole.
  public let pointer: String
  /// The keyword of the schema that it does not fit, such as `type`.
  public let keyword: String
  /// What was expected and what is there, such as `must be a number, got "12"`.
  public let message: String

  package init(pointer: String, keyword: String, message: String) {
    self.pointer = pointer
    self.keyword = keyword
    self.message = message
  }

  /// Such as `/items/3/price: must be a number, got "12"`.
  public var description: String { "\(pointer.isEmpty ? "the content" : pointer): \(message)" }
}
