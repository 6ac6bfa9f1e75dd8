package import LullCore

/// A schema that the API file itself declares for the successful responses of a call. It takes
/// precedence over the schema file.
package enum OwnSchema: Sendable {
  case document(JSONElement)
  /// The name of a definition in the schema file.
  case definition(String)

  /// Returns the JSON Schema of a call.
  ///
  /// - Throws: An error if `file` does not have the definition.
  func element(ofCall call: String, in file: SchemaFile?) throws(SchemaProblem) -> JSONElement {
    switch self {
    case .document(let root): return root
    case .definition(let name):
      guard let element = try file?.definition(name) else {
        throw SchemaProblem(
          "call '\(call)' names the schema '\(name)', which is not defined", file: file?.name)
      }
      return element
    }
  }

  /// Returns a schema file that consists of one schema. References in this schema are resolved
  /// within it.
  static func file(_ root: JSONElement, ofCall call: String) -> SchemaFile {
    SchemaFile(root: root, name: "the schema of call '\(call)'")
  }
}
