import LullCore

/// Resolves references between the schemas of a file, for code that reads schemas without the
/// validator. References may contain JSON Pointers, anchors and identifiers, as in the validator.
/// Nothing is fetched. Usable on one thread at a time.
final class SchemaReferences {
  let file: SchemaFile
  private let resources = SchemaResources(documents: [:])
  private var resource: Int?

  init(_ file: SchemaFile) { self.file = file }

  /// Registers a schema of the file and all schemas nested in it, so that their anchors and
  /// identifiers can be resolved.
  func enter(_ schema: JSONElement) throws(SchemaProblem) {
    _ = try named { () throws(SchemaProblem) in
      try resources.enteredHome(of: schema, in: try opened())
    }
  }

  /// Resolves a reference that `schema` contains. If the reference can't be resolved, returns a
  /// failure with the reason.
  ///
  /// - Throws: An error if a schema on the way to the target is invalid.
  func target(of reference: String, from schema: JSONElement) throws(SchemaProblem)
    -> Result<JSONElement, SchemaResources.Lost>
  {
    try named { () throws(SchemaProblem) in
      let home = try resources.enteredHome(of: schema, in: try opened())
      return try resources.lookUp(reference, from: home).map(\.element)
    }
  }

  private func named<T>(_ body: () throws(SchemaProblem) -> T) throws(SchemaProblem) -> T {
    do throws(SchemaProblem) {
      return try body()
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

extension JSONElement {
  /// The names of the properties that this schema requires in a response. Write-only properties are
  /// omitted. (OpenAPI 3.0.4, "Schema Object": `writeOnly`)
  var requiredInAnswers: [String] {
    let names = self["required"]?.elements.compactMap(\.string) ?? []
    guard !names.isEmpty, let properties = self["properties"] else { return names }
    return names.filter { properties[$0]?["writeOnly"]?.bool != true }
  }
}
