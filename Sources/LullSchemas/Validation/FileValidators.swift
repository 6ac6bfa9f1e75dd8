/// The compiled validators for the schemas of a file, either for responses or for requests. Schemas
/// used by several validators are compiled once. Usable on one thread at a time.
package final class FileValidators {
  package let file: SchemaFile
  private var known: [String: SchemaValidator] = [:]
  private var compiler: SchemaCompiler?
  private var resource = 0
  private let isOfAnswers: Bool

  /// Creates validators for the schemas of a file. They are compiled on first use.
  ///
  /// - Parameter isOfAnswers: Whether the validated contents are responses, in which write-only
  ///   properties may be missing.
  package init(_ file: SchemaFile, isOfAnswers: Bool = true) {
    self.file = file
    self.isOfAnswers = isOfAnswers
  }

  /// Returns the validator for the schema at a JSON Pointer, such as `#/$defs/user`.
  package func validator(_ pointer: String) throws(SchemaProblem) -> SchemaValidator {
    if let known = known[pointer] { return known }
    do throws(SchemaProblem) {
      var compiler = try opened()
      // The compiler is removed from the property while it is modified, so that it is not copied.
      self.compiler = nil
      let element = try compiler.resources.find(pointer, from: resource).element
      let made = try SchemaValidator(element, resource, &compiler)
      self.compiler = compiler
      known[pointer] = made
      return made
    } catch {
      // A compiler can't be used again after an error.
      compiler = nil
      var problem = error
      problem.file = problem.file ?? file.name
      throw problem
    }
  }

  private func opened() throws(SchemaProblem) -> SchemaCompiler {
    if let compiler { return compiler }
    let resources = SchemaResources(documents: [:])
    resource = try resources.add(.file(file), uri: "")
    return SchemaCompiler(resources, isOfAnswers: isOfAnswers)
  }
}
