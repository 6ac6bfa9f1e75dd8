import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport
import Synchronization

/// A named session of one origin: cookies and credentials that are kept between requests.
///
/// It is stored in a file that only its owner can read. One process at a time locks the file, and
/// replaces it as a whole.
final class RequestSession: Sendable {
  struct Content: Equatable, Sendable {
    var auth: AuthOption?
    /// Headers whose names mark them as credentials, in lower case.
    var headers: [String: String] = [:]
    /// The cookies, each as a line in the Netscape cookie format.
    var cookies: [ByteString] = []
  }

  /// The error, and how to fix it.
  struct Problem: Error {
    let message: String
  }

  let origin: String
  /// The origin, with the environment and the Unix socket if there are any.
  private let server: String
  private let file: TokenFile
  private let isReadOnly: Bool
  /// The lock on the session's file. `nil` if the session is read-only.
  private let lock: TokenFileLock?
  private let state: Mutex<Content>

  var content: Content { state.withLock { $0 } }

  /// Whether the text is a valid session name. It is used as a file name.
  static func isName(_ text: String) -> Bool {
    (1...100).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "._-".utf8.contains(byte)
        }
      }
  }

  /// Opens a session by name. The session does not have to exist yet.
  ///
  /// - Parameters:
  ///   - environment: The environment of the API file, which has separate sessions. `nil`: no
  ///     environment.
  ///   - socket: The Unix socket of the server, used instead of an address.
  ///   - isReadOnly: Whether nothing is stored. Other processes may write the session meanwhile.
  ///   - isStopped: Returns whether to stop waiting for another process.
  init(
    _ name: String, of origin: String, in environment: String? = nil, over socket: String?,
    isReadOnly: Bool,
    unless isStopped: () -> Bool
  ) throws(Problem) {
    let place = environment.map { "\(origin) in \($0)" } ?? origin
    let server = socket.map { "\(place) over \($0)" } ?? place
    self.server = server
    let folder = "sessions/" + RequestSession.folderName(of: server)
    guard let path = TokenFile.standardPath(of: name, in: folder) else {
      throw Problem(message: "sessions cannot be stored: set HOME or XDG_STATE_HOME")
    }
    let file = TokenFile(path, noun: "session", limit: 1 << 20)
    self.file = file
    self.origin = origin
    self.isReadOnly = isReadOnly
    let content: Content
    do throws(TokenFile.Problem) {
      lock = isReadOnly ? nil : try RequestSession.lock(file, name, unless: isStopped)
      let document = try file.read()
      content =
        try document.map { document throws(TokenFile.Problem) in
          try RequestSession.content(of: document, for: server, file.path)
        } ?? Content()
    } catch {
      throw Problem(message: error.message)
    }
    state = Mutex(content)
  }

  /// Locks the session. Reports once if another process holds the lock.
  private static func lock(
    _ file: TokenFile, _ name: String, unless isStopped: () -> Bool
  ) throws(TokenFile.Problem) -> TokenFileLock {
    var left = 100
    return try file.lock {
      left -= 1
      if left == 0 {
        Exit.notify(
          "lull: waiting for another process that uses the session '\(name)'; --session-read-only "
            + "does not wait\n")
      }
      return isStopped()
    }
  }

  /// Returns a name such as `https_api.example.com_8443`.
  private static func folderName(of origin: String) -> String {
    let bytes = origin.replacing("://", with: "_").utf8.map { byte -> UInt8 in
      let character = Character(Unicode.Scalar(byte))
      return character.isASCII
        && (character.isLetter || character.isNumber || ".-".contains(character))
        ? byte : UInt8(ascii: "_")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The cookie jar that all requests of this session share.
  var jar: CookieJar {
    CookieJar(
      keptBy: .init(origin: origin, lines: content.cookies) { [self] lines in
        change { $0.cookies = lines }
      })
  }

  /// Changes the content, and writes the file if the content is different. Returns an error message
  /// if that fails.
  @discardableResult
  func change(_ body: (inout Content) -> Void) -> String? {
    let (before, after) = state.withLock { content in
      let before = content
      body(&content)
      return (before, content)
    }
    guard before != after, !isReadOnly else { return nil }
    do throws(TokenFile.Problem) {
      try file.write(RequestSession.json(of: after, server))
      return nil
    } catch {
      return error.message
    }
  }

  // MARK: The file

  private static let version = 1

  private static func json(of content: Content, _ origin: String) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("lull_session", .int(version)), .init("origin", .string(origin)),
    ]
    if let auth = content.auth {
      let fields = [("kind", auth.kind.rawValue), ("user", auth.user), ("secret", auth.secret)]
      members.append(
        .init(
          "auth",
          .object(fields.compactMap { name, value in value.map { .init(name, .string($0)) } })))
    }
    let headers = content.headers.sorted { $0.key < $1.key }
    members.append(.init("headers", .object(headers.map { .init($0.key, .string($0.value)) })))
    members.append(
      .init("cookies", .array(content.cookies.map { .string(ArgumentText.decode($0.bytes)) })))
    return .object(members)
  }

  private static func content(
    of document: JSONDocument, for origin: String, _ path: String
  ) throws(TokenFile.Problem) -> Content {
    let root = document.root
    guard root["lull_session"]?.int == version, let known = root["origin"]?.string else {
      throw TokenFile.Problem(
        message: "'\(path)' is a session of another version of Lull: delete it")
    }
    guard known == origin else {
      throw TokenFile.Problem(
        message: "the session '\(path)' belongs to \(known), not to \(origin)")
    }
    var content = Content()
    if let auth = root["auth"],
      let kind = auth["kind"]?.string.flatMap({ AuthOption.Kind(rawValue: $0) })
    {
      content.auth = AuthOption(
        kind, user: auth["user"]?.string, secret: auth["secret"]?.string)
    }
    for (name, value) in root["headers"]?.pairs ?? [] {
      if let text = value.string, Headers.problem(name, text.utf8) == nil {
        content.headers[name] = text
      }
    }
    if let cookies = root["cookies"] {
      content.cookies = cookies.elements.compactMap { element in
        element.string.map { ByteString(ArgumentText.encode($0)) }
      }
    }
    return content
  }
}

/// The options `--session` and `--session-read-only`.
///
/// Behaviours: SES-01 to SES-07.
struct SessionOption: Equatable {
  let name: String
  let isReadOnly: Bool

  /// Reads the options. The result is `nil` if neither is given.
  init?(_ words: ParsedArguments) {
    guard let name = words.text("--session") ?? words.text("--session-read-only") else {
      return nil
    }
    self.name = name
    isReadOnly = words.text("--session") == nil
  }
}

extension CallOptions {
  /// The path of the Unix socket that a request is sent to, if any. Sessions are separated by
  /// socket, because different servers may have the same address in the URL.
  private func socket(of request: CallRequest) -> String? {
    let settings = request.resource.configuration(for: request.method)
    guard let path = network.unixSocket ?? settings.options?.connection.unixSocket else {
      return nil
    }
    return FileName.resolved(path) ?? path
  }

  /// Opens the session for a request. Returns the exit code if the session can't be used.
  ///
  /// If the request removes the `Authorization` header, the configured credentials are not used.
  /// The session's headers are added to the request, and the command line's credentials to the
  /// session.
  mutating func openSession(for request: inout CallRequest, _ host: LuaHost) -> Int32? {
    network.isAnonymous = request.headers.contains {
      $0.value == nil && $0.name.lowercased() == "authorization"
    }
    guard let option = network.session else { return nil }
    let origin = request.resource.url.origin
    // An invalid URL is reported when the request starts.
    guard !origin.isEmpty else { return nil }
    let session: RequestSession
    do throws(RequestSession.Problem) {
      session = try RequestSession(
        option.name, of: origin, in: request.resource.service.environment?.name,
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
