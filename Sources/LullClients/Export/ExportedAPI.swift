package import LullSchemas

/// The content of an API file in a form that can be exported: plain values without credentials.
///
/// Behaviours: EXT-01 to EXT-12.
package struct ExportedAPI {
  package struct Server: Equatable {
    package var url: String
    package var description: String?

    package init(url: String, description: String? = nil) {
      self.url = url
      self.description = description
    }
  }

  /// A call together with the settings of the service that apply to it.
  package struct Call {
    package var call: APICall
    /// The credentials that the call needs. All of them are sent together. Empty if it needs none.
    package var access: [ExportedAccess] = []
    /// The smaller set of credentials that is sufficient, if some of them exist only when a
    /// variable is set. nil if all are always needed.
    package var least: [ExportedAccess]?
    /// The headers that the settings add, without credentials.
    package var headers: [(name: String, value: String)] = []

    package init(_ call: APICall) { self.call = call }
  }

  package var name: String
  package var description: String?
  /// The command line that repeats the export.
  package var origin: String
  package var servers: [Server] = []
  /// The environments that the file declares, with their base URLs. The URL is nil if it is not
  /// known.
  package var environments: [(name: String, url: String?)] = []
  /// The base URL of the selected environment, or else of the file without an environment.
  package var baseURL: String?
  package var calls: [Call] = []
  package var schemas: SchemaFile?
  /// Whether the whole file is exported, so that all schema definitions are included.
  package var isWhole = true

  package init(name: String, origin: String) {
    self.name = name
    self.origin = origin
  }

  /// A part of the API file that the document can't express.
  package struct LeftOut: Hashable {
    package var what: String
    package var reason: String

    package init(_ what: String, _ reason: String) {
      self.what = what
      self.reason = reason
    }
  }
}
