import LullClients
import LullCore
import LullSchemas
import LullSystem

/// What of an API file is needed to compare what it answers with what it is said to answer.
///
/// A plain value: the host that the file was looked at in is gone by then.
struct SeenAPI {
  let name: String
  let path: String
  let base: String?
  let calls: [TypedCall]
  let routes: CallRoutes
  /// Where its schemas are: in the file that it names, else in one that is called as it is.
  let schemasPath: String

  init(_ api: APIFile) throws(APIFileProblem) {
    let declared = try api.calls
    name = api.name
    path = api.path
    base = api.service.baseURL.map { LogText.url($0.text) }
    calls = declared.map { TypedCall($0) }
    routes = CallRoutes(declared.map { CallRoutes.Call($0) }, base: api.service.baseURL)
    let named = (api.service.schemas as? CallSchemas)?.path
    schemasPath = named ?? "\(FileName.folder(of: api.path))/\(api.name).schemas.json"
  }

  /// Looks at the file of a word.
  static func look(_ word: String) -> Result<SeenAPI, CommandFailure> {
    guard let path = APIFileLocator.file(of: word) else {
      return .failure(CommandFailure(code: 3, message: "lull: \(APIFileLocator.missing(word))\n"))
    }
    LookLeave.tell()
    var seen: SeenAPI?
    let outcome = APILook(path).look { api throws(APIFileProblem) in seen = try SeenAPI(api) }
    switch outcome {
    case .seen: break
    case .needs(let note): return .failure(CommandFailure(code: 1, message: "lull: \(note)\n"))
    case .module(let report): return .failure(CommandFailure(code: 1, message: report))
    case .wrong(let report, let code): return .failure(CommandFailure(code: code, message: report))
    case .ended(let code): return .failure(CommandFailure(code: code, message: ""))
    }
    guard let seen else { return .failure(CommandFailure(code: 1, message: "")) }
    return .success(seen)
  }

  /// The name of the call that an exchange belongs to; nil if there is none for it.
  func call(of exchange: Traffic.Exchange) -> String? {
    routes.call(exchange.method, exchange.url).map { calls[$0].name }
  }

  /// The folder of the file.
  var folder: String { FileName.folder(of: path) }

  /// Its schemas; nil if there is no such file.
  func schemas() throws(SchemaProblem) -> SchemaFile? {
    guard FileName.resolved(schemasPath) != nil else { return nil }
    return try SchemaFile.read(Array(schemasPath.utf8), name: schemasPath)
  }
}

/// Why a command ends: with what it says and its exit code.
struct CommandFailure: Error {
  let code: Int32
  let message: String

  /// Says it; the exit code.
  func tell() -> Int32 {
    if !message.isEmpty { Exit.complain(message) }
    return code
  }
}

extension TypedCall {
  init(_ call: APICall) {
    self.init(
      name: call.name, method: call.method.rawValue, path: call.path,
      description: call.description,
      parameters: call.parameters.map { parameter in
        var typed = Parameter(
          name: parameter.name, type: TypedCall.type(of: parameter),
          isRequired: parameter.isRequired && parameter.standard == nil,
          description: parameter.description)
        typed.isWhole = parameter.isWhole
        return typed
      })
  }

  /// As LuaCATS has it; nil where the schemas may say more.
  private static func type(of parameter: CallParameter) -> String? {
    let single: String
    switch parameter.kind {
    case .string, .file: single = "string"
    case .number: single = "number"
    case .integer: single = "integer"
    case .boolean: single = "boolean"
    case .choice(let words): single = Parameter.type(ofWords: words)
    case .object: single = "table<string, any>"
    case .json: return nil
    }
    guard parameter.isList else { return single }
    return single.contains("|") ? "(\(single))[]" : single + "[]"
  }
}
