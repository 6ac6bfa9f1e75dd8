/// A library that Lull uses, for `lull doctor`.
package struct LibraryVersion: Sendable {
  package let name: String
  /// nil if it cannot be loaded.
  package let version: String?
  /// Why it cannot be loaded.
  package let problem: String?
  /// The features that need it, for a sentence.
  package let purpose: String
  /// The Debian package.
  package let debianPackage: String

  /// - Parameter load: returns the version, or NULL and the reason; the texts are copied.
  package init(
    _ name: String, for purpose: String, debian: String,
    _ load: (inout UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
  ) {
    var problem: UnsafePointer<CChar>?
    let version = load(&problem)
    self.name = name
    self.version = version.map { String(cString: $0) }
    self.problem = problem.map { String(cString: $0) }
    self.purpose = purpose
    debianPackage = debian
  }
}
