/// A declared call, as a script has made a request or a resource of it.
package struct DeclaredUse {
  package let api: APIFile
  package let call: APICall
  /// The parameters that the script has given; others may have their defaults.
  package let given: Set<String>
  package let values: [String: CallValue]
  /// What it is about, with masks in the place of secrets.
  package let url: String
}
