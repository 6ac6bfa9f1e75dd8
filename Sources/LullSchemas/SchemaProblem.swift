/// Why a schema, or a file of schemas, cannot be used: what is wrong, and where.
package struct SchemaProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// As messages name the file; nil for a schema that stands elsewhere.
  package var file: String?
  /// Counted from 1.
  package var line: Int?
  /// The JSON Pointer of the schema; nil if it is not about one.
  package var pointer: String?
  /// In words, without full stop.
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
