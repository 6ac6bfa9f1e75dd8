/// A line of a source text, for people to find.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The file as messages name it, `Module/File.swift` in Swift, or what else the text is called.
  public let file: String
  /// Counted from 1; 0: the file as a whole.
  public package(set) var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  /// `Module/File.swift:12`
  public var description: String { line > 0 ? "\(file):\(line)" : file }
}
