import LullClients
import LullCore
import LullHost

/// The target of a command: an API and a path within it, or a URL.
struct CallTarget {
  enum API {
    /// An API file, named by its API name or by its path.
    case file(String)
    /// No API file: a service is created for this origin.
    case origin(String)
  }

  let api: API
  private let path: CallPath

  /// - Parameter rest: The arguments after `word`. The path is removed from them.
  init(_ word: String, _ rest: inout ArraySlice<String>, for command: Command) throws(CommandEnd) {
    let isAPI = TypedURL.plain(word) == nil && APIFileLocator.file(of: word) != nil
    if !isAPI, let url = TypedURL.plain(word) ?? TypedURL.withoutScheme(word) {
      guard let origin = ResourceURL(absolute: url)?.origin, !origin.isEmpty else {
        let problem = ResourceURL.hostProblem(in: url).map { ": \($0)" } ?? ""
        throw .wrongUsage("'\(CredentialMask.malformedURL(word))' is not a URL\(problem)", command)
      }
      if let path = rest.first, path.hasPrefix("/") {
        throw .wrongUsage(
          "write the URL and its path as one word: \(LogText.url(origin))\(path)", command)
      }
      if let second = rest.first, TypedURL.plain(second) != nil {
        throw .wrongUsage(
          "expected one URL, got a second one: '\(LogText.url(second))'", command)
      }
      api = .origin(origin)
      path = CallPath(url)
      return
    }
    if let scheme = TypedURL.otherScheme(word) {
      throw .wrongUsage(
        "requests do not support the scheme '\(scheme)': a URL begins with http:// or "
          + "https://", command)
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

/// A URL as users type it, possibly without a scheme.
enum TypedURL {
  /// The URL for a word that can only be a URL: it starts with `http://` or `https://`, or with `:`
  /// for localhost. Characters that a URL can't contain are percent-encoded. `nil` for other words.
  static func plain(_ word: String) -> String? {
    let text = ResourceURL.escaping(typed: word)
    for scheme in ["http://", "https://"] where text.lowercased().hasPrefix(scheme) {
      return scheme + text.dropFirst(scheme.count)
    }
    guard text.hasPrefix(":") else { return nil }
    let rest = text.dropFirst()
    let port = rest.prefix { $0.isNumber }
    let path = rest.dropFirst(port.count)
    guard path.isEmpty || "/?#".contains(path.first ?? " ") else { return nil }
    return "http://localhost" + (port.isEmpty ? "" : ":\(port)") + path
  }

  /// The URL for a word that starts with a host: `localhost`, a host with a port, an IP address, or
  /// a name with a dot. `nil` for other words, and for words with the file ending of a script.
  static func withoutScheme(_ word: String) -> String? {
    let text = String(word.drop { $0 == " " })
    let authority = text.prefix { !"/?#".contains($0) }
    let path = text[authority.endIndex...].prefix { !"?#".contains($0) }
    guard !authority.isEmpty, !authority.contains(where: \.isWhitespace), !path.hasSuffix(".lua"),
      !path.isEmpty || FirstWord.fileKind(of: authority) == nil,
      isHost(
        authority[
          (authority.lastIndex(of: "@").map { authority.index(after: $0) }
            ?? authority.startIndex)...])
    else { return nil }
    return ResourceURL.escaping(typed: "http://" + text)
  }

  private static func isHost(_ text: Substring) -> Bool {
    if text.hasPrefix("[") { return text.contains("]") }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count < 3, let name = parts.first, isName(name) else { return false }
    if parts.count == 2 { return !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber) }
    if name == "localhost" { return true }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return labels.count > 1 && labels.dropLast().allSatisfy { !$0.isEmpty } && labels.last != "lua"
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == "." }
  }

  /// The scheme of a word that is a URL with a scheme other than HTTP and HTTPS. `nil` for other
  /// words.
  static func otherScheme(_ word: String) -> String? {
    guard let end = word.firstRange(of: "://"), plain(word) == nil else { return nil }
    let scheme = word[..<end.lowerBound]
    let isScheme =
      scheme.first?.isLetter ?? false
      && scheme.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
    return isScheme ? String(scheme) : nil
  }
}
