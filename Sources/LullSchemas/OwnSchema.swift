package import LullCore

/// A schema for the successful responses of a call, declared in the API file. It takes precedence
/// over the schema file.
package enum OwnSchema: Sendable {
  case document(JSONElement)
  /// The name of a definition in the schema file.
  case definition(String)

  /// The schema itself.
  ///
  /// - Throws: An error if `file` doesn't have the definition.
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

  /// The file against which references within the schema are resolved.
  static func file(_ root: JSONElement, ofCall call: String) -> SchemaFile {
    SchemaFile(root: root, name: "the schema of call '\(call)'")
  }
}
