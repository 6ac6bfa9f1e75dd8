/// An API as a document, a recording or a command line describes it, ready to be written as an API file: plain
/// values, in which every text is one of somebody else's and none is code.
package struct ImportedAPI: Equatable, Sendable {
  /// Lines of the comment at the head, without dashes: what it was made of, and by which command.
  package var origin: [String] = []
  package var description: String?
  package var baseURL: String
  /// Other servers that the document names, with what it says of them, which stay comments.
  package var otherServers: [(url: String, description: String?)] = []
  /// By name, which an environment of the file has.
  package var environments: [(name: String, baseURL: String)] = []
  package var headers: [(name: String, value: ImportedText)] = []
  package var access = ImportedAccess()
  /// Where something else holds than for the rest; the last that matches counts.
  package var exceptions: [ImportedException] = []
  /// The name of the file of schemas beside the API file.
  package var schemas: String?
  package var calls: [ImportedCall] = []
  /// What cannot be called, in the order of the document.
  package var leftOut: [LeftOut] = []
  /// What was understood in another way than the document may mean it.
  package var notes: [String] = []

  package init(baseURL: String) { self.baseURL = baseURL }

  /// The port of the environment `mock`.
  package static let mockPort = 8080

  /// Adds the environment `mock`, that of `lull mock --port 8080`, which serves calls below the same
  /// path.
  package mutating func addMock() {
    guard !environments.contains(where: { $0.name == "mock" }) else { return }
    let rest = baseURL.firstRange(of: "://").map { baseURL[$0.upperBound...] } ?? ""
    var path = rest.drop { $0 != "/" }.prefix { !"?#".contains($0) }
    if path.hasSuffix("/") { path = path.dropLast() }
    environments.append(("mock", "http://localhost:\(ImportedAPI.mockPort)\(path)"))
  }

  /// Something that has no call in the file.
  package struct LeftOut: Equatable, Sendable {
    /// As people find it in the document: `GET /users/{id}`.
    package var what: String
    package var reason: String

    package init(what: String, reason: String) {
      self.what = what
      self.reason = reason
    }
  }

  package static func == (left: ImportedAPI, right: ImportedAPI) -> Bool {
    left.origin == right.origin && left.description == right.description
      && left.baseURL == right.baseURL && left.access == right.access
      && left.exceptions == right.exceptions && left.schemas == right.schemas
      && left.calls == right.calls && left.leftOut == right.leftOut && left.notes == right.notes
      && left.otherServers.elementsEqual(right.otherServers, by: ==)
      && left.environments.elementsEqual(right.environments, by: ==)
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}

/// A text, or one that the environment holds since it lets somebody in.
package enum ImportedText: Equatable, Sendable {
  /// Not sent, where it would be by itself.
  case nothing
  case plain(String)
  /// What stands before it, and the variable that it comes from.
  case secret(prefix: String, variable: String)
}
