import LullCore
import LullSchemas

/// Schemas of a script that are made ready, by their texts: whoever validates in a loop makes them once.
struct KnownSchemas {
  private static let most = 32
  private var validators: [[UInt8]: SchemaValidator] = [:]

  mutating func validator(_ text: [UInt8]) throws(SchemaProblem) -> SchemaValidator {
    if let known = validators[text] { return known }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: text)
    } catch {
      throw SchemaProblem("is not JSON: \(error)")
    }
    let validator = try SchemaValidator(document.root)
    if validators.count >= KnownSchemas.most { validators = [:] }
    validators[text] = validator
    return validator
  }
}
