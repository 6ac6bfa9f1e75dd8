/// A test as its file declares it.
struct DeclaredProof: Codable, Equatable {
  enum Mode: String, Codable {
    case plain
    /// Not run.
    case skip
    /// If there is one, no others are run.
    case only
  }

  var name: String
  /// Where in the file.
  var line: Int
  var mode: Mode
}
