package import LullCore

/// A call as shown in lists. It consists of the plain values in its declaration, which may be
/// invalid in other respects.
package struct ListedCall {
  package let name: String
  package let method: RequestMethod
  /// The path, with `{name}` for a parameter.
  package let path: String
  package let description: String?
  /// The placeholders of the call's path that may contain slashes.
  package let openPlaces: Set<String>
  /// The operation of a GraphQL call.
  let operation: GraphQLRequestKey?
}

extension ListedCall {
  init(_ call: APICall) {
    self.init(
      name: call.name, method: call.method, path: call.path, description: call.description,
      openPlaces: call.openPlaces, operation: call.graphQL.map { GraphQLRequestKey($0) })
  }
}
