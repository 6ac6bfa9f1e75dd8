import LullCore
import LullLibC
import LullSystem

/// Sends user and password from a netrc file, selected by the request's host, as
/// `Authorization: Basic …`.
///
/// The file is read when the first request needs it, and again when it has changed. Home thread
/// only. Lua: `lull.auth.netrc()`.
///
/// Behaviours: NETRC-01 to NETRC-05.
final class NetrcAuth: AuthStage {
  struct Settings: Equatable, Sendable {
    /// The path of the file; nil uses the variable `NETRC`, else `~/.netrc`.
    var path: String?
    /// The login name to use if the file has several logins for a host; nil uses the first.
    var login: String?
    /// Whether a request is sent without credentials if the file does not exist or does not contain
    /// the host.
    var isOptional = false
  }

  private let settings: Settings
  private var known: (stamp: FileStamp, path: String, file: NetrcFile)?

  init(_ settings: Settings) { self.settings = settings }

  /// The text that is shown in place of the `Authorization` header.
  var shown: String { "Basic ‹netrc \(settings.path ?? "~/.netrc")›" }

  /// The identity of the requests, which depends on the content of the file.
  var identity: SecretText {
    SecretText("netrc \(settings.login ?? "") ") + SecretText(Secret(.file(path)))
  }

  private var path: String {
    if let path = settings.path { return HomeFolder.expanded(path) }
    // Copied before other code can change the environment.
    let variable = getenv("NETRC").map { String(escapingCString: $0) } ?? ""
    return HomeFolder.expanded(variable.isEmpty ? "~/.netrc" : variable)
  }

  func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard request.headers["authorization"] == nil else {
      proceed(.success(AuthorizedRequest(request)))
      return nil
    }
    let path = path
    if let known, known.path == path, FileStamp.of(Array(path.utf8)) == known.stamp {
      proceed(authorized(request, known.file))
      return nil
    }
    let sign = StopSign()
    context.pump.offload({ NetrcAuth.read(path) }) { [self] result in
      if case .success(let found) = result {
        known = found.map { ($0.stamp, path, $0.file) }
      }
      guard !sign.isSet else { return }
      proceed(
        result.flatMap { found in
          if let found { return authorized(request, found.file) }
          return settings.isOptional
            ? .success(AuthorizedRequest(request))
            : .failure(NetrcAuth.failure("\(path) does not exist"))
        })
    }
    return { sign.set() }
  }

  private func authorized(_ request: HTTPRequest, _ file: NetrcFile)
    -> Result<AuthorizedRequest, TransportError>
  {
    let host = ResourceURL.address(of: request.url)?.host ?? ""
    guard let login = file.login(for: host, named: settings.login) else {
      if settings.isOptional { return .success(AuthorizedRequest(request)) }
      let name = settings.login.map { " with the name '\(LogText.part($0, limit: 80))'" } ?? ""
      return .failure(
        NetrcAuth.failure(
          "\(path) has no login for \(host)\(name) "
            + "(set optional = true to send requests without a login)"))
    }
    guard let name = login.name, !name.contains(":") else {
      return .failure(
        NetrcAuth.failure(
          "\(path) has \(login.name == nil ? "no login name" : "a login name with a colon") for "
            + host))
    }
    var http = request
    // If a service has no origin, a host that the file names counts as the service's own. A host
    // that only `default` matches does not count as such.
    let isHome = http.secrets?.origin == nil && login.machine != nil
    let password = Secret(
      .literal(login.password), name: "netrc \(host)", origins: isHome ? [http.origin] : [])
    Auth.basic(user: name, password: SecretText(password)).put(on: &http)
    if let problem = http.secretOriginProblem { return .failure(problem) }
    return .success(AuthorizedRequest(http))
  }

  /// Reads the file. Returns nil if the file does not exist.
  private static func read(_ path: String)
    -> Result<(stamp: FileStamp, file: NetrcFile)?, TransportError>
  {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      if code == ENOENT { return .success(nil) }
      return .failure(failure("\(path) cannot be read (\(ErrorText.of(code)))"))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .failure(failure("\(path) is not a regular file"))
    }
    guard status.st_mode & 0o077 == 0 else {
      return .failure(
        failure("\(path) can be read by other users, and is not used: run chmod 600 on it"))
    }
    guard let bytes = SecretFile.content(of: descriptor) else {
      return .failure(failure("\(path) cannot be read completely, or is larger than 64 KB"))
    }
    do throws(NetrcFile.Problem) {
      return .success((FileStamp(status), try NetrcFile(bytes)))
    } catch {
      return .failure(failure("\(path), line \(error.line): \(error.reason)"))
    }
  }

  private static func failure(_ reason: String) -> TransportError {
    TransportError(.secretUnavailable, "no login from a netrc file: \(reason)")
  }
}

/// The logins of a netrc file, parsed as ftp, curl and git do.
///
/// The file has words separated by blanks: `machine HOST login NAME password WORD`. `default`
/// applies to all other hosts, and hides all entries after itself. A quoted word may contain
/// blanks, and `\"`, `\\`, `\n`, `\t` and `\r`. `#` before a keyword begins a comment. `account` is
/// ignored. A macro (`macdef`) is ignored up to the next empty line.
struct NetrcFile: Equatable, Sendable {
  struct Login: Equatable, Sendable {
    /// The host; nil for `default`.
    var machine: String?
    var name: String?
    var password = ""
  }

  struct Problem: Error, Equatable {
    let line: Int
    let reason: String
  }

  private(set) var logins: [Login] = []

  init(_ bytes: [UInt8]) throws(Problem) {
    var scanner = NetrcScanner(bytes)
    while let word = try scanner.keyword() {
      switch word {
      case "machine": logins.append(Login(machine: try scanner.value(of: word).lowercased()))
      case "default": logins.append(Login())
      case "macdef": scanner.skipMacro()
      case "login", "user", "password", "passwd", "account":
        let text = try scanner.value(of: word)
        guard let last = logins.indices.last else {
          throw scanner.problem("'\(word)' comes before the first 'machine'")
        }
        if word == "login" || word == "user" { logins[last].name = text }
        if word.hasPrefix("passw") { logins[last].password = text }
      default: throw scanner.problem("expected 'machine', found another word")
      }
    }
  }

  /// Returns the first login for a host. If `name` is not nil, the login must have that name.
  func login(for host: String, named name: String?) -> Login? {
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    // An IPv6 address has brackets in a URL only.
    let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return logins.first { login in
      (login.machine == nil || login.machine == host || login.machine == plain)
        && (name == nil || login.name == name)
    }
  }
}

/// Reads the words of the file one by one.
private struct NetrcScanner {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(_ bytes: [UInt8]) {
    // Skips the byte order mark of some editors.
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  func problem(_ reason: String) -> NetrcFile.Problem {
    NetrcFile.Problem(line: line, reason: reason)
  }

  /// Reads the next keyword. Returns nil at the end of the file.
  mutating func keyword() throws(NetrcFile.Problem) -> String? {
    while true {
      skipBlanks()
      guard index < bytes.count else { return nil }
      guard bytes[index] == UInt8(ascii: "#") else { return try word() }
      while index < bytes.count, bytes[index] != 10 { index += 1 }
    }
  }

  mutating func value(of name: String) throws(NetrcFile.Problem) -> String {
    skipBlanks()
    guard index < bytes.count else { throw problem("'\(name)' has no value") }
    return try word()
  }

  private mutating func word() throws(NetrcFile.Problem) -> String {
    var word: [UInt8] = []
    if bytes[index] == UInt8(ascii: "\"") {
      index += 1
      while true {
        guard index < bytes.count, bytes[index] != 10 else {
          throw problem("a quotation mark is missing")
        }
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\"") { break }
        guard byte == UInt8(ascii: "\\"), index < bytes.count else {
          word.append(byte)
          continue
        }
        word.append(NetrcScanner.escaped(bytes[index]))
        index += 1
      }
    } else {
      while index < bytes.count, !isBlank(bytes[index]) {
        word.append(bytes[index])
        index += 1
      }
    }
    guard let text = String(validating: word, as: UTF8.self) else {
      throw problem("it is not UTF-8")
    }
    return text
  }

  private static func escaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: byte
    }
  }

  /// Skips to the next empty line, or to the end of the file.
  mutating func skipMacro() {
    var isEmpty = false
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 10 {
        line += 1
        if isEmpty { return }
        isEmpty = true
      } else if byte != 13 {
        isEmpty = false
      }
    }
  }

  private mutating func skipBlanks() {
    while index < bytes.count, isBlank(bytes[index]) {
      if bytes[index] == 10 { line += 1 }
      index += 1
    }
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
