/// A problem with a schema or a schema file that makes it unusable: the reason and the position.
package struct SchemaProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the file, as used in messages; nil if the schema does not come from a file.
  package var file: String?
  /// The number of the line with the problem, starting at 1; nil if unknown.
  package var line: Int?
  /// The JSON Pointer of the schema with the problem; nil if the problem is not in a schema.
  package var pointer: String?
  /// The reason, as a message without a full stop.
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
