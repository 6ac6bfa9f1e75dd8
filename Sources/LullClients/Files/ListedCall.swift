package import LullCore

/// A call as lists have it: what its text says of it in plain sight, whether or not all of it is right.
package struct ListedCall {
  package let name: String
  package let method: RequestMethod
  /// With `{name}` where a parameter stands.
  package let path: String
  package let description: String?
  /// The places of its path that take slashes too.
  package let openPlaces: Set<String>
}

extension ListedCall {
  init(_ call: APICall) {
    self.init(
      name: call.name, method: call.method, path: call.path, description: call.description,
      openPlaces: call.openPlaces)
  }
}
