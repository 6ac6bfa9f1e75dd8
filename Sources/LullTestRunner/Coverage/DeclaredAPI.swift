import LullClients
import LullSystem

/// The declarations of an API file, as reported by a worker.
struct DeclaredAPI: Codable {
  struct Parameter: Codable {
    var name: String
    /// The choices, if it is a choice parameter.
    var choices: [String]
  }

  struct Call: Codable {
    var name: String
    var parameters: [Parameter]
  }

  /// The path as named in messages.
  var path: String
  /// The requested environment. `nil`: uses in any environment count.
  var environment: String?
  /// The path with links resolved.
  var key: String
  var calls: [Call]

  /// The name for people.
  var shownName: String { path + (environment.map { "@\($0)" } ?? "") }

  func isAlike(_ other: DeclaredAPI) -> Bool {
    key == other.key && environment == other.environment
  }

  /// - Parameter word: The name or path by which it was requested.
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
