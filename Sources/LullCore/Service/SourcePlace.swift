/// A line of a source text, for people to find.
package struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The file as messages name it, or what else the text is called.
  package var file: String
  /// Counted from 1; 0: the file as a whole.
  package var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  package var description: String { line > 0 ? "\(file):\(line)" : file }
}
