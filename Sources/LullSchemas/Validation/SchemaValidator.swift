package import LullCore

/// A compiled JSON Schema, draft 2020-12, for any number of contents. Any thread.
///
/// It supports the vocabularies core, applicator, unevaluated and validation. `format`, the
/// meta-data and content vocabularies, and unknown keywords have no effect. Nothing is fetched: a
/// reference that leads outside the document and the given documents is an error.
///
///     let validator = try SchemaValidator(schema.root)
///     for violation in try validator.violations(of: content.root) { print(violation) }
package struct SchemaValidator: Sendable {
  let nodes: [SchemaNode]
  let root: Int
  /// By resource; empty if no dynamic reference uses them.
  let dynamicAnchors: [Int: [String: Int]]
  let isDynamic: Bool

  /// Compiles a schema.
  ///
  /// - Parameter documents: Further documents for references, by URI.
  /// - Throws: The problem with the schema, and its place.
  package init(
    _ schema: JSONElement, documents: [String: JSONElement] = [:]
  ) throws(SchemaProblem) {
    let resources = SchemaResources(documents: documents)
    let resource = try resources.add(.element(schema), uri: "")
    try self.init(schema, resource, resources)
  }

  /// Compiles a schema in a file by its pointer, such as `#/$defs/user`. References to the file's
  /// definitions are resolved.
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

  /// The problems with schemas of a file, by their positions in `pointers`. A problem in a shared
  /// definition is reported for the first one.
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

  /// Compiles a schema with a compiler that may contain other schemas already.
  init(_ element: JSONElement, _ resource: Int, _ compiler: inout SchemaCompiler)
    throws(SchemaProblem)
  {
    root = try compiler.compile(element, resource)
    nodes = compiler.nodes
    dynamicAnchors = compiler.dynamicAnchors
    isDynamic = compiler.isDynamic
  }

  /// The violations in the order of the content; empty if it fits.
  ///
  /// - Parameter limit: The largest number of violations to find.
  /// - Throws: An error if a limit of time or depth is exceeded.
  package func violations(of content: JSONElement, limit: Int = 20) throws(SchemaProblem)
    -> [SchemaViolation]
  {
    var run = SchemaRun(self, content.document, limit: limit)
    return try run.violations(of: content.index)
  }

  /// Whether the content fits, without details.
  package func fits(_ content: JSONElement) throws(SchemaProblem) -> Bool {
    var run = SchemaRun(self, content.document, limit: 0)
    return try run.violations(of: content.index, isSilent: true).isEmpty
  }
}
