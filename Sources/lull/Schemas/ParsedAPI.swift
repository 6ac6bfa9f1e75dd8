import LullClients
import LullCore
import LullSchemas
import LullSystem

/// The parts of an API file needed to compare its responses with its schemas.
///
/// A plain value: the host that inspected the file no longer exists.
struct ParsedAPI {
  let name: String
  let path: String
  /// The environment that the file was inspected in. `nil`: no environment.
  let environment: String?
  let environments: [String]
  let base: String?
  let calls: [TypedCall]
  let routes: CallRoutes
  /// The names of the GraphQL calls.
  private let graphQLCalls: Set<String>
  /// The schemas that calls declare themselves, keyed by call name.
  let ownSchemas: [String: OwnSchema]
  /// The path of the schema file: either the file that the API file names, or else the file with
  /// the same name as the API file.
  let schemasPath: String

  init(_ api: APIFile) throws(APIFileProblem) {
    let declared = try api.calls
    name = api.name
    path = api.path
    environment = api.environment?.name
    environments = api.environments
    base = api.service.baseURL.map { LogText.url($0.text) }
    calls = declared.map { TypedCall($0) }
    ownSchemas = Dictionary(
      uniqueKeysWithValues: declared.compactMap { call in
        switch call.schema {
        case .document(let document)?: (call.name, .document(document.root))
        case .definition(let name)?: (call.name, .definition(name))
        case nil: nil
        }
      })
    graphQLCalls = Set(declared.filter { $0.graphQL != nil }.map(\.name))
    routes = CallRoutes(declared.map { CallRoutes.Call($0) }, base: api.service.baseURL)
    let named = (api.service.schemas as? CallSchemas)?.path
    schemasPath = named ?? "\(FileName.folder(of: api.path))/\(api.name).schemas.json"
  }

  /// Inspects the API file that a word names, in the environment named by the word or by
  /// `LULL_ENV`.
  static func inspect(_ word: String) -> Result<ParsedAPI, CommandFailure> {
    guard let inspection = APIInspection(of: word) else {
      return .failure(CommandFailure(code: 3, message: "lull: \(APIFileLocator.missing(word))\n"))
    }
    TrustDecision.tell()
    var seen: ParsedAPI?
    let outcome = inspection.inspect { api throws(APIFileProblem) in seen = try ParsedAPI(api) }
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

  /// The name of the call that an exchange belongs to. `nil` if no call matches.
  func call(of exchange: Traffic.Exchange) -> String? {
    routes.call(
      exchange.method, exchange.url,
      operation: exchange.sent.map { sent in { GraphQLRequestKey(sent.root) } }
    ).map { calls[$0].name }
  }

  func isGraphQL(_ call: String) -> Bool { graphQLCalls.contains(call) }

  /// The value that the schemas of a call describe: the content of a response, or the value of `data`
  /// in the response to a GraphQL call. `nil` for a GraphQL response with errors or without data.
  func content(_ document: JSONDocument, of call: String) -> JSONElement? {
    let root = document.root
    guard isGraphQL(call) else { return root }
    guard root["errors"]?.isNull ?? true else { return nil }
    // A cache may have the data alone.
    let isResponse = root.pairs.allSatisfy { ["data", "errors", "extensions"].contains($0.key) }
    guard isResponse, let data = root["data"] else { return root }
    return data.isNull ? nil : data
  }

  /// Whether a response can't be assigned to a call, because several GraphQL calls have its URL and
  /// the operation is unknown, as in a cache.
  func isUnassignable(_ exchange: Traffic.Exchange) -> Bool {
    exchange.sent == nil && graphQLCalls.count > 1 && call(of: exchange) == nil
      && calls.contains { isGraphQL($0.name) && exchange.url.hasSuffix($0.path) }
  }

  /// The name of the API as typed on a command line, with the environment if there is one.
  var fullName: String { environment.map { "\(name)@\($0)" } ?? name }

  /// The base URL for messages.
  var shownBase: String {
    (base ?? name) + (environment.map { " in the environment '\($0)'" } ?? "")
  }

  /// The other environments whose URLs overlap with the URLs of this environment. `nil` as an
  /// element: the file without an environment.
  var neighbours: [String?] {
    guard !environments.isEmpty, let prefix = routes.prefix else { return [] }
    let others = ([nil] + environments.map(Optional.some)).filter { $0 != environment }
    return others.filter { other in
      var isNear = false
      _ = APIInspection(path, environment: other, isSilent: true, isPatient: true).inspect { api in
        let own = CallRoutes([], base: api.service.baseURL).prefix ?? ""
        isNear = own.hasPrefix(prefix) || !own.isEmpty && prefix.hasPrefix(own)
      }
      return isNear
    }
  }

  /// The folder of the API file.
  var folder: String { FileName.folder(of: path) }

  /// Loads the schemas. `nil` if there is no schema file.
  func schemas() throws(SchemaProblem) -> SchemaFile? {
    guard FileName.resolved(schemasPath) != nil else { return nil }
    return try SchemaFile.read(Array(schemasPath.utf8), name: schemasPath)
  }
}

/// The error that ends a command, with its message and exit code.
struct CommandFailure: Error {
  let code: Int32
  let message: String

  /// Reports the error. Returns the exit code.
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

  /// The LuaCATS type of a parameter. `nil` if the schemas may have a more precise type.
  private static func type(of parameter: CallParameter) -> String? {
    let single: String
    switch parameter.kind {
    case .string, .file: single = "string"
    case .number: single = "number"
    case .integer:
      let numbers = parameter.integers.map { String($0) }
      single = numbers.isEmpty ? "integer" : numbers.joined(separator: "|")
    case .boolean: single = "boolean"
    case .choice(let words): single = Parameter.type(ofWords: words)
    case .object: single = "table<string, any>"
    case .json: return nil
    }
    guard parameter.isList else { return single }
    return single.contains("|") ? "(\(single))[]" : single + "[]"
  }
}
