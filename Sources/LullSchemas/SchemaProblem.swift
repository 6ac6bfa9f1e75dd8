/// The reason why a schema or a schema file can't be used, and the place of the problem.
package struct SchemaProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the file in messages. nil if the schema does not come from a file.
  package var file: String?
  /// The line of the problem, starting at 1. nil if it is unknown.
  package var line: Int?
  /// The JSON Pointer of the schema with the problem. nil if the problem is not in a schema.
  package var pointer: String?
  /// The message, without a full stop.
  package var message: String

  package init(
    _ message: String, file: String? = nil, line: Int? = nil, pointer: String? = nil
  ) {
    self.message = message
    self.file = file
    self.line = line
    self.pointer = pointer
  }

  package var description: String {
    var place = file ?? ""
    if let line { place += place.isEmpty ? "line \(line)" : ":\(line)" }
    if let pointer, !pointer.isEmpty { place += (place.isEmpty ? "" : ": ") + pointer }
    return place.isEmpty ? message : "\(place): \(message)"
  }
}
