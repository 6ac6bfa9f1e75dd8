/// Why a schema or a schema file can't be used, and where the problem is.
package struct SchemaProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the file in messages; nil for a schema from elsewhere.
  package var file: String?
  /// Counted from 1.
  package var line: Int?
  /// The JSON Pointer of the schema; nil if the problem isn't in a schema.
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
