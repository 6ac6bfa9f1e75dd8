package import LullCore

/// A compiled JSON Schema, draft 2020-12. It can validate any number of contents. Usable on any
/// thread.
///
/// The vocabularies core, applicator, unevaluated and validation are supported. `format`, the
/// meta-data and content vocabularies, and unknown keywords have no effect. Nothing is fetched: a
/// reference must lead to the document itself or to one of the given documents.
///
///     let validator = try SchemaValidator(schema.root)
///     for violation in try validator.violations(of: content.root) { print(violation) }
package struct SchemaValidator: Sendable {
  let nodes: [SchemaNode]
  let root: Int
  /// The nodes of dynamic anchors, by resource and then by name. Empty if no dynamic reference
  /// needs them.
  let dynamicAnchors: [Int: [String: Int]]
  let isDynamic: Bool

  /// Compiles a schema.
  ///
  /// - Parameter documents: Additional documents for references, by URI.
  /// - Throws: An error with the problem in the schema and its position.
  package init(
    _ schema: JSONElement, documents: [String: JSONElement] = [:]
  ) throws(SchemaProblem) {
    let resources = SchemaResources(documents: documents)
    let resource = try resources.add(.element(schema), uri: "")
    try self.init(schema, resource, resources)
  }

  /// Compiles the schema at a JSON Pointer in a file, such as `#/$defs/user`. The schema may refer
  /// to the definitions of the file.
  package init(_ pointer: String, in file: SchemaFile)
    throws(SchemaProblem)
  {
    let resources = SchemaResources(documents: [:])
    let resource = try resources.add(.file(file), uri: "")
    do throws(SchemaProblem) {
      let element = try resources.find(pointer, from: resource).element
      try self.init(element, resource, resources)
    } catch {
      var problem = error
      problem.file = problem.file ?? file.name
      throw problem
    }
  }

  /// Compiles several schemas of a file and returns their problems. `place` is the index in
  /// `pointers` of the schema with the problem. A problem in a shared definition is reported only
  /// for the first schema that uses the definition.
  package static func problems(at pointers: [String], in file: SchemaFile) -> [(
    place: Int, problem: SchemaProblem
  )] {
    let resources = SchemaResources(documents: [:])
    guard let resource = try? resources.add(.file(file), uri: "") else { return [] }
    var compiler = SchemaCompiler(resources)
    var problems: [(place: Int, problem: SchemaProblem)] = []
    for (place, pointer) in pointers.enumerated() {
      do throws(SchemaProblem) {
        _ = try compiler.compile(try resources.find(pointer, from: resource).element, resource)
      } catch {
        var problem = error
        problem.file = problem.file ?? file.name
        problems.append((place, problem))
        compiler.giveUp()
      }
    }
    return problems
  }

  private init(_ element: JSONElement, _ resource: Int, _ resources: SchemaResources)
    throws(SchemaProblem)
  {
    var compiler = SchemaCompiler(resources)
    try self.init(element, resource, &compiler)
  }

  /// Compiles a schema with a compiler that may already have compiled other schemas.
  init(_ element: JSONElement, _ resource: Int, _ compiler: inout SchemaCompiler)
    throws(SchemaProblem)
  {
    root = try compiler.compile(element, resource)
    nodes = compiler.nodes
    dynamicAnchors = compiler.dynamicAnchors
    isDynamic = compiler.isDynamic
  }

  /// Returns the violations in `content`, in the order of the content. Empty if the content is
  /// valid.
  ///
  /// - Parameter limit: The largest number of violations to find.
  /// - Throws: An error if a limit on the time or the depth is exceeded.
  package func violations(of content: JSONElement, limit: Int = 20) throws(SchemaProblem)
    -> [SchemaViolation]
  {
    var run = SchemaRun(self, content.document, limit: limit)
    return try run.violations(of: content.index)
  }

  /// Returns whether the content is valid. This is faster than finding the violations.
  package func fits(_ content: JSONElement) throws(SchemaProblem) -> Bool {
    var run = SchemaRun(self, content.document, limit: 0)
    return try run.violations(of: content.index, isSilent: true).isEmpty
  }
}
