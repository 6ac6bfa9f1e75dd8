package import LullCore
package import LullSchemas
import LullSystem

/// The schemas of the answers of an API: of the call whose method and path fit a request what it says itself,
/// of successes, else what the file of schemas says of it.
///
/// The file is read when the first answer is to be validated, and a schema is made ready at its first use. Home
/// thread only.
package final class CallSchemas: AnswerSchemas {
  /// Where the file of schemas is; nil: there is none.
  package let path: String?
  let calls: DeclaredCalls
  private var base: ResourceURL?
  private lazy var routes = Result { () throws(APIFileProblem) in try makeRoutes() }
  lazy var file = path.map { path in
    Result { () throws(SchemaProblem) in try SchemaFile.read(Array(path.utf8)) }
  }
  /// By the pointer of the schema, or by call and status for one of the call's own.
  private var known: [String: CallAnswerSchema?] = [:]
  /// Answers of `lull mock`, by call and by where it is.
  var examples: [String: MockAnswer?] = [:]
  /// By whether they are of answers.
  private var validators: [Bool: FileValidators] = [:]
  /// What has been told, by schema, place and keyword.
  private var told: Set<[String]> = []

  /// - Parameter calls: looked through when the first answer comes, and read when one is theirs.
  init(_ calls: DeclaredCalls, path: String?, base: ResourceURL?) {
    self.calls = calls
    self.path = path
    self.base = base
  }

  /// Looks for calls below another base URL, to which the service has moved.
  func rebase(to base: ResourceURL?) {
    self.base = base
    routes = Result { () throws(APIFileProblem) in try makeRoutes() }
  }

  package func schema(of method: RequestMethod, _ url: String, status: Int)
    -> (any AnswerSchema)?
  {
    do throws(APIFileProblem) {
      return try call(method, url).flatMap { schema(of: $0, status) }
    } catch {
      return CallAnswerSchema(
        owner: "the answer", validator: .failure(SchemaProblem("\(error)")))
    }
  }

  private func makeRoutes() throws(APIFileProblem) -> CallRoutes {
    var routed: [CallRoutes.Call] = []
    for name in calls.names {
      // There is one of each name.
      guard let call = try calls.listed(name) else { continue }
      routed.append(
        CallRoutes.Call(call.method, call.path, openPlaces: call.openPlaces))
    }
    return CallRoutes(routed, base: base)
  }

  /// The call that a request is for; nil if there is none.
  private func call(_ method: RequestMethod, _ url: String) throws(APIFileProblem) -> APICall? {
    guard let place = try routes.get().call(method.rawValue, url) else { return nil }
    return try calls.call(calls.names[place])
  }

  package func explanation(of method: RequestMethod, _ url: String) -> (
    isNothing: Bool, text: String
  ) {
    let fitting: APICall?
    do throws(APIFileProblem) {
      fitting = try call(method, url)
    } catch {
      return (true, "nothing can be validated: \(error)")
    }
    guard let call = fitting else {
      return (true, "nothing is validated, since no call of the API file fits")
    }
    var statuses = call.schema == nil ? [] : ["2XX"]
    do throws(SchemaProblem) {
      statuses += try file?.get().call(call.name)?["responses"]?.pairs.map(\.key) ?? []
    } catch {
      guard call.schema != nil else { return (true, "nothing can be validated: \(error)") }
    }
    guard !statuses.isEmpty else {
      return (true, "nothing is validated, since call '\(call.name)' has no schema")
    }
    return (false, "by the schemas of call '\(call.name)' (\(statuses.joined(separator: ", ")))")
  }

  /// Whether anything is said of the answers of a call.
  func hasSchema(of call: APICall) -> Bool {
    if call.schema != nil { return true }
    // A file that cannot be read is told of by itself.
    guard case .success(let file)? = file else { return self.file != nil }
    return (try? file.call(call.name)?["responses"]?.count ?? 0) != 0
  }

  /// nil if there is none.
  package func openedFile() throws(SchemaProblem) -> SchemaFile? { try file?.get() }

  /// - Parameter isOfAnswer: false for a parameter or a body.
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

  /// So many are told of; nobody reads more.
  private static let mostTold = 100

  package func warn(_ misfits: [ContentMisfit], by schema: any AnswerSchema) {
    for misfit in misfits where told.count < CallSchemas.mostTold {
      // Of elements of one array the first will do.
      let place = misfit.pointer.split(separator: "/").map { Int($0) == nil ? String($0) : "*" }
      guard told.insert([schema.owner, misfit.keyword] + place).inserted else { continue }
      let rest =
        told.count == CallSchemas.mostTold ? " (no more is told of answers that do not fit)" : ""
      // On a line, whatever the names of members are.
      let text = LogText.part("\(schema.owner): \(misfit)", limit: 500)
      StandardError.write("lull: warning: \(text)\(rest)\n")
    }
  }
}

/// How a name stands in a JSON Pointer that is a fragment.
enum JSONPointer {
  static func escaped(_ token: String) -> String {
    let escaped = token.replacing("~", with: "~0").replacing("/", with: "~1")
    let bytes = Array(escaped.utf8)
    return String(decoding: PercentEncoding.encode(bytes[...]), as: UTF8.self)
  }
}

/// What an API file says of the answers of a call itself.
package enum CallSchema: Sendable {
  /// A schema written in the file.
  case document(JSONDocument)
  /// The name of a definition in the file of schemas.
  case definition(String)
}

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
