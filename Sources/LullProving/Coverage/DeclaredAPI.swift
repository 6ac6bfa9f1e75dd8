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
  /// Where links to it lead.
  var key: String
  var calls: [Call]

  init(_ api: APIFile) throws(APIFileProblem) {
    path = api.path
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
