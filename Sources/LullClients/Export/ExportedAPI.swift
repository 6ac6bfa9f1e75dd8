package import LullSchemas

/// An API as described by its file, ready to be exported: plain values without credentials.
///
/// Behaviours: EXT-01 to EXT-11.
package struct ExportedAPI {
  package struct Server: Equatable {
    package var url: String
    package var description: String?

    package init(url: String, description: String? = nil) {
      self.url = url
      self.description = description
    }
  }

  /// A call, with the service settings that apply to it.
  package struct Call {
    package var call: APICall
    /// The credentials it needs, all of them together; empty for none.
    package var access: [ExportedAccess] = []
    /// A smaller set of credentials that is sufficient, if some of them depend on a variable; nil
    /// if all are needed.
    package var least: [ExportedAccess]?
    /// The headers of the settings, without credentials.
    package var headers: [(name: String, value: String)] = []

    package init(_ call: APICall) { self.call = call }
  }

  package var name: String
  package var description: String?
  /// The command that exported it.
  package var origin: String
  package var servers: [Server] = []
  /// The environments that the file declares, with their base URLs; nil: not known.
  package var environments: [(name: String, url: String?)] = []
  /// The base URL without an environment, or of the one that was named.
  package var baseURL: String?
  package var calls: [Call] = []
  package var schemas: SchemaFile?
  /// Whether the whole file is exported, so that all schema definitions are included.
  package var isWhole = true

  package init(name: String, origin: String) {
    self.name = name
    self.origin = origin
  }

  /// A part of the file that the document can't express.
  package struct LeftOut: Hashable {
    package var what: String
    package var reason: String

    package init(_ what: String, _ reason: String) {
      self.what = what
      self.reason = reason
    }
  }
}
