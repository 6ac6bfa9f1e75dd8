package import LullCore

/// A schema of JSON Schema, draft 2020-12, made ready once for any number of contents. Any thread.
///
/// It knows the keywords of the vocabularies core, applicator, unevaluated and validation; `format`, those
/// of meta-data and of content, and unknown ones say nothing of whether content fits. Nothing is fetched: a
/// reference that leads outside of the document, and of those given, is an error.
///
///     let validator = try SchemaValidator(schema.root)
///     for violation in try validator.violations(of: content.root) { print(violation) }
package struct SchemaValidator: Sendable {
  let nodes: [SchemaNode]
  let root: Int
  /// By resource; empty where nothing refers to them.
  let dynamicAnchors: [Int: [String: Int]]
  let isDynamic: Bool

  /// - Parameter documents: what else references may lead to, by URI.
  /// - Throws: What is wrong with the schema, and where in it.
  package init(
    _ schema: JSONElement, documents: [String: JSONElement] = [:]
  ) throws(SchemaProblem) {
    let resources = SchemaResources(documents: documents)
    let resource = try resources.add(.element(schema), uri: "")
    try self.init(schema, resource, resources)
  }

  /// A schema within a file, by its pointer there, such as `#/$defs/user`; references to the file's
  /// definitions are followed.
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

  /// What is wrong with schemas of a file, by their places among the pointers; what several refer to is told of
  /// the first.
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

  /// With what the compiler has made before.
  init(_ element: JSONElement, _ resource: Int, _ compiler: inout SchemaCompiler)
    throws(SchemaProblem)
  {
    root = try compiler.compile(element, resource)
    nodes = compiler.nodes
    dynamicAnchors = compiler.dynamicAnchors
    isDynamic = compiler.isDynamic
  }

  /// Where content is not as the schema says, in the order of the content; empty if it fits.
  ///
  /// - Parameter limit: how many are looked for, at most.
  /// - Throws: Why it cannot be told: limits of time or depth.
  package func violations(of content: JSONElement, limit: Int = 20) throws(SchemaProblem)
    -> [SchemaViolation]
  {
    var run = SchemaRun(self, content.document, limit: limit)
    return try run.violations(of: content.index)
  }

  /// The same without telling where.
  package func fits(_ content: JSONElement) throws(SchemaProblem) -> Bool {
    var run = SchemaRun(self, content.document, limit: 0)
    return try run.violations(of: content.index, isSilent: true).isEmpty
  }
}
