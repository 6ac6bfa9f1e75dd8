import LullClients
import LullSystem

/// The calls that an API file declares, as reported by a worker.
struct DeclaredAPI: Codable {
  struct Parameter: Codable {
    var name: String
    /// The allowed values of a choice parameter. Empty for other parameters.
    var choices: [String]
  }

  struct Call: Codable {
    var name: String
    var parameters: [Parameter]
  }

  /// The path of the API file as shown in messages.
  var path: String
  /// The environment whose coverage is requested. `nil`: the uses in any environment count.
  var environment: String?
  /// The path of the API file with links resolved.
  var key: String
  var calls: [Call]

  /// The path with the environment, for messages.
  var shownName: String { path + (environment.map { "@\($0)" } ?? "") }

  func isAlike(_ other: DeclaredAPI) -> Bool {
    key == other.key && environment == other.environment
  }

  /// - Parameter word: The name or path by which the API was requested.
  init(_ api: APIFile, of word: String) throws(APIFileProblem) {
    path = api.path
    environment = APIName(word).environment
    key = FileName.resolved(api.path) ?? api.path
    calls = try api.calls.map { call in
      Call(
        name: call.name,
        parameters: call.parameters.map { parameter in
          var choices: [String] = []
          if case .choice(let words) = parameter.kind { choices = words }
          return Parameter(name: parameter.name, choices: choices)
        })
    }
  }
}
