package import LullCore

/// What an API file says of the answers of a call itself.
package enum CallSchema: Sendable {
  /// A schema written in the file.
  case document(JSONDocument)
  /// The name of a definition in the file of schemas.
  case definition(String)
}
