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

  /// nil where it has to be read for that.
  init?(_ outline: CallOutline, named name: String, in source: [UInt8]) {
    guard !outline.mayBeOpen, case .text(let path) = outline.path,
      let path = path.text(in: source), !path.isEmpty
    else { return nil }
    var description: String?
    switch outline.description {
    case .nothing: break
    case .text(let text):
      guard let text = text.text(in: source) else { return nil }
      description = text
    case .more: return nil
    }
    var method = RequestMethod.get
    switch outline.method {
    case .nothing: break
    case .text(let text):
      guard let known = text.text(in: source).flatMap({ RequestMethod(rawValue: $0) }) else {
        return nil
      }
      method = known
    case .more: return nil
    }
    self.init(
      name: name, method: method, path: path, description: description, openPlaces: [])
  }
}
