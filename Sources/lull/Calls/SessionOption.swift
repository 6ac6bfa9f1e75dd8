import LullArguments
import LullClients
import LullCore
import LullHost

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
  /// Puts what the session has into a request, and what the command line says of who asks into the
  /// session; the exit code if it cannot be used.
  mutating func openSession(for request: inout CallRequest, _ host: LuaHost) -> Int32? {
    guard let option = network.session else { return nil }
    let origin = request.resource.url.origin
    // That of no URL fails by itself.
    guard !origin.isEmpty else { return nil }
    let session: RequestSession
    do throws(RequestSession.Problem) {
      session = try RequestSession(
        option.name, of: origin, isReadOnly: option.isReadOnly || printsCurl || isDry,
        unless: { host.loop.isInterrupted })
    } catch {
      if host.loop.isInterrupted { return 0 }
      Exit.complain("lull: \(error.message)\n")
      return 1
    }
    let given = request.headers.map { ($0.name.lowercased(), $0.value) }
    let saysWho = network.auth != nil || given.contains { $0.0 == "authorization" }
    let problem = session.change { content in
      if saysWho {
        content.auth = network.auth
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
