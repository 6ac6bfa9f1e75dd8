import LullArguments
package import LullCore
import LullHost

/// An API described by a Lua file: a service, its named calls, and its description.
///
/// An API is loaded once per process and kept until the process ends. A call is read when it is
/// requested. Home thread only. Lua: `lull.api(name)`.
package final class APIFile {
  /// The name by which the API was requested, or the name of its file.
  package let name: String
  /// The path of the file as shown in messages.
  package let path: String
  package let service: Service
  /// The environments that the file declares, in order.
  package let environments: [String]
  package let description: String?
  /// The ID of the function that answers requests without a declared call in `lull mock`.
  package let mock: Int64?
  private let declared: DeclaredCalls
  /// The handle of the API's userdata.
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

  /// The selected environment, or nil.
  package var environment: ServiceEnvironment? { service.environment }

  /// The name with the environment, as a user types it.
  package var fullName: String { environment.map { "\(name)@\($0.name)" } ?? name }

  /// The names of all calls in file order, including invalid ones.
  package var callNames: [String] { declared.names }

  /// All calls in file order. Throws the first error in them.
  package var calls: [APICall] {
    get throws(APIFileProblem) { try declared.all }
  }

  /// Returns the call with this name, or nil. The call is read on first use.
  package func call(_ name: String) throws(APIFileProblem) -> APICall? {
    try declared.call(name)
  }

  /// Returns only the properties of a call that lists show, which is faster than reading the whole
  /// call.
  package func listedCall(_ name: String) throws(APIFileProblem) -> ListedCall? {
    try declared.listed(name)
  }

  /// Moves the calls to another base URL. Returns false if the file has already created a resource
  /// of its service, because a resource can't be moved.
  package func rebase(to url: String) -> Bool {
    guard service.rebase(to: url) else { return false }
    (service.schemas as? CallSchemas)?.rebase(to: service.baseURL)
    return true
  }

  /// Returns the message for an unknown call.
  package func unknownCall(_ name: String) -> String {
    APIFile.unknownCall(name, of: self.name, among: callNames)
  }

  package static func unknownCall(
    _ name: String, of api: String, among calls: [String]
  ) -> String {
    let near = NearestName.suggestion(for: name, among: calls)
    return "'\(api)' has no call '\(name)'"
      + (near.map { " (did you mean '\($0)'?)" }
        ?? (calls.isEmpty ? "; it declares none" : "; it has \(calls.joined(separator: ", "))"))
  }
}

/// The reason why a file does not provide a valid API.
package enum APIFileProblem: Error {
  /// The file does not exist or can't be read.
  case missing(String)
  /// The file can't be compiled. The values are the compiler's message, and the source with its
  /// name.
  case syntax(message: String, source: [UInt8], name: String)
  /// The file raised an error.
  case failed(ScriptProblem)
  /// The file is a module, not an API. The values are a place in the file and a description of the
  /// file's result.
  case module(SourcePlace, String)
  /// The file's result is not a valid API. The values are the place of the error and its message.
  case declaration(SourcePlace, String)
}

extension APIFileProblem: CustomStringConvertible {
  /// The problem on one line.
  package var description: String {
    switch self {
    case .missing(let text): text
    case .syntax(let message, _, _): LogText.part(message)
    case .failed(let problem): LogText.part(problem.failure.messageWithHint)
    case .module(let place, let result): "\(place): \(APIFileProblem.text(ofModule: result))"
    case .declaration(let place, let text): "\(place): \(text)"
    }
  }

  /// The exit code of a command that needs the API.
  package var exitCode: Int32 {
    switch self {
    case .missing, .syntax: 3
    case .failed, .module, .declaration: 1
    }
  }

  /// Returns the problem that comes first in the file, so that reports are deterministic.
  func first(of other: APIFileProblem?) -> APIFileProblem {
    guard case .declaration(let place, let text)? = other,
      case .declaration(let ownPlace, let ownText) = self
    else { return other ?? self }
    return (place.line, text) < (ownPlace.line, ownText) ? .declaration(place, text) : self
  }

  /// Returns the message for a module that is used as an API.
  static func text(ofModule result: String) -> String {
    "not an API: the file returns \(result), as modules do"
  }
}

/// A script error as an opaque value, for modules that can't access `ScriptFailure`.
package struct ScriptProblem {
  let failure: ScriptFailure
}
