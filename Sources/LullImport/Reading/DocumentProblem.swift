/// Why a document is refused, or cannot be read: what is wrong, and where.
package struct DocumentProblem: Error, Equatable, CustomStringConvertible {
  /// The file or the URL; empty where that is known to whoever reads.
  package var file: String
  /// Counted from 1; nil where no place is known.
  package var line: Int?
  package var column: Int?
  /// Without full stop.
  package var text: String

  package init(_ text: String, file: String = "", line: Int? = nil, column: Int? = nil) {
    self.text = text
    self.file = file
    self.line = line
    self.column = column
  }

  package var description: String {
    var place = file
    if let line { place += ":\(line)" }
    if let column { place += ":\(column)" }
    return place.isEmpty ? text : "\(place): \(text)"
  }
}
