import CLullBridge
import LullCore
import LullHost
import LullSchemas

extension Method {
  static let schemas: [Method] = [
    .function("validate", "vv") { call throws(Misuse) in
      let schema = try call.json(0, "the schema", isText: true)
      let content = try call.json(1, "the content", isText: false)
      do throws(SchemaProblem) {
        let validator = try call.part(APIFiles.self).schemas.validator(schema)
        let document: JSONDocument
        do throws(JSONError) {
          document = try JSONDocument(parsing: content)
        } catch {
          throw SchemaProblem("the content is not JSON: \(error)")
        }
        let violations = try validator.violations(of: document.root)
        guard !violations.isEmpty else { return call.return(.bool(true)) }
        call.return(.nil)
        call.return(
          .list(
            violations.map { violation in
              .map(
                ContentMisfit(
                  pointer: violation.pointer, keyword: violation.keyword,
                  message: violation.message
                ).fields)
            }))
      } catch {
        throw .message("\(error)")
      }
    }
  ]
}

extension Call {
  /// An argument as JSON; of a schema a string is that already.
  fileprivate func json(_ position: Int, _ what: String, isText: Bool) throws(Misuse) -> [UInt8] {
    let value = raw(position)
    if isText, value.kind == Int32(LULL_STRING), let bytes = value.bytes { return bytes }
    guard value.kind != Int32(LULL_NIL) else {
      throw .message("\(what) must be a value of JSON, got nil; null is lull.null")
    }
    switch reading.json.text(of: state, index(position)) {
    case .success(let bytes): return bytes
    case .failure(let problem): throw .message("\(what) cannot be encoded: \(problem.text)")
    }
  }
}
