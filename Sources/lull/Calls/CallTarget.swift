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
    if let url = CallTarget.url(word) {
      guard let origin = ResourceURL(absolute: url)?.origin, !origin.isEmpty else {
        let problem = ResourceURL.hostProblem(in: url).map { ": \($0)" } ?? ""
        throw .wrongUsage("'\(CredentialMask.malformedURL(word))' is not a URL\(problem)", command)
      }
      api = .origin(origin)
      path = CallPath(url)
      return
    }
    api = .file(word)
    guard let text = rest.popFirst() else {
      throw .wrongUsage(
        "a path below '\(word)' is missing, such as /users; a URL begins with "
          + "http:// or https://, or with : for localhost", command)
    }
    path = CallPath(text)
  }

  /// The URL a word stands for; nil if it is the name of an API.
  static func url(_ word: String) -> String? {
    if word.hasPrefix("http://") || word.hasPrefix("https://") { return word }
    guard word.hasPrefix(":") else { return nil }
    let rest = word.dropFirst()
    let port = rest.prefix { $0.isNumber }
    let path = rest.dropFirst(port.count)
    guard path.isEmpty || "/?".contains(path.first ?? " ") else { return nil }
    return "http://localhost" + (port.isEmpty ? "" : ":\(port)") + path
  }

  func request(of service: Service, _ method: String) -> CallRequest {
    CallRequest(resource: service.resource(path), method: method)
  }
}
