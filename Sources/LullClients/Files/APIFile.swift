import LullArguments
package import LullCore
import LullHost

/// An API as a file of Lua describes it: a service, its named calls, and what it is about.
///
/// Loaded once per process, and kept until that ends; its calls are read when they are asked for. Home thread only.
/// Lua: `lull.api(name)`.
package final class APIFile {
  /// As it was asked for by name, or what its file is called.
  package let name: String
  /// As messages name the file.
  package let path: String
  package let service: Service
  /// Those that the file declares, in its order.
  package let environments: [String]
  package let description: String?
  /// The number of the function that answers requests of `lull mock` for which no call is declared.
  package let mock: Int64?
  private let declared: DeclaredCalls
  /// The handle of its userdata.
  var hostHandle: UInt64 = 0

  init(
    name: String, path: String, service: Service, environments: [String] = [],
    description: String? = nil, calls: DeclaredCalls? = nil, mock: Int64? = nil
  ) {
    self.name = name
    self.path = path
    self.service = service
    self.environments = environments
    self.description = description
    self.mock = mock
    declared = calls ?? DeclaredCalls(nil)
  }

  /// The one that it is used in; nil: none.
  package var environment: ServiceEnvironment? { service.environment }

  /// With its environment, as one types it.
  package var fullName: String { environment.map { "\(name)@\($0.name)" } ?? name }

  /// Those of all calls, in the order of the file, whether or not these are right.
  package var callNames: [String] { declared.names }

  /// All calls, in the order of the file; the first that is wrong is told.
  package var calls: [APICall] {
    get throws(APIFileProblem) { try declared.all }
  }

  /// The call of a name, which is read if it has not been; nil if there is none.
  package func call(_ name: String) throws(APIFileProblem) -> APICall? {
    try declared.call(name)
  }

  /// The same as far as lists need to know it, which is quick.
  package func listedCall(_ name: String) throws(APIFileProblem) -> ListedCall? {
    try declared.listed(name)
  }

  /// Moves its calls to another base URL; whether that could be done: not after the file has made a
  /// resource of its service.
  package func rebase(to url: String) -> Bool {
    guard service.rebase(to: url) else { return false }
    (service.schemas as? CallSchemas)?.rebase(to: service.baseURL)
    return true
  }

  /// What is said of a call that is not there.
  package func unknownCall(_ name: String) -> String {
    let near = NearestName.suggestion(for: name, among: callNames)
    let names = callNames.joined(separator: ", ")
    return "'\(self.name)' has no call '\(name)'"
      + (near.map { " (did you mean '\($0)'?)" }
        ?? (callNames.isEmpty ? "; it declares none" : "; it has \(names)"))
  }
}

/// Why an API file gives no API.
package enum APIFileProblem: Error {
  /// There is no such file, or it cannot be read.
  case missing(String)
  /// The message of the compiler, with its text and name.
  case syntax(message: String, source: [UInt8], name: String)
  /// It has raised an error.
  case failed(ScriptProblem)
  /// It is no API, and was not to be one; what it has returned, in words, and where.
  case module(SourcePlace, String)
  /// What it has returned is no API; with the line at fault.
  case declaration(SourcePlace, String)
}

extension APIFileProblem: CustomStringConvertible {
  /// In a line, for those who say what cannot be done because of it.
  package var description: String {
    switch self {
    case .missing(let text): text
    case .syntax(let message, _, _): LogText.part(message)
    case .failed(let problem): LogText.part(problem.failure.message)
    case .module(let place, let result): "\(place): \(APIFileProblem.text(ofModule: result))"
    case .declaration(let place, let text): "\(place): \(text)"
    }
  }

  /// That of a program that cannot do without the API.
  package var exitCode: Int32 {
    switch self {
    case .missing, .syntax: 3
    case .failed, .module, .declaration: 1
    }
  }

  /// The one of two mistakes of a file that comes first in it, so that it is always the same that is told.
  func first(of other: APIFileProblem?) -> APIFileProblem {
    guard case .declaration(let place, let text)? = other,
      case .declaration(let ownPlace, let ownText) = self
    else { return other ?? self }
    return (place.line, text) < (ownPlace.line, ownText) ? .declaration(place, text) : self
  }

  /// What is said of a module where an API is meant.
  static func text(ofModule result: String) -> String {
    "not an API: it returns \(result), as modules do"
  }
}

/// An error of a script, for those who cannot see what is behind it.
package struct ScriptProblem {
  let failure: ScriptFailure
}
