/// The schemas of a file, of answers or of what is sent, that have been made ready: what several refer to
/// is made once. One thread at a time.
package final class FileValidators {
  package let file: SchemaFile
  private var known: [String: SchemaValidator] = [:]
  private var compiler: SchemaCompiler?
  private var resource = 0
  private let isOfAnswers: Bool

  /// - Parameter isOfAnswers: whether what is only written need not be there.
  package init(_ file: SchemaFile, isOfAnswers: Bool = true) {
    self.file = file
    self.isOfAnswers = isOfAnswers
  }

  /// The schema at a pointer, such as `#/$defs/user`.
  package func validator(_ pointer: String) throws(SchemaProblem) -> SchemaValidator {
    if let known = known[pointer] { return known }
    do throws(SchemaProblem) {
      var compiler = try opened()
      // Not held twice while it grows.
      self.compiler = nil
      let element = try compiler.resources.find(pointer, from: resource).element
      let made = try SchemaValidator(element, resource, &compiler)
      self.compiler = compiler
      known[pointer] = made
      return made
    } catch {
      // What is half made is of no use to anybody.
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
