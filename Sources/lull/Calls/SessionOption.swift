import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem

/// What `--session` and `--session-read-only` say.
struct SessionOption: Equatable {
  let name: String
  let isReadOnly: Bool

  static var arguments: [Argument] {
    [
      .init(
        names: ["--session"], placeholder: "NAME",
        help:
          "keep cookies and who asks (-a, and headers that are credentials) for later requests to "
          + "the same scheme, host and port"),
      .init(
        names: ["--session-read-only"], placeholder: "NAME",
        help: "use what is kept so, and keep nothing"),
    ]
  }

  /// nil if neither is given.
  init?(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    let (kept, read) = (words.text("--session"), words.text("--session-read-only"))
    guard let name = kept ?? read else { return nil }
    guard kept == nil || read == nil else {
      throw .wrongUsage("--session and --session-read-only are one session: give one", command)
    }
    guard RequestSession.isName(name) else {
      throw .wrongUsage(
        "a session is called by letters, digits, '.', '_' and '-', not '\(name)'", command)
    }
    self.name = name
    isReadOnly = kept == nil
  }
}

extension CallOptions {
  /// What the server of a request is reached by, where that is no address: another server may listen at
  /// the address of its URL.
  private func socket(of request: CallRequest) -> String? {
    let settings = request.resource.configuration(for: request.method)
    guard let path = network.unixSocket ?? settings.options?.connection.unixSocket else {
      return nil
    }
    return FileName.resolved(path) ?? path
  }

  /// Takes away what is configured of who asks if the request says so; puts what the session has into the
  /// request, and what the command line says of who asks into the session. The exit code if it cannot be
  /// used.
  mutating func openSession(for request: inout CallRequest, _ host: LuaHost) -> Int32? {
    network.isAnonymous = request.headers.contains {
      $0.value == nil && $0.name.lowercased() == "authorization"
    }
    guard let option = network.session else { return nil }
    let origin = request.resource.url.origin
    // That of no URL fails by itself.
    guard !origin.isEmpty else { return nil }
    let session: RequestSession
    do throws(RequestSession.Problem) {
      session = try RequestSession(
        option.name, of: origin, in: request.resource.owner.environment?.name,
        over: socket(of: request),
        isReadOnly: option.isReadOnly || printsCurl || isDry,
        unless: { host.loop.isInterrupted })
    } catch {
      if host.loop.isInterrupted { return 0 }
      Exit.complain("lull: \(error.message)\n")
      return 1
    }
    let given = request.headers.map { ($0.name.lowercased(), $0.value) }
    let inURL = network.auth == nil ? AuthOption(inURL: request.resource.url.text) : nil
    let saysWho =
      network.auth != nil || inURL != nil || given.contains { $0.0 == "authorization" }
    let problem = session.change { content in
      if saysWho {
        content.auth = network.auth ?? inURL
        content.headers["authorization"] = nil
      }
      for (name, value) in given where name != "cookie" && CredentialName.names(name) {
        content.headers[name] = value
        if name == "authorization" { content.auth = nil }
      }
    }
    if let problem { Exit.complain("lull: \(problem)\n") }
    if problem != nil { return 1 }
    let content = session.content
    if !saysWho { network.auth = content.auth }
    for (name, value) in content.headers.sorted(by: { $0.key < $1.key })
    where !given.contains(where: { $0.0 == name }) {
      request.headers.append((name, value))
    }
    network.cookies = session.jar
    return nil
  }
}
