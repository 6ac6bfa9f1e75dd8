/// The compiled validators of a file's schemas, for responses or requests. Shared parts are
/// compiled once. One thread at a time.
package final class FileValidators {
  package let file: SchemaFile
  private var known: [String: SchemaValidator] = [:]
  private var compiler: SchemaCompiler?
  private var resource = 0
  private let isOfAnswers: Bool

  /// Makes validators.
  ///
  /// - Parameter isOfAnswers: Whether write-only properties may be missing.
  package init(_ file: SchemaFile, isOfAnswers: Bool = true) {
    self.file = file
    self.isOfAnswers = isOfAnswers
  }

  /// The validator for a pointer, such as `#/$defs/user`.
  package func validator(_ pointer: String) throws(SchemaProblem) -> SchemaValidator {
    if let known = known[pointer] { return known }
    do throws(SchemaProblem) {
      var compiler = try opened()
      // Removed meanwhile, so that modifying it makes no copy.
      self.compiler = nil
      let element = try compiler.resources.find(pointer, from: resource).element
      let made = try SchemaValidator(element, resource, &compiler)
      self.compiler = compiler
      known[pointer] = made
      return made
    } catch {
      // A partly built compiler can't be used again.
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
