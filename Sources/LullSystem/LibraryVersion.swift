/// A library that Lull uses, as reported by `lull doctor`.
package struct LibraryVersion: Sendable {
  package let name: String
  /// The version of the library; nil if the library cannot be loaded.
  package let version: String?
  /// The reason why the library cannot be loaded; nil if it can.
  package let problem: String?
  /// The features that need the library, as a phrase within a sentence.
  package let purpose: String
  /// The Debian package that contains the library.
  package let debianPackage: String

  /// Loads a library to find its version.
  ///
  /// - Parameter load: Returns the version, or NULL after storing the reason for the failure. The
  ///   texts are copied.
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
