import LullCore

/// What references within the schemas of a file lead to, for those who read schemas as they stand: by pointers,
/// anchors and identifiers, as for the validator. Nothing is fetched. One thread at a time.
final class SchemaReferences {
  let file: SchemaFile
  private let resources = SchemaResources(documents: [:])
  private var resource: Int?

  init(_ file: SchemaFile) { self.file = file }

  /// What a reference of a schema leads to, or why to nothing.
  ///
  /// - Throws: What is wrong with a schema on the way.
  func target(of reference: String, from schema: JSONElement) throws(SchemaProblem)
    -> Result<JSONElement, SchemaResources.Lost>
  {
    do throws(SchemaProblem) {
      let home = try resources.enteredHome(of: schema, in: try opened())
      return try resources.lookUp(reference, from: home).map(\.element)
    } catch {
      var problem = error
      problem.file = problem.file ?? file.name
      throw problem
    }
  }

  private func opened() throws(SchemaProblem) -> Int {
    if let resource { return resource }
    let made = try resources.add(file.root.map { .element($0) } ?? .file(file), uri: "")
    resource = made
    return made
  }
}
