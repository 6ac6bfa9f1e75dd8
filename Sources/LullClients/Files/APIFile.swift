import LullArguments
package import LullCore
import LullHost

/// An API as a file of Lua describes it: a service, its named calls, and what it is about.
///
/// Loaded once per process, and kept until that ends. Home thread only. Lua: `lull.api(name)`.
package final class APIFile {
  /// As it was asked for by name, or what its file is called.
  package let name: String
  /// As messages name the file.
  package let path: String
  package let service: Service
  /// Those that the file declares, in its order.
  package let environments: [String]
  package let description: String?
  /// In the order of the file.
  package let calls: [APICall]
  /// The handle of its userdata.
  var hostHandle: UInt64 = 0

  init(
    name: String, path: String, service: Service, environments: [String] = [],
    description: String? = nil, calls: [APICall] = []
  ) {
    self.name = name
    self.path = path
    self.service = service
    self.environments = environments
    self.description = description
    self.calls = calls
  }

  /// The one that it is used in; nil: none.
  package var environment: ServiceEnvironment? { service.environment }

  /// With its environment, as one types it.
  package var fullName: String { environment.map { "\(name)@\($0.name)" } ?? name }

  package func call(_ name: String) -> APICall? { calls.first { $0.name == name } }

  /// What is said of a call that is not there.
  package func unknownCall(_ name: String) -> String {
    let near = NearestName.suggestion(for: name, among: calls.map(\.name))
    let names = calls.map(\.name).joined(separator: ", ")
    return "'\(self.name)' has no call '\(name)'"
      + (near.map { " (did you mean '\($0)'?)" }
        ?? (calls.isEmpty ? "; it declares none" : "; it has \(names)"))
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

extension APIFileProblem {
  /// What is said of a module where an API is meant.
  static func text(ofModule result: String) -> String {
    "not an API: it returns \(result), as modules do"
  }
}

/// An error of a script, for those who cannot see what is behind it.
package struct ScriptProblem {
  let failure: ScriptFailure
}
