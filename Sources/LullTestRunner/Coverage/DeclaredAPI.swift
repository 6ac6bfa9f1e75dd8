import LullClients
import LullSystem

/// What an API file declares, as a worker tells it.
struct DeclaredAPI: Codable {
  struct Parameter: Codable {
    var name: String
    /// The words that there are, where it is one of some.
    var choices: [String]
  }

  struct Call: Codable {
    var name: String
    var parameters: [Parameter]
  }

  /// As messages name the file.
  var path: String
  /// The environment that was named; nil: what is used in any counts.
  var environment: String?
  /// Where links to it lead.
  var key: String
  var calls: [Call]

  /// As people know it.
  var shownName: String { path + (environment.map { "@\($0)" } ?? "") }

  func isAlike(_ other: DeclaredAPI) -> Bool {
    key == other.key && environment == other.environment
  }

  /// - Parameter word: by which it was asked for.
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
