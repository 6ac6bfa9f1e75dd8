import LullCore

/// What references within the schemas of a file lead to, for those who read schemas as they stand: by pointers,
/// anchors and identifiers, as for the validator. Nothing is fetched. One thread at a time.
final class SchemaReferences {
  let file: SchemaFile
  private let resources = SchemaResources(documents: [:])
  private var resource: Int?

  init(_ file: SchemaFile) { self.file = file }

  /// Comes to a schema that stands in the file, and to all in it: what is called by names there is known then.
  func enter(_ schema: JSONElement) throws(SchemaProblem) {
    _ = try named { () throws(SchemaProblem) in
      try resources.enteredHome(of: schema, in: try opened())
    }
  }

  /// What a reference of a schema leads to, or why to nothing.
  ///
  /// - Throws: What is wrong with a schema on the way.
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
  /// Of a schema the names that an answer must have: what is only written is in none.
  /// (OpenAPI 3.0.4, "Schema Object": `writeOnly`)
  var requiredInAnswers: [String] {
    let names = self["required"]?.elements.compactMap(\.string) ?? []
    guard !names.isEmpty, let properties = self["properties"] else { return names }
    return names.filter { properties[$0]?["writeOnly"]?.bool != true }
  }
}
