import LullCore
import LullSchemas

/// The schema of a call's answers of one status, or why there is none that can be used.
struct CallAnswerSchema: AnswerSchema {
  let owner: String
  let validator: Result<SchemaValidator, SchemaProblem>

  /// As many as a cause has.
  private static let mostMisfits = 20

  func misfits(of content: JSONElement) -> [ContentMisfit] {
    do throws(SchemaProblem) {
      return try validator.get().violations(of: content, limit: CallAnswerSchema.mostMisfits).map {
        ContentMisfit(pointer: $0.pointer, keyword: $0.keyword, message: $0.message)
      }
    } catch {
      return [
        ContentMisfit(
          pointer: "", keyword: "schema", message: "cannot be held against its schema: \(error)")
      ]
    }
  }
}
