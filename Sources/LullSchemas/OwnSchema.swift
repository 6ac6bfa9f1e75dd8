package import LullCore

/// A schema that the API file says of a call's successes itself; there it counts before the file of schemas.
package enum OwnSchema: Sendable {
  case document(JSONElement)
  /// By its name among those of the file of schemas.
  case definition(String)

  /// - Throws: A definition that `file` does not have.
  func element(ofCall call: String, in file: SchemaFile?) throws(SchemaProblem) -> JSONElement {
    switch self {
    case .document(let root): return root
    case .definition(let name):
      guard let element = try file?.definition(name) else {
        throw SchemaProblem(
          "call '\(call)' names '\(name)', which is not defined", file: file?.name)
      }
      return element
    }
  }

  /// What references within a document of its own are of.
  static func file(_ root: JSONElement, ofCall call: String) -> SchemaFile {
    SchemaFile(root: root, name: "the schema of call '\(call)'")
  }
}
