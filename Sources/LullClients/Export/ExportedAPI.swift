package import LullSchemas

/// An API as its file describes it, ready to be written for other programs: plain values, without credentials.
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

  /// A call, and what applies to it of the service's settings.
  package struct Call {
    package var call: APICall
    /// What lets somebody in, all of it at once; empty: nothing does.
    package var access: [ExportedAccess] = []
    /// What will do too, where some of it depends on a variable; nil: nothing less will.
    package var least: [ExportedAccess]?
    /// Those of the settings, none of which is a credential.
    package var headers: [(name: String, value: String)] = []

    package init(_ call: APICall) { self.call = call }
  }

  package var name: String
  package var description: String?
  /// By which command it was exported.
  package var origin: String
  package var servers: [Server] = []
  package var calls: [Call] = []
  package var schemas: SchemaFile?
  /// Whether it is all that the file has, so that all definitions of schemas are a part of it.
  package var isWhole = true

  package init(name: String, origin: String) {
    self.name = name
    self.origin = origin
  }

  /// Something of the file that a document has no place for.
  package struct LeftOut: Hashable {
    package var what: String
    package var reason: String

    package init(_ what: String, _ reason: String) {
      self.what = what
      self.reason = reason
    }
  }
}
