import LullClients
import LullCore
import LullHost

/// What a command talks to: an API and a path below it, or a URL.
struct CallTarget {
  enum API {
    /// By name or path of its file.
    case file(String)
    /// A service made for this origin.
    case origin(String)
  }

  let api: API
  private let path: CallPath

  /// - Parameter rest: the words behind; the path is taken from them.
  init(_ word: String, _ rest: inout ArraySlice<String>, for command: Command) throws(CommandEnd) {
    let isAPI = TypedURL.plain(word) == nil && APIFileLocator.file(of: word) != nil
    if !isAPI, let url = TypedURL.plain(word) ?? TypedURL.withoutScheme(word) {
      guard let origin = ResourceURL(absolute: url)?.origin, !origin.isEmpty else {
        let problem = ResourceURL.hostProblem(in: url).map { ": \($0)" } ?? ""
        throw .wrongUsage("'\(CredentialMask.malformedURL(word))' is not a URL\(problem)", command)
      }
      if let path = rest.first, path.hasPrefix("/") {
        throw .wrongUsage("a URL and its path are one word: \(LogText.url(origin))\(path)", command)
      }
      api = .origin(origin)
      path = CallPath(url)
      return
    }
    if let scheme = TypedURL.otherScheme(word) {
      throw .wrongUsage(
        "'\(scheme)' is no scheme of a request: a URL begins with http:// or https://", command)
    }
    api = .file(word)
    guard let text = rest.popFirst() else {
      throw .wrongUsage(
        "a path below '\(word)' is missing, such as /users; a URL begins with "
          + "http:// or https://, or with : for localhost", command)
    }
    path = CallPath(text)
  }

  func request(of service: Service, _ method: RequestMethod) -> CallRequest {
    CallRequest(resource: service.resource(path), method: method)
  }
}
