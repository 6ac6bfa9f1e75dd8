package import LullCore
package import LullSchemas
import LullSystem

/// The response schemas of an API.
///
/// The method and path of a request determine the call. For a successful response, the schema that
/// the call itself declares applies. Otherwise, and for other statuses, the call's entry in the
/// schemas file applies.
///
/// The file is read when the first response must be validated. A schema is compiled at its first
/// use. Home thread only.
package final class CallSchemas: AnswerSchemas {
  /// The path of the schemas file. nil if there is none.
  package let path: String?
  let calls: DeclaredCalls
  private var base: ResourceURL?
  private lazy var routes = Result { () throws(APIFileProblem) in try makeRoutes() }
  lazy var file = path.map { path in
    Result { () throws(SchemaProblem) in try SchemaFile.read(Array(path.utf8)) }
  }
  /// The schemas that were requested. The key is the call's name, with the status or a prefix for
  /// the call's own schema.
  private var known: [String: CallAnswerSchema?] = [:]
  /// The example responses for `lull mock`, keyed by call and by the mock's origin.
  var examples: [String: MockAnswer?] = [:]
  /// The compiled schemas, separately for responses (`true`) and for everything else (`false`).
  private var validators: [Bool: FileValidators] = [:]
  /// The problems that have been reported. Each element consists of a schema, a place and a
  /// keyword.
  private var told: Set<[String]> = []

  /// - Parameter calls: The calls. Their routes are compiled when the first response arrives, and a
  ///   call is read when one of its responses arrives.
  init(_ calls: DeclaredCalls, path: String?, base: ResourceURL?) {
    self.calls = calls
    self.path = path
    self.base = base
  }

  /// Matches calls below another base URL. Used when the service has moved to that URL.
  func rebase(to base: ResourceURL?) {
    self.base = base
    routes = Result { () throws(APIFileProblem) in try makeRoutes() }
  }

  package func schema(of method: RequestMethod, _ url: String, _ body: [UInt8]?, status: Int)
    -> (any AnswerSchema)?
  {
    do throws(APIFileProblem) {
      return try call(method, url, body).flatMap { schema(of: $0, status) }
    } catch {
      return CallAnswerSchema(
        owner: "the response", validator: .failure(SchemaProblem("\(error)")))
    }
  }

  private func makeRoutes() throws(APIFileProblem) -> CallRoutes {
    var routed: [CallRoutes.Call] = []
    for name in calls.names {
      // The names are unique, so the index is unique too.
      guard let call = try calls.listed(name) else { continue }
      routed.append(
        CallRoutes.Call(
          call.method, call.path, openPlaces: call.openPlaces, operation: call.operation))
    }
    return CallRoutes(routed, base: base)
  }

  /// Returns the call that a request belongs to, or nil.
  private func call(
    _ method: RequestMethod, _ url: String, _ body: [UInt8]?
  ) throws(APIFileProblem) -> APICall? {
    guard let place = try routes.get().call(method.rawValue, url, body: body) else { return nil }
    return try calls.call(calls.names[place])
  }

  package func explanation(of method: RequestMethod, _ url: String, _ body: [UInt8]?) -> (
    isNothing: Bool, text: String
  ) {
    let fitting: APICall?
    do throws(APIFileProblem) {
      fitting = try call(method, url, body)
    } catch {
      return (true, "nothing can be validated: \(error)")
    }
    guard let call = fitting else {
      return (true, "nothing is validated, because no call of the API file matches")
    }
    var statuses = call.schema == nil ? [] : ["2XX"]
    do throws(SchemaProblem) {
      statuses += try file?.get().call(call.name)?["responses"]?.pairs.map(\.key) ?? []
    } catch {
      guard call.schema != nil else { return (true, "nothing can be validated: \(error)") }
    }
    guard !statuses.isEmpty else {
      return (true, "nothing is validated, because call '\(call.name)' has no schema")
    }
    let listed = statuses.joined(separator: ", ")
    return (false, "against the schemas of call '\(call.name)' (\(listed))")
  }

  /// Returns whether a call has a schema for its responses.
  func hasSchema(of call: APICall) -> Bool {
    if call.schema != nil { return true }
    // A schemas file that can't be read is reported separately.
    guard case .success(let file)? = file else { return self.file != nil }
    return (try? file.call(call.name)?["responses"]?.count ?? 0) != 0
  }

  /// Returns the schemas file. nil if there is none.
  package func openedFile() throws(SchemaProblem) -> SchemaFile? { try file?.get() }

  /// - Parameter isOfAnswer: Whether the schema describes a response. False for a parameter or a
  ///   request body.
  func validator(
    _ pointer: String, _ file: SchemaFile, isOfAnswer: Bool = true
  ) throws(SchemaProblem) -> SchemaValidator {
    let known = validators[isOfAnswer] ?? FileValidators(file, isOfAnswers: isOfAnswer)
    validators[isOfAnswer] = known
    return try known.validator(pointer)
  }

  private func schema(of call: APICall, _ status: Int) -> CallAnswerSchema? {
    let isSuccess = (200..<300).contains(status)
    let key = call.schema != nil && isSuccess ? "own \(call.name)" : "\(status) \(call.name)"
    if let schema = known[key] { return schema }
    let schema = make(call, status, isSuccess)
    known[key] = schema
    return schema
  }

  private func make(_ call: APICall, _ status: Int, _ isSuccess: Bool) -> CallAnswerSchema? {
    let owner = "call '\(call.name)'"
    do throws(SchemaProblem) {
      if isSuccess, let schema = call.schema {
        return CallAnswerSchema(owner: owner, validator: .success(try validator(of: schema)))
      }
      guard let file = try file?.get(), let responses = try file.call(call.name)?["responses"]
      else { return nil }
      let statuses = ["\(status)", "\(status / 100)XX", "\(status / 100)xx", "default"]
      guard let found = statuses.first(where: { responses[$0] != nil }) else { return nil }
      let pointer = "#/calls/\(JSONPointer.escaped(call.name))/responses/\(found)"
      return CallAnswerSchema(
        owner: owner, validator: .success(try validator(pointer, file)))
    } catch {
      return CallAnswerSchema(owner: owner, validator: .failure(error))
    }
  }

  func validator(of schema: CallSchema) throws(SchemaProblem) -> SchemaValidator {
    switch schema {
    case .document(let document): return try SchemaValidator(document.root)
    case .definition(let name):
      guard let file = try file?.get() else {
        throw SchemaProblem("'\(name)' is not defined: the API file names no 'schemas'")
      }
      return try validator("#/$defs/\(JSONPointer.escaped(name))", file)
    }
  }

  // MARK: Warnings

  /// The maximum number of problems that are reported as warnings.
  private static let mostTold = 100

  package func warn(_ misfits: [ContentMisfit], by schema: any AnswerSchema) {
    for misfit in misfits where told.count < CallSchemas.mostTold {
      // In an array, a problem that many elements have is reported once.
      let place = misfit.pointer.split(separator: "/").map { Int($0) == nil ? String($0) : "*" }
      guard told.insert([schema.owner, misfit.keyword] + place).inserted else { continue }
      let rest =
        told.count == CallSchemas.mostTold ? " (further validation warnings are not shown)" : ""
      // The warning is one line, even if member names contain line breaks.
      let text = LogText.part("\(schema.owner): \(misfit)", limit: 500)
      StandardError.write("lull: warning: \(text)\(rest)\n")
    }
  }
}

/// Escapes names in a JSON Pointer that is a URL fragment.
package enum JSONPointer {
  package static func escaped(_ token: String) -> String {
    let escaped = token.replacing("~", with: "~0").replacing("/", with: "~1")
    let bytes = Array(escaped.utf8)
    return String(decoding: PercentEncoding.encode(bytes[...]), as: UTF8.self)
  }
}

/// The schema that an API file itself declares for a call's responses.
package enum CallSchema: Sendable {
  /// A schema written in the API file.
  case document(JSONDocument)
  /// The name of a definition in the schemas file.
  case definition(String)
}

/// The schema for a call's responses with one status, or the reason why it can't be used.
struct CallAnswerSchema: AnswerSchema {
  let owner: String
  let validator: Result<SchemaValidator, SchemaProblem>

  /// The maximum number of problems that one error lists.
  private static let mostMisfits = 20

  func misfits(of content: JSONElement) -> [ContentMisfit] {
    do throws(SchemaProblem) {
      return try validator.get().violations(of: content, limit: CallAnswerSchema.mostMisfits).map {
        ContentMisfit(pointer: $0.pointer, keyword: $0.keyword, message: $0.message)
      }
    } catch {
      return [
        ContentMisfit(
          pointer: "", keyword: "schema", message: "cannot be validated: \(error)")
      ]
    }
  }
}

/// The schemas that a script has compiled, keyed by their source. A loop compiles the same schema
/// only once.
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
